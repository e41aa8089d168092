// OAuth 2 without OpenID Connect as a kind of provider. Nothing in the answer is signed, so the person is read from the userinfo
// endpoint of the settings, over TLS. State and PKCE are derived from the handle, which only the page has.
import { createHash } from 'node:crypto';
import { oauthPresets, type ProviderFinding } from '@portcullis/contract';
import type { ProviderFetch } from '../provider-fetch.ts';
import type { OpenProvider, ProviderIdentity, ProviderKind, RedirectPurpose } from '../provider-kind.ts';
import { inspectWithTimeout, type ReportProvider, withTimeoutReported } from '../request-timeout.ts';
import { stateAndPkce } from '../state-and-pkce.ts';
import { type CompleteSettings, completeSettings } from './complete-settings.ts';
import { createCorpExchanges } from './corp-exchange.ts';
import { type Answered, readAnswer } from './read-answer.ts';
import { readUser } from './read-user.ts';
import { createTokenExchange, redeemCode } from './redeem-code.ts';

interface OAuthKindOptions {
  readonly fetch: ProviderFetch;
  readonly now: () => number;
  readonly report: ReportProvider;
}

/** GitHub rejects requests without a user agent. */
const agent = { accept: 'application/json', 'user-agent': 'portcullis' };
const printable = /^[\x20-\x7e]+$/;

export function createOAuthKind({ fetch, now, report }: OAuthKindOptions): ProviderKind {
  const corpExchange = createCorpExchanges({ fetch, now });

  async function askUser(settings: CompleteSettings, accessToken: unknown): Promise<Answered> {
    const { userInfoUrl, tokenHeader, statusPath } = settings;
    if (!printable.test(String(accessToken))) throw new Error('Its access token does not fit in a header.');
    const authorization =
      tokenHeader === undefined
        ? { authorization: `Bearer ${accessToken}` }
        : { [tokenHeader]: String(accessToken) };
    return await readAnswer(
      await fetch(userInfoUrl, { headers: { ...agent, ...authorization } }),
      statusPath,
    );
  }

  async function redeem(
    provider: OpenProvider,
    handle: string,
    purpose: RedirectPurpose,
    answer: string,
  ): Promise<ProviderIdentity> {
    const settings = settingsOf(provider);
    const exchange =
      settings.clientAuth === 'corp'
        ? corpExchange(provider, settings)
        : createTokenExchange(fetch, settings);
    const { secret } = provider;
    const state = stateAndPkce(handle, 'oauth', purpose, 'state');
    const verifier = stateAndPkce(handle, 'oauth', purpose, 'verifier');
    const { accessToken, token, user } = await redeemCode(
      { settings, secret, answer, state, verifier },
      exchange,
    );
    const identity = readUser(user ?? (await askUser(settings, accessToken)), token, settings);
    if (identity === undefined) throw new Error('It names no person, or a person of another tenant.');
    return identity;
  }

  return {
    kind: 'oauth',
    accepts: (settings) => completeSettings(settings) !== undefined,
    identityOf(given) {
      const settings = completeSettings(given);
      const { authorizationUrl, tokenUrl, userInfoUrl, clientId, subjectPath } = settings ?? {};
      const { tenant, tenantPath, tenantIn } = settings ?? {};
      return JSON.stringify([
        ...[authorizationUrl, tokenUrl, userInfoUrl, clientId, subjectPath],
        ...[tenant, tenantPath, tenantIn],
      ]);
    },
    addressOf(given) {
      const { tokenUrl, userInfoUrl } = completeSettings(given) ?? {};
      return JSON.stringify([tokenUrl, userInfoUrl]);
    },
    authorizationUrl: (provider, handle, purpose) =>
      withTimeoutReported(report, provider.key, async () =>
        authorizationUrlOf(settingsOf(provider), handle, purpose),
      ),
    handleCallback: (provider, handle, purpose, answer) =>
      withTimeoutReported(report, provider.key, () => redeem(provider, handle, purpose, answer)),
    async check(provider) {
      const settings = completeSettings(provider.settings);
      if (settings === undefined) return [{ what: 'settings', ok: false, text: 'They are not enough.' }];
      const ask = async (url: string, method: string) => {
        await fetch(url, { method, headers: agent });
        return 'It answers over TLS.';
      };
      const method = settings.clientAuth === 'corp' ? 'GET' : 'POST';
      return [
        await inspectWithTimeout('tokenUrl', () => ask(settings.tokenUrl, method)),
        await inspectWithTimeout('userInfoUrl', () => ask(settings.userInfoUrl, 'GET')),
        ...findingsOf(settings, provider.secret),
      ];
    },
  };
}

function settingsOf({ settings }: OpenProvider): CompleteSettings {
  const complete = completeSettings(settings);
  if (complete === undefined) throw new Error('The settings are not enough.');
  return complete;
}

function authorizationUrlOf(settings: CompleteSettings, handle: string, purpose: RedirectPurpose): string {
  const { clientAuth, clientId, redirectUri, scopes = [], pkce, authorizationParameters = [] } = settings;
  const url = new URL(settings.authorizationUrl);
  const challenge = createHash('sha256').update(stateAndPkce(handle, 'oauth', purpose, 'verifier'));
  const parameters = {
    ...Object.fromEntries(authorizationParameters.map(({ name, value }) => [name, value])),
    ...(clientAuth === 'corp' ? { appid: clientId } : { response_type: 'code', client_id: clientId }),
    redirect_uri: redirectUri,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    state: stateAndPkce(handle, 'oauth', purpose, 'state'),
    ...(pkce && { code_challenge: challenge.digest('base64url'), code_challenge_method: 'S256' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** The results of a check that need no request, and what a check cannot find out before the first login. */
function findingsOf(settings: CompleteSettings, secret: string | undefined): ProviderFinding[] {
  const { preset, clientAuth, pkce, tenant } = settings;
  const isPublic = secret === undefined && pkce && clientAuth !== 'corp';
  const said: [what: string, text: string][] = [
    [
      'sign-in',
      'Nothing more can be known before the first sign-in: it shows whether secret, scopes and places are right.',
    ],
    [
      'leavers',
      'It never says that a person left. They are out when you disable them here or end the link; `lifetimeSeconds` says how long a session lives otherwise.',
    ],
  ];
  if (preset !== undefined && !oauthPresets[preset].tried)
    said.push([
      'preset',
      `${oauthPresets[preset].title}: from the public documents, not tried against the real service.`,
    ]);
  if (tenant === undefined && clientAuth !== 'corp')
    said.push(['tenant', 'None is pinned: every account there can log in.']);
  if (!pkce) said.push(['pkce', 'It is off: a stolen code can be used.']);
  return [
    secret !== undefined
      ? { what: 'secret', ok: true, text: 'There is one.' }
      : {
          what: 'secret',
          ok: isPublic,
          text: 'There is none, or no master key opens it: this service would show itself by PKCE alone.',
        },
    ...said.map(([what, text]) => ({ what, ok: true, text })),
  ];
}
