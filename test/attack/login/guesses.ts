// Guessing from a network of one's choice: behind a trusted proxy by its header, and from an address of one's own
// without. Time that a guesser would have to wait is made to pass in the throttle's rows.
import { request as openRequest } from 'node:http';
import type { Database } from '../../rig/create-database.ts';
import { type Answer, type HttpClient, parseObject } from '../../rig/http-client.ts';

export const loginPath = '/api/v1/login';

interface Guess {
  readonly username: string;
  readonly password?: string;
  /** X-Forwarded-For, as the proxy in front sends it. */
  readonly network?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function guess(
  client: Pick<HttpClient, 'send'>,
  { username, password = 'wrong', network, headers }: Guess,
): Promise<Answer> {
  return client.send({
    method: 'POST',
    path: loginPath,
    headers: { ...(network === undefined ? {} : { 'x-forwarded-for': network }), ...headers },
    body: { username, password },
  });
}

/** The same over a connection that comes from this address of the machine. */
export function guessFrom(localAddress: string, port: number, username: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  openRequest(
    {
      host: '127.0.0.1',
      port,
      localAddress,
      agent: false,
      method: 'POST',
      path: loginPath,
      headers: { 'content-type': 'application/json' },
    },
    async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      const { statusCode: status = 0, headers } = response;
      resolve({ request: { path: loginPath }, status, headers, text, body: parseObject(text) });
    },
  )
    .on('error', reject)
    .end(JSON.stringify({ username, password: 'wrong' }));
  return promise;
}

/** As if the last failures were so much longer ago. */
export async function passTime(database: Database, seconds: number): Promise<void> {
  await database.query('update throttle set failed_at = failed_at - make_interval(secs => $1)', [seconds]);
}

export async function forgetGuesses(database: Database): Promise<void> {
  await database.query('delete from throttle');
}

/** What a guesser sees of an answer: the code, and how long to wait. */
export function summaryOf({ body, headers }: Answer): string {
  const wait = headers['retry-after'];
  return wait === undefined ? `${body.code}` : `${body.code} wait ${wait}`;
}
