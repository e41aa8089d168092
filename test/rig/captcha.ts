// Solves a captcha without reading the picture: the suite configured the master key, so it can store the HMAC of
// a chosen answer under the shown id.
import { createHmac, randomBytes } from 'node:crypto';
import type { Database } from './create-database.ts';
import { captchaKey } from './master-key.ts';

export const captchaAnswer = 'K7WQP';

const hmacOf = (id: string, answer: string) =>
  createHmac('sha256', captchaKey).update(`${id}:${answer.toUpperCase()}`).digest();

/** One that was never drawn, and lives longer than any test takes; its id. */
export async function writeCaptcha(database: Database, answer = captchaAnswer): Promise<string> {
  const id = randomBytes(16).toString('base64url');
  await database.query(
    `insert into captchas (id, answer_hmac, expires_at) values ($1, $2, now() + interval '1 hour')`,
    [id, hmacOf(id, answer)],
  );
  return id;
}

export async function solveCaptcha(database: Database, id: string, answer = captchaAnswer): Promise<void> {
  const solved = await database.query('update captchas set answer_hmac = $2 where id = $1 returning id', [
    id,
    hmacOf(id, answer),
  ]);
  if (solved.length !== 1) throw new Error(`There is no captcha ${id}.`);
}
