// Completes the settings of an OAuth provider with those of its preset; a setting that is given replaces the preset's. Settings
// that are incomplete, or would send people or codes to another address, are rejected.
import { OAuthSettings, oauthPresets, type ProviderSettings } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import { isPlainHttps, isReturnAddress } from '../provider-address.ts';

type Needed = 'authorizationUrl' | 'tokenUrl' | 'userInfoUrl' | 'subjectPath' | 'clientAuth' | 'pkce';
export type CompleteSettings = OAuthSettings & Required<Pick<OAuthSettings, Needed>>;

const isOAuth = compileSchema(OAuthSettings);

/** The parameters of an authorization request that this service sets. Settings cannot replace them. */
const ownParameters = new Set(
  'response_type response_mode client_id appid redirect_uri scope state nonce code_challenge code_challenge_method request request_uri'.split(
    ' ',
  ),
);

/** Undefined when the settings are incomplete or invalid. */
export function completeSettings(given: ProviderSettings): CompleteSettings | undefined {
  const settings: unknown = given;
  if (!isOAuth(settings)) return undefined;
  const preset = settings.preset === undefined ? undefined : oauthPresets[settings.preset];
  const authorizationParameters = [
    ...(preset?.settings.authorizationParameters ?? []),
    ...(settings.authorizationParameters ?? []),
  ];
  const complete = {
    clientAuth: 'basic' as const,
    pkce: true,
    ...(preset?.settings as Partial<OAuthSettings> | undefined),
    ...settings,
    authorizationParameters,
  };
  const names = authorizationParameters.map(({ name }) => name);
  const asked = preset?.asksParameters ?? [];
  return isComplete(complete) &&
    isSound(complete) &&
    names.every((name) => !ownParameters.has(name.toLowerCase())) &&
    asked.every((name) => names.includes(name))
    ? complete
    : undefined;
}

function isComplete(settings: OAuthSettings): settings is CompleteSettings {
  const { authorizationUrl, tokenUrl, userInfoUrl, subjectPath, clientAuth, pkce } = settings;
  return [authorizationUrl, tokenUrl, userInfoUrl, subjectPath, clientAuth, pkce].every(
    (needed) => needed !== undefined,
  );
}

function isSound(settings: CompleteSettings): boolean {
  const { authorizationUrl, tokenUrl, userInfoUrl, redirectUri, tenant, tenantPath } = settings;
  return (
    [authorizationUrl, tokenUrl, userInfoUrl].every(isPlainHttps) &&
    isReturnAddress(redirectUri) &&
    // `tenantPath` without `tenant` pins no tenant, and neither does `tenant` without `tenantPath`.
    (tenant === undefined) === (tenantPath === undefined)
  );
}
