// The password that an administrator assigns to a user: either chosen, and then checked by the password policy, or generated here
// and shown once.
import type { Caller } from '@portcullis/contract';
import type { PasswordOwner, PasswordRules } from './password-rules.ts';
import { createRandomPassword } from './random-password.ts';

/** Password hashing with a rate limit for each caller. */
export interface CallerHashes {
  /** Counts one hash; throws over the limit. Called before the work that precedes the hash. */
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
  /** The generated password, to be shown once; null if the administrator chose the password. */
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
