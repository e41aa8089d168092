// An OpenID provider made of a few lines, which keeps to the rules unless a test has it break one. It checks what a real one
// checks: the client's secret, PKCE, and that a code is good once.
import { createHash, randomBytes } from 'node:crypto';
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import type { CertificateAuthority } from './certificate-authority.ts';

export type Claims = Record<string, unknown>;

/** How an answer breaks the rules. */
export interface Lie {
  /** Added to the ID token; undefined leaves one out. */
  readonly claims?: Claims;
  /** Makes the token itself, of the claims that it would have. */
  readonly sign?: (claims: Claims) => Promise<string> | string;
  /** Answers at the token endpoint in place of the provider. */
  readonly token?: (request: IncomingMessage, response: ServerResponse) => void;
  /** It takes the code any number of times. */
  readonly keepsCode?: boolean;
  /** Changes the answer to the browser. */
  readonly answer?: (query: URLSearchParams) => void;
}

export interface MadeUpProvider {
  readonly issuer: string;
  /** The same without TLS. */
  readonly plainAddress: string;
  readonly clientId: string;
  readonly secret: string;
  /** Where a browser was sent, and what it comes back with. */
  answer(url: string, claims: Claims, lie?: Lie): string;
  /** Signed as everything of it is. */
  sign(claims: Claims, header?: Claims): Promise<string>;
  logoutToken(claims: Claims, header?: Claims): Promise<string>;
  /** Signs with the key of this moment, for good. */
  signer(): (claims: Claims) => Promise<string>;
  /** New keys; the ones before are published no more. */
  rotate(): Promise<void>;
  /** Of the key that signs. */
  publicKey(): JWK;
  /** Changes what discovery says, until it is changed back. */
  document: Claims;
  /** Answers every request in place of the provider while it is set. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Answers a request that was held back. */
  answerRequest(request: IncomingMessage, response: ServerResponse): void;
  /** The paths that were asked for. */
  readonly asked: string[];
  stop(): Promise<void>;
}

interface Granted {
  readonly challenge: string;
  readonly nonce: string;
  readonly claims: Claims;
  readonly lie: Lie;
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
const clientId = 'portcullis';
const secret = 'a-secret-of-the-client-that-is-long-enough';
const seconds = () => Math.floor(Date.now() / 1000);

export async function startMadeUpProvider(authority: CertificateAuthority): Promise<MadeUpProvider> {
  const server = createServer(await authority.certify());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const plain = createPlainServer((request, response) => void server.emit('request', request, response));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  const granted = new Map<string, Granted>();
  let key = await makeKey();

  async function sign(claims: Claims, header: Claims = {}): Promise<string> {
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: String(key.jwk.kid), ...header })
      .sign(key.privateKey);
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await read(request));
    const code = form.get('code') ?? '';
    const grant = granted.get(code);
    if (grant?.lie.keepsCode !== true) granted.delete(code);
    if (grant?.lie.token !== undefined) return grant.lie.token(request, response);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const [, basic = ''] = /^Basic (.+)$/.exec(request.headers.authorization ?? '') ?? [];
    const client = Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent);
    if (client.join(':') !== `${clientId}:${secret}`)
      return reply(response, 401, { error: 'invalid_client' });
    if (grant === undefined || (grant.challenge !== '' && grant.challenge !== challenge))
      return reply(response, 400, { error: 'invalid_grant' });
    const now = seconds();
    const claims: Claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.claims,
      ...grant.lie.claims,
    };
    const id_token = await (grant.lie.sign ?? sign)(claims);
    reply(response, 200, { access_token: 'none', token_type: 'Bearer', expires_in: 60, id_token });
  }

  const made: MadeUpProvider = {
    issuer,
    plainAddress: `http://localhost:${(plain.address() as AddressInfo).port}`,
    clientId,
    secret,
    document: {},
    instead: undefined,
    answerRequest,
    asked: [],
    answer(url, claims, lie = {}) {
      const asked = new URL(url).searchParams;
      const code = randomBytes(16).toString('base64url');
      granted.set(code, {
        challenge: asked.get('code_challenge') ?? '',
        nonce: asked.get('nonce') ?? '',
        claims,
        lie,
      });
      const query = new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer });
      lie.answer?.(query);
      return query.toString();
    },
    sign,
    logoutToken: (claims, header = {}) =>
      sign(
        {
          iss: issuer,
          aud: clientId,
          iat: seconds(),
          exp: seconds() + 120,
          jti: randomBytes(12).toString('hex'),
          events: { [logoutEvent]: {} },
          ...claims,
        },
        { typ: 'logout+jwt', ...header },
      ),
    signer() {
      const { privateKey, jwk } = key;
      return (claims) =>
        new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: String(jwk.kid) }).sign(privateKey);
    },
    async rotate() {
      key = await makeKey();
    },
    publicKey: () => key.jwk,
    async stop() {
      for (const each of [server, plain]) {
        each.closeAllConnections();
        await new Promise<void>((resolve) => each.close(() => resolve()));
      }
    },
  };
  server.on('request', (request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    made.asked.push(path);
    if (made.instead !== undefined) return made.instead(request, response);
    answerRequest(request, response);
  });
  function answerRequest(request: IncomingMessage, response: ServerResponse): void {
    const [path = ''] = (request.url ?? '').split('?');
    if (path === '/token') void redeem(request, response).catch(() => response.destroy());
    else if (path === '/keys') reply(response, 200, { keys: [key.jwk] });
    else if (path === '/.well-known/openid-configuration') reply(response, 200, documentOf());
    else reply(response, 404, {});
  }
  function documentOf(): Claims {
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      ...made.document,
    };
  }
  return made;
}

async function makeKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const kid = randomBytes(6).toString('hex');
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' } };
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}
