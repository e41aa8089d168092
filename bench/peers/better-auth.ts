// Starts better-auth as a process with a separate database, signs its users up and logs them in.
import { createDatabase, type Database } from '../../test/rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../../test/rig/http-client.ts';
import { type ServerProcess, startServer } from '../http/server-process.ts';
import { password } from '../login/fixture.ts';

export const betterAuthUsers = 50;
const emailOf = (user: number) => `user-${user % betterAuthUsers}@example.com`;
/** better-auth refuses requests from other origins. */
const headers = { origin: 'http://127.0.0.1' };

interface BetterAuth {
  readonly server: ServerProcess;
  readonly database: Database;
  /** The cookies of every user, in the form in which a browser sends them. */
  logInAll(): Promise<string[]>;
  drop(): Promise<void>;
}

interface Options {
  readonly name: string;
  readonly words: readonly string[];
  readonly secret: string;
  readonly isFree?: boolean;
}

export async function startBetterAuth({ words, secret, ...options }: Options): Promise<BetterAuth> {
  const database = await createDatabase({ migrated: false });
  const server = await startServer({
    ...options,
    file: '../peers/better-auth-server.ts',
    arguments: ['--migrate', ...words],
    environment: { DATABASE_URL: database.url, PEER_SECRET: secret, NODE_ENV: 'production' },
  });
  const client = createHttpClient(server.port, { remembers: false });
  for (let user = 0; user < betterAuthUsers; user += 1) await signUp(client, user);
  await database.query(`update "user" set role = 'clerk'`);
  return {
    server,
    database,
    async logInAll() {
      const cookies: string[] = [];
      for (let user = 0; user < betterAuthUsers; user += 1) cookies.push(await logInToPeer(client, user));
      return cookies;
    },
    async drop() {
      client.close();
      await database.drop();
    },
  };
}

async function signUp(client: HttpClient, user: number): Promise<void> {
  const body = { email: emailOf(user), password, name: `user-${user}` };
  const { status, text } = await client.send({
    method: 'POST',
    path: '/api/auth/sign-up/email',
    headers,
    body,
  });
  if (status !== 200) throw new Error(`${body.email} cannot sign up: ${text}`);
}

/** Returns the cookies. */
export async function logInToPeer(client: HttpClient, user: number): Promise<string> {
  const body = { email: emailOf(user), password };
  const answer = await client.send({ method: 'POST', path: '/api/auth/sign-in/email', headers, body });
  if (answer.status !== 200) throw new Error(`${body.email} cannot log in: ${answer.text}`);
  return (answer.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');
}
