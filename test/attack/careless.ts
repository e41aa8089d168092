// Controls of whole files: their services run without what stands against the attacks, and every row must fail, because its
// attack succeeds. `npm run attack -- --careless`.
import type { TestCase } from 'vitest/node';

const isCareless = process.env.ATTACK_CARELESS === 'true';

/** For the options of a service: the script that runs it with `runCarelessly`, where this is a run of controls. */
export function orCarelessly(script: string): { readonly script?: string } {
  return isCareless ? { script } : {};
}

/** Triggers and unique indexes stand against attacks as well. */
export async function openCarelessly(
  database: { query(text: string): Promise<unknown> },
  statements: readonly string[],
): Promise<void> {
  if (isCareless) for (const statement of statements) await database.query(statement);
}

/** What an honest step is expected to end with, as the runner writes it: a row that fails by that shows nothing of its attack. */
const honest: readonly unknown[] = ['in', '200', 'true'];

/** What a service gives that does not work: no attack got in, whatever the row expected instead. */
const broken: readonly unknown[] = ['unavailable', '500', '503'];

/** How the attack of a row succeeded; undefined where it did not. */
export function howItSucceeded(test: TestCase): string | undefined {
  const { state, errors = [] } = test.result();
  const [error] = errors;
  if (state !== 'failed' || error?.name !== 'AssertionError') return undefined;
  const { expected, actual } = error;
  if (honest.includes(expected) && expected !== actual) return undefined;
  if (broken.includes(actual)) return undefined;
  return `got ${JSON.stringify(actual)}, and should ${expected === actual ? 'not' : `have got ${JSON.stringify(expected)}`}`;
}
