// The password that somebody gives to somebody else: chosen and good enough, or made here and shown once.
import type { PasswordOwner, PasswordRules } from './password-rules.ts';
import { createRandomPassword } from './random-password.ts';

export interface UserPasswordOptions {
  readonly rules: PasswordRules;
  readonly hashPassword: (password: string) => Promise<string>;
  readonly randomBytes: (size: number) => Buffer;
}

export interface UserPassword {
  readonly passwordHash: string;
  /** To be shown; null where whoever gives it knows it already. */
  readonly made: string | null;
}

export type CreateUserPassword = (chosen: string | undefined, owner: PasswordOwner) => Promise<UserPassword>;

export function createUserPasswords({
  rules,
  hashPassword,
  randomBytes,
}: UserPasswordOptions): CreateUserPassword {
  return async (chosen, owner) => {
    if (chosen !== undefined) rules.check(chosen, owner);
    const made = chosen === undefined ? createRandomPassword(randomBytes) : null;
    return { passwordHash: await hashPassword(chosen ?? made ?? ''), made };
  };
}
