// A user of the office, with a browser that keeps its cookies: logs in as the page does, and makes calls with the token.
import { setTimeout as sleep } from 'node:timers/promises';
import { captchaAnswer, solveCaptcha } from '../../rig/captcha.ts';
import type { Database } from '../../rig/create-database.ts';
import type { Answer, Request } from '../../rig/http-client.ts';
import { mostResent, note } from '../../rig/notes.ts';
import { password } from '../../rig/seed.ts';
import { size } from '../size.ts';

export type Send = (request: Request) => Promise<Answer>;

export interface Person {
  readonly username: string;
  /** `name=value` of the device's cookie; empty where it has none. */
  device: string;
  token: string;
}

/** Limited, refused because the store was away for a moment, or sent again with a captcha that was spent the first time. */
const isForNow = ({ body, headers }: Answer) =>
  body.code === 429 || body.code === 503 || headers['x-auth-reason'] === 'captcha_wrong';

/** One try, from the captcha on. */
export async function logIn(send: Send, database: Database, person: Person): Promise<Answer> {
  const headers = person.device === '' ? {} : { cookie: person.device };
  const captcha = await send({ path: '/api/v1/getCaptcha', headers });
  if (typeof captcha.body.id !== 'string') return captcha;
  await solveCaptcha(database, captcha.body.id);
  const body = { username: person.username, password, uuid: captcha.body.id, code: captchaAnswer };
  const answer = await send({ method: 'POST', path: '/api/v1/login', headers, body });
  if (typeof answer.body.token !== 'string') return answer;
  person.token = answer.body.token;
  const device = answer.headers['set-cookie']?.find((cookie) => /^(__Host-)?device=/.test(cookie));
  person.device = device?.split(';')[0] ?? '';
  return answer;
}

/** In a whole suite. At full size the limits of one address send some of five hundred people away for a second, as they should. */
const mostRetried = size({ small: mostResent, full: 50 * mostResent });

export interface LoginOutcome {
  readonly isIn: boolean;
  readonly tries: number;
  readonly milliseconds: number;
}

/** Retries as a person does: after the time that the answer gives. */
export async function logInPatiently(
  send: Send,
  database: Database,
  person: Person,
  patienceMilliseconds: number,
): Promise<LoginOutcome> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries += 1) {
    const answer = await logIn(send, database, person);
    const milliseconds = performance.now() - startedAt;
    const waitMilliseconds = 1000 * Number(answer.headers['retry-after'] ?? 1);
    if (!isForNow(answer)) return { isIn: answer.body.code === 200, tries, milliseconds };
    if (milliseconds + waitMilliseconds > patienceMilliseconds) return { isIn: false, tries, milliseconds };
    note(
      'retried',
      'a login of the office that was limited, unavailable or had a spent captcha',
      mostRetried,
    );
    await sleep(waitMilliseconds);
  }
}

export function callAs(send: Send, { token }: Person, request: Request): Promise<Answer> {
  return send({ ...request, headers: { ...request.headers, authorization: `Bearer ${token}` } });
}
