// Reads whether an account of a directory is active, disabled or expired. A value that cannot be read never counts as active.
// A temporary lockout after wrong passwords counts as active: otherwise an attacker could end the sessions of other people.
import type { Dialect } from './directory-settings.ts';

export const accountStates = ['active', 'disabled', 'expired'] as const;
export type AccountState = (typeof accountStates)[number];

type ReadText = (attribute: string) => string | undefined;

const disabledBit = 2n;
/** From 1601 to 1970, in units of 100 nanoseconds, as Active Directory counts time. */
const epochOffset = 116_444_736_000_000_000n;
/** `accountExpires` of an account that does not expire. */
const never = [0n, 9_223_372_036_854_775_807n];
/** Set by an administrator who locks an account permanently (draft-behera-ldap-password-policy). */
const lockedForGood = /^000001010000(00)?Z$/;
const dayMilliseconds = 86_400_000;

export function readAccountState(dialect: Dialect, read: ReadText, now: number): AccountState {
  return dialect === 'ad' ? readActiveDirectory(read, now) : readOther(read, now);
}

function readActiveDirectory(read: ReadText, now: number): AccountState {
  const control = parseInteger(read('userAccountControl'));
  if (control === undefined || (control & disabledBit) !== 0n) return 'disabled';
  const expires = parseInteger(read('accountExpires') ?? '0');
  if (expires === undefined) return 'expired';
  if (never.includes(expires)) return 'active';
  return (expires - epochOffset) / 10_000n <= BigInt(Math.floor(now)) ? 'expired' : 'active';
}

function readOther(read: ReadText, now: number): AccountState {
  const locked = read('nsAccountLock');
  if (locked !== undefined && locked.toLowerCase() !== 'false') return 'disabled';
  if (lockedForGood.test(read('pwdAccountLockedTime') ?? '')) return 'disabled';
  const expires = parseInteger(read('shadowExpire') ?? '-1');
  if (expires === undefined) return 'expired';
  return expires >= 0n && Number(expires) * dayMilliseconds <= now ? 'expired' : 'active';
}

function parseInteger(text: string | undefined): bigint | undefined {
  return text !== undefined && /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}
