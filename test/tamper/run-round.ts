// Many tamperings at once, each with separate chains, and the findings of `verify`.
import type pg from 'pg';
import type { Problem } from '../../packages/server/src/logs/evidence/chain-walk.ts';
import type { Random } from '../fuzz/random.ts';
import type { ChainPlaces } from './log-copy.ts';
import { poseTamperings } from './pose-tamperings.ts';
import { type Aim, type Expected, tamperings } from './tamperings.ts';

const all = { ...tamperings, ...poseTamperings };

interface RoundOptions {
  readonly client: pg.Client;
  readonly random: Random;
  readonly chains: readonly ChainPlaces[];
  readonly cases: number;
  /** How many came before: each kind has its turn. */
  readonly from: number;
  readonly erase: Aim['erase'];
}

interface Round {
  /** The names of the tamperings. */
  readonly done: readonly string[];
  readonly failures: readonly string[];
}

interface Case {
  readonly name: string;
  readonly chain: string;
  readonly expected: Expected;
}

export async function runRound(
  { client, random, chains, cases, from, erase }: RoundOptions,
  verify: () => Promise<readonly Problem[]>,
): Promise<Round> {
  const done: Case[] = [];
  const touched = new Set<string>();
  const left = shuffle(random, chains);
  const names = Object.keys(all);
  for (let turn = from; done.length < cases; turn += 1) {
    const [target, other] = left.splice(-2);
    if (target === undefined || other === undefined) break;
    for (const { chain } of [target, other]) touched.add(chain);
    const name = names[turn % names.length] ?? '';
    const expected = await all[name as keyof typeof all]?.({ client, random, target, other, erase });
    if (expected !== undefined) done.push({ name, chain: target.chain, expected });
  }
  const problems = await verify();
  const known = new Set(chains.map(({ chain }) => chain));
  const wrong = problems.filter(({ chain }) => chain !== null && known.has(chain) && !touched.has(chain));
  return {
    done: done.map(({ name }) => name),
    failures: [
      ...done.flatMap((one) => failureOf(one, problems)),
      ...wrong.map((problem) => `This was not changed: ${JSON.stringify(problem)}`),
    ],
  };
}

function failureOf({ name, chain, expected }: Case, problems: readonly Problem[]): string[] {
  const found = problems.filter((problem) => problem.chain === chain);
  // Another case can erase the person after the change: then only the number identifies the record.
  const isIt = (problem: Problem, key: keyof Expected) =>
    problem[key] === expected[key] || (key === 'id' && problem.id === null && expected.seq !== undefined);
  const keys = Object.keys(expected) as (keyof Expected)[];
  const isNamed = found.some((problem) => keys.every((key) => isIt(problem, key)));
  if (isNamed) return [];
  return [`${name}, chain ${chain}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`];
}

function shuffle<T>(random: Random, items: readonly T[]): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}
