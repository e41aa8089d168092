// Services that speak OAuth 2 in their own way, made up: each answers in the shape that its public documents show, and lies
// where a test says so. None of it was compared with the real service.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { CertificateAuthority } from './certificate-authority.ts';

export type OAuthShape = 'github' | 'feishu' | 'dingtalk' | 'wecom';

/** Who signs in, as user-info has it. */
export type OAuthPerson = Readonly<Record<string, unknown>>;

type Answerer = (request: IncomingMessage, response: ServerResponse) => void;

/** How an answer breaks the rules. */
export interface OAuthLie {
  /** Answers in the place of the service where the code is redeemed, or about the person. */
  readonly token?: Answerer;
  readonly user?: Answerer;
  /** Added to what comes with the token. */
  readonly tokenFields?: OAuthPerson;
  /** Changes the answer to the browser. */
  readonly answer?: (query: URLSearchParams) => void;
  /** The service does not look at what the code was asked with. */
  readonly ignoresPkce?: boolean;
  /** It takes the code any number of times. */
  readonly keepsCode?: boolean;
  /** Whatever it is shown for a token next, it speaks of this person. */
  readonly takesAnyToken?: boolean;
}

export interface MadeUpOAuth {
  readonly origin: string;
  readonly shape: OAuthShape;
  readonly clientId: string;
  readonly secret: string;
  /** The addresses, in the place of the real ones. */
  readonly addresses: { authorizationUrl: string; tokenUrl: string; userInfoUrl: string };
  /** Where a browser was sent, and what it comes back with. */
  answer(url: string, person: OAuthPerson, lie?: OAuthLie): string;
  /** What was asked for, with the path. */
  readonly asked: string[];
  stop(): Promise<void>;
}

interface Granted {
  readonly challenge: string | null;
  readonly person: OAuthPerson;
  readonly lie: OAuthLie;
}

const clientId = 'portcullis';
const secret = 'a-secret-of-the-client-that-is-long-enough';
const appToken = 'token-of-the-app';
export const corp = 'corp-of-the-company';

export async function startMadeUpOAuth(
  authority: CertificateAuthority,
  shape: OAuthShape,
): Promise<MadeUpOAuth> {
  const server = createServer(await authority.certify());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const codes = new Map<string, Granted>();
  const tokens = new Map<string, Granted>();
  const isWeCom = shape === 'wecom';
  let anyToken: Granted | undefined;

  function take(code: string): Granted | undefined {
    const granted = codes.get(code);
    if (granted?.lie.keepsCode !== true) codes.delete(code);
    return granted;
  }

  async function redeem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await readFields(request);
    const granted = take(sent.code ?? '');
    anyToken = granted?.lie.takesAnyToken === true ? granted : undefined;
    if (granted?.lie.token !== undefined) return granted.lie.token(request, response);
    const id = sent.client_id ?? sent.clientId;
    const shown = sent.client_secret ?? sent.clientSecret;
    const challenge = createHash('sha256')
      .update(sent.code_verifier ?? '')
      .digest('base64url');
    const isAsked =
      granted?.lie.ignoresPkce === true || granted?.challenge === null || granted?.challenge === challenge;
    if (granted === undefined || !isAsked || id !== clientId || shown !== secret)
      return refuse(response, shape, 'bad_verification_code');
    const token = randomBytes(16).toString('hex');
    tokens.set(token, granted);
    const { tokenFields = {} } = granted.lie;
    reply(response, 200, { ...tokenOf(shape, token), ...tokenFields });
  }

  function tell(request: IncomingMessage, response: ServerResponse) {
    const header = shape === 'dingtalk' ? 'x-acs-dingtalk-access-token' : 'authorization';
    const carried = String(request.headers[header] ?? '').replace(/^Bearer /, '');
    const granted = tokens.get(carried) ?? anyToken;
    if (granted === undefined) return refuse(response, shape, 'unauthorized');
    if (granted.lie.user !== undefined) return granted.lie.user(request, response);
    const { person } = granted;
    reply(response, 200, shape === 'feishu' ? { code: 0, msg: 'success', data: person } : person);
  }

  /** WeCom: a token of the app, and with it the code identifies a person. */
  function tellCorp(url: URL, request: IncomingMessage, response: ServerResponse) {
    const given = url.searchParams;
    if (url.pathname === '/token') {
      const isOurs = given.get('corpid') === clientId && given.get('corpsecret') === secret;
      return reply(
        response,
        200,
        isOurs
          ? { errcode: 0, errmsg: 'ok', access_token: appToken, expires_in: 7200 }
          : { errcode: 40001, errmsg: 'invalid credential' },
      );
    }
    const granted = take(given.get('code') ?? '');
    if (granted?.lie.user !== undefined) return granted.lie.user(request, response);
    if (granted === undefined || given.get('access_token') !== appToken)
      return reply(response, 200, { errcode: 40029, errmsg: 'invalid code' });
    reply(response, 200, { errcode: 0, errmsg: 'ok', ...granted.person });
  }

  const made: MadeUpOAuth = {
    origin,
    shape,
    clientId,
    secret,
    addresses: {
      authorizationUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/token`,
      userInfoUrl: `${origin}/user`,
    },
    asked: [],
    answer(url, person, lie = {}) {
      const asked = new URL(url).searchParams;
      const code = randomBytes(16).toString('base64url');
      codes.set(code, { challenge: asked.get('code_challenge'), person, lie });
      const query = new URLSearchParams({
        [shape === 'dingtalk' ? 'authCode' : 'code']: code,
        state: asked.get('state') ?? '',
      });
      lie.answer?.(query);
      return query.toString();
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  server.on('request', (request, response) => {
    const url = new URL(request.url ?? '/', origin);
    made.asked.push(url.pathname);
    if (isWeCom) return tellCorp(url, request, response);
    if (url.pathname === '/token') return void redeem(request, response).catch(() => response.destroy());
    if (url.pathname === '/user') return tell(request, response);
    return reply(response, 404, {});
  });
  return made;
}

function tokenOf(shape: OAuthShape, token: string): object {
  if (shape === 'dingtalk')
    return { accessToken: token, refreshToken: 'unused', expireIn: 7200, corpId: corp };
  const standard = { access_token: token, scope: '' };
  return shape === 'feishu'
    ? { code: 0, ...standard, token_type: 'Bearer', expires_in: 7200 }
    : { ...standard, token_type: 'bearer' };
}

/** GitHub refuses a code with HTTP 200. */
function refuse(response: ServerResponse, shape: OAuthShape, error: string) {
  if (shape === 'github') return reply(response, error === 'unauthorized' ? 401 : 200, { error });
  if (shape === 'feishu') return reply(response, 400, { code: 20003, error: 'invalid_grant' });
  return reply(response, 400, { code: 'invalidParameter', message: error, requestid: 'made-up' });
}

async function readFields(request: IncomingMessage): Promise<Record<string, string | undefined>> {
  let text = '';
  for await (const piece of request) text += String(piece);
  const isJson = request.headers['content-type']?.startsWith('application/json') === true;
  return isJson
    ? (JSON.parse(text) as Record<string, string>)
    : Object.fromEntries(new URLSearchParams(text));
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
