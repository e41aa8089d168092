// A real OpenID provider: npm `oidc-provider`, over TLS, with people who only have to say who they are.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Provider, { type Configuration, interactionPolicy } from 'oidc-provider';
import type { CertificateAuthority } from './certificate-authority.ts';

export interface OpenIdProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string;
  /** Tells the service that sessions have ended, as the provider does; resolves with the status of the answer. */
  sendLogout(ended: { readonly sub: string; readonly sid?: string | undefined }): Promise<number>;
  /** The sessions that it knows, by person. */
  readonly sessions: ReadonlyMap<string, string>;
  /** The last logout token that it sent. */
  lastLogoutToken(): string;
  stop(): Promise<void>;
}

interface OpenIdProviderOptions {
  readonly authority: CertificateAuthority;
  readonly redirectUri: string;
  /** Where the service takes logouts; asked when one is sent. */
  readonly logoutUri: string;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly port?: number;
}

const clientId = 'portcullis';
const secret = 'a-secret-of-the-client-that-is-long-enough';

export async function startOpenIdProvider(options: OpenIdProviderOptions): Promise<OpenIdProvider> {
  const { authority, redirectUri, logoutUri, claims = {} } = options;
  const server = createServer(await authority.certify());
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const sessions = new Map<string, string>();
  let lastStatus = 0;
  let lastToken = '';
  const configuration: Configuration = {
    clients: [
      {
        client_id: clientId,
        client_secret: secret,
        redirect_uris: [redirectUri],
        response_types: ['code'],
        grant_types: ['authorization_code'],
        backchannel_logout_uri: logoutUri,
        backchannel_logout_session_required: true,
      },
    ],
    cookies: { keys: ['one key of a test'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub', ...Object.keys(claims)], profile: ['preferred_username', 'email'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
    },
    interactions: { policy: interactionPolicy.base(), url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, sub) => ({
      accountId: sub,
      claims: () => ({ sub, preferred_username: sub, email: `${sub}@example.com`, ...claims }),
    }),
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile');
      await grant.save();
      return grant;
    },
    // It would call no loopback address automatically.
    async fetch(url, init) {
      const { body } = init as { body?: unknown };
      lastToken = new URLSearchParams(String(body)).get('logout_token') ?? '';
      const { dispatcher: _dispatcher, ...plain } = init as Record<string, unknown>;
      const answer = await fetch(String(url), plain as RequestInit);
      lastStatus = answer.status;
      return answer;
    },
  };
  const provider = new Provider(issuer, configuration);
  provider.on('grant.success', ({ oidc }) => {
    const {
      IdToken: _token,
      Session,
      AuthorizationCode: code,
    } = oidc.entities as Record<string, { accountId?: string; sid?: string } | undefined>;
    const sub = code?.accountId ?? Session?.accountId;
    if (sub !== undefined && code?.sid !== undefined) sessions.set(sub, code.sid);
  });
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const [, uid] = /^\/interaction\/([\w-]+)$/.exec(request.url ?? '') ?? [];
    if (uid === undefined) return handle(request, response);
    if (request.method !== 'POST')
      return response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          '<!doctype html><title>Provider</title><form method="post"><label>Account <input name="account" autofocus></label><button>Sign in</button></form>',
        );
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      const accountId = new URLSearchParams(body).get('account') ?? '';
      provider
        .interactionFinished(request, response, { login: { accountId } }, { mergeWithLastSubmission: false })
        .catch((error: unknown) => response.writeHead(500).end(String(error)));
    });
    return undefined;
  });
  return {
    issuer,
    clientId,
    secret,
    sessions,
    async sendLogout({ sub, sid }) {
      const client = await provider.Client.find(clientId);
      const sending = client as unknown as { backchannelLogout(sub: string, sid?: string): Promise<void> };
      lastStatus = 0;
      await sending.backchannelLogout(sub, sid).catch(() => {});
      return lastStatus;
    },
    lastLogoutToken: () => lastToken,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
