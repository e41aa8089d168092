// What a control shows: in every test that it names, the attack succeeded, and the test says so itself.
import type { ControlAnswer, TestOutcome } from './control-worker.ts';

export interface Verdict {
  readonly result: 'succeeded' | 'failed' | 'not judged';
  /** Of each test why it shows nothing. */
  readonly problems: readonly string[];
}

export function judgeControl(attacks: readonly string[], answer: ControlAnswer | undefined): Verdict {
  if (answer === undefined) return { result: 'failed', problems: ['by the time limit of a control'] };
  const { outcomes, faults } = answer;
  const unknown = attacks.filter((attack) => !outcomes.some(({ title }) => title.includes(attack)));
  const judged = outcomes.filter(({ isLeftOut }) => !isLeftOut);
  const problems = [
    ...faults,
    ...unknown.map((attack) => `No test has ${JSON.stringify(attack)} in its title.`),
    ...judged.flatMap(problemOf),
  ];
  if (problems.length > 0) return { result: 'failed', problems };
  return { result: judged.length > 0 ? 'succeeded' : 'not judged', problems };
}

function problemOf({ title, state, error }: TestOutcome): string[] {
  if (state === 'failed' && error?.name === 'AttackSucceeded') return [];
  if (state === 'failed')
    return [`${title}: ${error?.name ?? 'no error'}: ${firstLine(error?.message ?? '')}`];
  return [`${title}: ${state === 'passed' ? 'the attack was refused' : 'it was not run'}`];
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
