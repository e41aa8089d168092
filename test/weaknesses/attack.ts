// How the test of an attack says that the attack succeeded. On the sound service such a test fails by it, as by any wrong outcome.
// A control plants a weakness and requires it: an error, a time limit or a service that does not start is no success.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

export class AttackSucceeded extends Error {
  override readonly name = 'AttackSucceeded';
}

/** Says that the attack succeeded where it did. Belongs before what the test expects of the refusal. */
export function failIfAttackSucceeded(hasSucceeded: boolean, how: string): void {
  if (hasSucceeded) throw new AttackSucceeded(how);
}

/** For an attack that ends in one of few ways. */
export function expectAttackFails<T>(
  outcome: T,
  { success, failure }: { readonly success: T; readonly failure: T | readonly T[] },
): void {
  failIfAttackSucceeded(isDeepStrictEqual(outcome, success), `the outcome is ${JSON.stringify(outcome)}`);
  expect([failure].flat()).toContainEqual(outcome);
}
