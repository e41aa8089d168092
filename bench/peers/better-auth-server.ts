// Express with better-auth on Postgres, set up as in its documentation: login by e-mail and password, and one route
// with a role check. `--cookie-cache` keeps the session in a signed cookie, so that a request does not query Postgres.
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node';
import express from 'express';
import pg from 'pg';
import { hello, helloEndpoint } from '../http/hello.ts';

const baseURL = 'http://127.0.0.1';
const database = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  application_name: 'better-auth',
});
const auth = betterAuth({
  baseURL,
  secret: process.env.PEER_SECRET ?? '',
  database,
  emailAndPassword: { enabled: true },
  user: { additionalFields: { role: { type: 'string', required: false, input: false } } },
  // Longer than the default of five minutes, so that no session ends during a run.
  session: { cookieCache: { enabled: process.argv.includes('--cookie-cache'), maxAge: 3600 } },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { disabled: true },
});
if (process.argv.includes('--migrate')) await (await getMigrations(auth.options)).runMigrations();

const allowed = new Map([['clerk', new Set([`GET ${helloEndpoint.path}`])]]);
const app = express();
app.all('/api/auth/*splat', toNodeHandler(auth));
app.get(helloEndpoint.path, async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) });
  const may = allowed.get(session?.user.role ?? '')?.has(`${request.method} ${request.path}`);
  if (may === true) response.json({ code: 200, msg: 'success', data: hello });
  else response.json({ code: 401, msg: 'refused' });
});
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ msg: 'ready', port: (server.address() as { port: number }).port }));
});
