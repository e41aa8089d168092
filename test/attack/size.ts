// How large a test is: small enough for every change, or as large as docs/explanation/security.md names it.
const isFull = process.env.ATTACK_FULL === 'true';

export function size({ small, full }: { readonly small: number; readonly full: number }): number {
  return isFull ? full : small;
}
