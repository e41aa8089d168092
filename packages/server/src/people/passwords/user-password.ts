// The password that somebody gives to somebody else: chosen and good enough, or made here and shown once.
import type { Caller } from '@portcullis/contract';
import type { PasswordOwner, PasswordRules } from './password-rules.ts';
import { createRandomPassword } from './random-password.ts';

/** The hashes that a caller may have made. */
export interface CallerHashes {
  /** Takes one of them; before any work that leads to it. */
  admit(caller: Caller): void;
  hash(caller: Caller, password: string): Promise<string>;
}

export interface UserPasswordOptions {
  readonly rules: PasswordRules;
  readonly hashes: CallerHashes;
  readonly randomBytes: (size: number) => Buffer;
}

export interface UserPassword {
  readonly passwordHash: string;
  /** To be shown; null where whoever gives it knows it already. */
  readonly made: string | null;
}

export type CreateUserPassword = (
  caller: Caller,
  chosen: string | undefined,
  owner: PasswordOwner,
) => Promise<UserPassword>;

export function createUserPasswords({ rules, hashes, randomBytes }: UserPasswordOptions): CreateUserPassword {
  return async (caller, chosen, owner) => {
    if (chosen !== undefined) rules.check(chosen, owner);
    const made = chosen === undefined ? createRandomPassword(randomBytes) : null;
    return { passwordHash: await hashes.hash(caller, chosen ?? made ?? ''), made };
  };
}
