// Everything that a suite needs at once: a seeded database, the running server, a client that remembers what it
// was answered, and logins.

import { captchaAnswer, writeCaptcha } from './captcha.ts';
import { createDatabase, type Database } from './create-database.ts';
import type { Answer, Request } from './http-client.ts';
import { createHttpClient } from './http-client.ts';
import { type RawAnswer, sendRaw } from './raw-socket.ts';
import { password, seed, type Username } from './seed.ts';
import { type Server, startServer } from './start-server.ts';
import {
  type Claims,
  decodeToken,
  findTokens,
  readPublicKeys,
  readSigningKey,
  type SigningKey,
} from './tokens.ts';

export interface Service {
  readonly mode: string;
  readonly database: Database;
  readonly server: Server;
  send(request: Request): Promise<Answer>;
  /** Bytes as they are, over a socket of their own. */
  raw(bytes: string | Buffer, options?: { untilClosed?: boolean }): Promise<RawAnswer>;
  /** POST login with this body; JSON. */
  postLogin(body: unknown): Promise<Answer>;
  /** A captcha that waits for `captchaAnswer`, as the fields of a login; none where the mode skips it. */
  solvedCaptcha(): Promise<{ uuid?: string; code?: string }>;
  logIn(username: string, password?: string): Promise<Answer>;
  /** A live token of the user, the same for every caller: log in anew for one that is to be ended. */
  tokenOf(username: Username): Promise<string>;
  claimsOf(username: Username): Promise<Claims>;
  signingKey(): Promise<SigningKey>;
  /** How many business handlers were entered so far. */
  countEntries(): Promise<number>;
  /** Every answer but login's that held something that verifies as a token, as `METHOD /path`. */
  findLeakedTokens(): Promise<string[]>;
  /** Stops the server and drops the database; a second call waits for the first. */
  stop(): Promise<void>;
}

export interface ServiceOptions {
  readonly mode: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Instead of the business service of the rig. */
  readonly script?: string;
}

/** See patient-pool.ts. */
const patience = { RIG_PATIENCE: process.env.PORTCULLIS_TEST_PATIENCE ?? '' };

export async function startService({ mode, settings, script }: ServiceOptions): Promise<Service> {
  const database = await createDatabase({ migrated: true });
  try {
    await seed(database);
    const server = await startServer({
      databaseUrl: database.url,
      settings: { APPLICATION_MODE: mode, ...patience, ...settings },
      ...(script === undefined ? {} : { script }),
    });
    return createService(mode, database, server);
  } catch (error) {
    await database.drop();
    throw error;
  }
}

function createService(mode: string, database: Database, server: Server): Service {
  const isDev = mode === 'dev';
  // Whoever waits for five seconds before the next request meets a connection that the server closes.
  const client = createHttpClient(server.port, { remembers: true, resends: true });
  const rawAnswers: RawAnswer[] = [];
  const tokens = new Map<Username, Promise<string>>();
  const { send } = client;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    client.close();
    await server.stop();
    await database.drop();
  }

  const postLogin = (body: unknown) => send({ method: 'POST', path: '/api/v1/login', body });
  async function solvedCaptcha() {
    if (isDev) return {};
    return { uuid: await writeCaptcha(database), code: captchaAnswer };
  }
  const logIn = async (username: string, secret = password) =>
    await postLogin({ username, password: secret, ...(await solvedCaptcha()) });
  async function freshToken(username: Username): Promise<string> {
    const { body, text } = await logIn(username);
    if (typeof body.token !== 'string') throw new Error(`${username} cannot log in: ${text}`);
    return body.token;
  }
  function tokenOf(username: Username): Promise<string> {
    const token = tokens.get(username) ?? freshToken(username);
    tokens.set(username, token);
    return token;
  }
  async function findLeakedTokens(): Promise<string[]> {
    const keys = await readPublicKeys(database);
    const holdsToken = (text: string) => findTokens(text, keys).length > 0;
    return [
      ...client.answers
        .filter(
          (answer) => !isLoginSuccess(answer) && holdsToken(JSON.stringify(answer.headers) + answer.text),
        )
        .map(({ request }) => `${request.method ?? 'GET'} ${request.path}`),
      ...rawAnswers.filter(({ raw }) => holdsToken(raw)).map(({ raw }) => raw),
    ];
  }

  return {
    mode,
    database,
    server,
    send,
    async raw(bytes, options) {
      const answer = await sendRaw(server.port, bytes, options);
      rawAnswers.push(answer);
      return answer;
    },
    postLogin,
    solvedCaptcha,
    logIn,
    tokenOf,
    claimsOf: async (username) => decodeToken(await tokenOf(username)).claims,
    signingKey: () => readSigningKey(database, { dev: isDev }),
    async countEntries() {
      const { body } = await send({ path: '/api/v1/entries' });
      return (body.data as { entries: number }).entries;
    },
    findLeakedTokens,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

function isLoginSuccess({ request, body }: Answer): boolean {
  return request.method === 'POST' && request.path === '/api/v1/login' && body.code === 200;
}
