// Completes the settings of an OAuth provider with those of its preset; a setting that is given replaces the preset's. Settings
// that are incomplete, or would send people or codes to another address, are rejected.
import { OAuthSettings, oauthPresets, type ProviderSettings } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import { isPlainHttps, isReturnAddress } from '../provider-address.ts';

type Needed = 'authorizeUrl' | 'tokenUrl' | 'userInfoUrl' | 'subjectPlace' | 'clientAuth' | 'pkce';
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
  const authorizeParameters = [
    ...(preset?.settings.authorizeParameters ?? []),
    ...(settings.authorizeParameters ?? []),
  ];
  const complete = {
    clientAuth: 'basic' as const,
    pkce: true,
    ...(preset?.settings as Partial<OAuthSettings> | undefined),
    ...settings,
    authorizeParameters,
  };
  const names = authorizeParameters.map(({ name }) => name);
  const asked = preset?.asksParameters ?? [];
  return isComplete(complete) &&
    isSound(complete) &&
    names.every((name) => !ownParameters.has(name.toLowerCase())) &&
    asked.every((name) => names.includes(name))
    ? complete
    : undefined;
}

function isComplete(settings: OAuthSettings): settings is CompleteSettings {
  const { authorizeUrl, tokenUrl, userInfoUrl, subjectPlace, clientAuth, pkce } = settings;
  return [authorizeUrl, tokenUrl, userInfoUrl, subjectPlace, clientAuth, pkce].every(
    (needed) => needed !== undefined,
  );
}

function isSound(settings: CompleteSettings): boolean {
  const { authorizeUrl, tokenUrl, userInfoUrl, redirectUri, tenant, tenantPlace } = settings;
  return (
    [authorizeUrl, tokenUrl, userInfoUrl].every(isPlainHttps) &&
    isReturnAddress(redirectUri) &&
    // `tenantPlace` without `tenant` pins no tenant, and neither does `tenant` without `tenantPlace`.
    (tenant === undefined) === (tenantPlace === undefined)
  );
}
