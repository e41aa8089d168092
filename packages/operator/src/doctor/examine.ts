// Runs all checks, each with a timeout and independent of the others: a check that fails or hangs is a finding.
import { setTimeout as sleep } from 'node:timers/promises';
import { StartRefusal } from '@portcullis/server/base/values/start-refusal.ts';
import { reasonOf } from '@portcullis/server/compose/reason-of.ts';
import { type Check, type CheckInput, type Finding, skipped, wrong } from './check.ts';

export interface Result extends Finding {
  readonly id: string;
  readonly group: Check['group'];
  readonly title: string;
}

const deadlineMilliseconds = 8000;

/** Returns the results in the order of the checks. A check must come after the checks that it needs. */
export async function examine(
  input: CheckInput,
  checks: readonly Check[],
  deadline = deadlineMilliseconds,
): Promise<Result[]> {
  const made = new Map<string, { check: Check; finding: Promise<Finding> }>();
  for (const check of checks) {
    const needed = (check.needs ?? []).flatMap((id) => made.get(id) ?? []);
    made.set(check.id, { check, finding: look(input, check, needed, deadline) });
  }
  return await Promise.all(
    [...made.values()].map(async ({ check: { id, group, title }, finding }) => ({
      id,
      group,
      title,
      ...(await finding),
    })),
  );
}

async function look(
  input: CheckInput,
  check: Check,
  needed: readonly { check: Check; finding: Promise<Finding> }[],
  deadline: number,
): Promise<Finding> {
  for (const { check: before, finding } of needed) {
    const found = await finding;
    if (found.status === 'skipped') return found;
    if (found.status === 'wrong') return skipped(before.obstacle ?? `see ${before.title}`);
  }
  const ending = new AbortController();
  const late = wrong(
    `no answer within ${deadline / 1000} s`,
    'Look at the load of this host and of Postgres, and run `portcullis doctor` again.',
  );
  try {
    return await Promise.race([check.run(input), sleep(deadline, late, { signal: ending.signal })]);
  } catch (error) {
    const reasons = error instanceof StartRefusal ? error.reasons : [reasonOf(error)];
    return wrong('cannot be looked at', reasons.join(' '));
  } finally {
    ending.abort();
  }
}
