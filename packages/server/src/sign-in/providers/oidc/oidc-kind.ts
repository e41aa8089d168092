// OpenID Connect as a kind of provider: the authorization code flow with state, nonce and PKCE, all derived from the handle that
// only the page has, so that none of them is stored. It validates the ID token, whose `sub` alone identifies the person.
import { OidcSettings, type ProviderFinding } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import { jwtVerify } from 'jose';
import { isStorable } from '../../../people/users/user-store.ts';
import { isPlainHttps, isReturnAddress } from '../provider-address.ts';
import type { OpenProvider, ProviderIdentity, ProviderKind, RedirectPurpose } from '../provider-kind.ts';
import { inspectWithTimeout, type ReportProvider, withTimeoutReported } from '../request-timeout.ts';
import { stateAndPkce } from '../state-and-pkce.ts';
import { readLogoutToken } from './logout-token.ts';
import { type OidcClients, signatures } from './oidc-client.ts';
import { readClaims } from './read-claims.ts';

interface OidcKindOptions {
  readonly clients: OidcClients;
  readonly report: ReportProvider;
}

export function createOidcKind({ clients, report }: OidcKindOptions): ProviderKind {
  const isSettings = compileSchema(OidcSettings);

  async function redeem(
    provider: OpenProvider,
    handle: string,
    purpose: RedirectPurpose,
    answer: string,
  ): Promise<ProviderIdentity> {
    const settings = provider.settings as OidcSettings;
    const { openId, configuration, keys } = await clients.get(provider);
    const url = new URL(settings.redirectUri);
    url.search = answer;
    const tokens = await openId.authorizationCodeGrant(configuration, url, {
      expectedState: proofOf(handle, purpose, 'state'),
      expectedNonce: proofOf(handle, purpose, 'nonce'),
      pkceCodeVerifier: proofOf(handle, purpose, 'verifier'),
      idTokenExpected: true,
    });
    // The token came over TLS, which is not enough: its signature must be valid too.
    const { payload } = await jwtVerify(String(tokens.id_token), keys, {
      issuer: settings.issuer,
      audience: settings.clientId,
      algorithms: signatures,
    });
    const claims = readClaims(payload, settings);
    if (claims === undefined || !isStorable(claims.subject))
      throw new Error('The claims are not acceptable.');
    return claims;
  }

  async function check(provider: OpenProvider): Promise<ProviderFinding[]> {
    const findings: ProviderFinding[] = [];
    const inspect = async (what: string, work: () => Promise<string>) =>
      findings.push(await inspectWithTimeout(what, work));
    await inspect('discovery', async () => {
      const server = (await clients.load(provider)).configuration.serverMetadata();
      const { authorization_endpoint: authorize, token_endpoint: token } = server;
      if (!isHttps(authorize) || !isHttps(token))
        throw new Error('It names no https addresses to sign in at.');
      const challenges = server.code_challenge_methods_supported;
      if (challenges !== undefined && !challenges.includes('S256'))
        throw new Error('It does not take PKCE with S256.');
      return server.backchannel_logout_supported === true
        ? 'It answers, and can end sessions here.'
        : 'It answers. It does not say that it ends sessions here: leavers stay until their token expires.';
    });
    if (findings.every(({ ok }) => ok))
      await inspect('keys', async () => {
        const { keys } = await clients.load(provider);
        // The key id does not exist: this call only finds out whether the provider publishes keys.
        try {
          await keys({ alg: 'RS256', kid: 'none' }, { payload: '', signature: '' });
        } catch (error) {
          if ((error as { code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error;
        }
        return 'Its keys can be read.';
      });
    findings.push({
      what: 'secret',
      ok: true,
      text:
        provider.secret === undefined
          ? 'There is none, or no master key opens it: this service shows itself by PKCE alone.'
          : 'There is one. Whether it is right shows at the first sign-in.',
    });
    return findings;
  }

  return {
    kind: 'oidc',
    accepts: (settings) => {
      const oidc: unknown = settings;
      return isSettings(oidc) && isPlainHttps(oidc.issuer) && isReturnAddress(oidc.redirectUri);
    },
    identityOf: (settings) => {
      const { issuer, clientId, tenant } = settings as OidcSettings;
      // Some providers give a person another subject at every client (pairwise subjects).
      return JSON.stringify([issuer, clientId, tenant?.claim, tenant?.value]);
    },
    addressOf: (settings) => (settings as OidcSettings).issuer,
    authorizationUrl: (provider, handle, purpose) =>
      withTimeoutReported(report, provider.key, async () => {
        const { clientId: _id, redirectUri, scopes = [] } = provider.settings as OidcSettings;
        const { openId, configuration } = await clients.get(provider);
        const url = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: ['openid', ...scopes.filter((scope) => scope !== 'openid')].join(' '),
          state: proofOf(handle, purpose, 'state'),
          nonce: proofOf(handle, purpose, 'nonce'),
          code_challenge: await openId.calculatePKCECodeChallenge(proofOf(handle, purpose, 'verifier')),
          code_challenge_method: 'S256',
        });
        if (url.protocol !== 'https:')
          throw new Error('The provider wants people at an address without TLS.');
        return url.href;
      }),
    handleCallback: (provider, handle, purpose, answer) =>
      withTimeoutReported(report, provider.key, () => redeem(provider, handle, purpose, answer)),
    readLogout: (provider, token, inSlot) => readLogoutToken(clients, provider, token, inSlot),
    check,
  };
}

function proofOf(handle: string, purpose: RedirectPurpose, what: 'state' | 'nonce' | 'verifier'): string {
  return stateAndPkce(handle, 'oidc', purpose, what);
}

function isHttps(address: string | undefined): boolean {
  return address !== undefined && URL.parse(address)?.protocol === 'https:';
}
