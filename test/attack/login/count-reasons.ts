// How attempts ended, by the login log: `credentials_wrong`, `user_disabled` and `ok` stand for a password that was
// hashed, `throttled` and `captcha_wrong` for one that was never verified.
import { eventually } from '../../conformance/eventually.ts';
import type { Database } from '../../rig/create-database.ts';
import type { Answer } from '../../rig/http-client.ts';

type Headers = Readonly<Record<string, string | string[] | undefined>>;

export async function countReasons(
  database: Database,
  answers: readonly { readonly headers: Headers }[],
): Promise<Record<string, number>> {
  const ids = answers.map(({ headers }) => headers['x-request-id']);
  let reasons: Record<string, number> = {};
  // The log is written in the background.
  await eventually(async () => {
    const rows = await database.query<{ reason: string; count: number }>(
      'select reason, count(*)::int from login_log where request_id = any($1) group by reason',
      [ids],
    );
    reasons = Object.fromEntries(rows.map(({ reason, count }) => [reason, count]));
    return rows.reduce((sum, { count }) => sum + count, 0);
  }).toBe(answers.length);
  return reasons;
}

/** Attempts whose password was looked at. */
export async function countVerified(database: Database, answers: readonly Answer[]): Promise<number> {
  const { captcha_wrong = 0, params_invalid = 0, throttled = 0 } = await countReasons(database, answers);
  return answers.length - captcha_wrong - params_invalid - throttled;
}
