// How large a test is: small enough for every change, or as large as docs/explanation/security.md names it.
import { note } from '../rig/notes.ts';

const isFull = process.env.ATTACK_FULL === 'true';

/** For a service under test that is not started by `startService`, which does the same. */
export const patience = { RIG_PATIENCE: process.env.PORTCULLIS_TEST_PATIENCE ?? '' };
/** For one whose own limits of time on Postgres are looked at. */
export const productPatience = { RIG_PATIENCE: '' };

export function size({ small, full }: { readonly small: number; readonly full: number }): number {
  return isFull ? full : small;
}

/** Whether a check that needs the full size is made; where it is not, the closing line counts it. */
export function isJudgedAtFullSize(what: string): boolean {
  if (!isFull) note('not judged', `${what}, at full size alone`);
  return isFull;
}
