// Random rule sets, random changes of them, and hostile requests: the engine against the slow reference.
import {
  applyChanges,
  compile,
  decide,
  explain,
  matched,
  type Rule,
  type Snapshot,
} from '@portcullis/policy';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from './fuzzer.ts';
import { randomRequest, randomRule } from './generate.ts';
import { Random } from './random.ts';
import { referenceDecision } from './reference.ts';

export const fuzzPolicy: Fuzzer = {
  title: 'the decision engine against the reference',
  defaultCases: 1_000_000,
  smallCases: 100_000,
  run: (options) => fuzzWorlds('policy', compareDecision, options),
};

export const fuzzMatched: Fuzzer = {
  title: 'the matched rule against the explanation',
  defaultCases: 1_000_000,
  smallCases: 100_000,
  run: (options) => fuzzWorlds('matched', compareMatched, options),
};

const changesPerWorld = 4;
const requestsPerChange = 50;
const casesPerWorld = (changesPerWorld + 1) * requestsPerChange;

interface Counts {
  allow: number;
  deny: number;
}

/** Returns a sentence if the engine is wrong. */
type Compare = (random: Random, world: World, counts: Counts) => string | undefined;

function fuzzWorlds(name: string, compare: Compare, { cases, seed, progress }: FuzzRun): FuzzResult {
  const failures: string[] = [];
  const counts: Counts = { allow: 0, deny: 0 };
  let done = 0;
  for (let world = 0; done < cases && failures.length < mostFailures; world++) {
    const limit = Math.min(casesPerWorld, cases - done);
    const random = new Random(seed + world);
    const { compared, failure } = fuzzWorld(random, limit, (found) => compare(random, found, counts));
    if (failure !== undefined)
      failures.push(
        `${failure}\n  again: npm run fuzz -- ${name} --seed ${seed + world} --cases ${compared}`,
      );
    done += compared;
    progress(done);
  }
  const share = Math.round((100 * counts.allow) / done);
  return { passed: done - failures.length, failures, remarks: [`${share} % of the requests were allowed`] };
}

interface World {
  readonly snapshot: Snapshot;
  readonly rules: readonly Rule[];
}

// One rule set and its changes. Returns how many decisions it compared.
function fuzzWorld(
  random: Random,
  limit: number,
  compare: (world: World) => string | undefined,
): { readonly compared: number; readonly failure?: string } {
  let world = createWorld(random);
  let earlier = world;
  let compared = 0;
  for (let change = 0; change <= changesPerWorld; change++) {
    for (let i = 0; i < requestsPerChange && compared < limit; i++, compared++) {
      const failure = compare(random.once(10) ? earlier : world);
      if (failure !== undefined) return { compared: compared + 1, failure };
    }
    earlier = world;
    world = changeWorld(random, world, change + 1);
  }
  return { compared };
}

function createWorld(random: Random): World {
  const rules = random.list(random.below(30), () => randomRule(random));
  return { snapshot: compile(rules, 0), rules };
}

// Takes rules away and adds others, some of them twice or not there at all.
function changeWorld(random: Random, { snapshot, rules }: World, revision: number): World {
  const removed = rules.filter(() => random.once(4));
  if (random.once(2)) removed.push(randomRule(random));
  const added = random.list(random.below(6), () => randomRule(random));
  if (random.once(2)) added.push(...added.slice(0, 1), ...removed.slice(0, 1));
  const gone = new Set(removed.map(textOf));
  return {
    snapshot: applyChanges(snapshot, { added, removed, revision }),
    rules: [...rules.filter((rule) => !gone.has(textOf(rule))), ...added],
  };
}

function compareDecision(random: Random, { snapshot, rules }: World, counts: Counts): string | undefined {
  const { roleKey, method, path } = randomRequest(random, rules);
  const expected = referenceDecision(rules, roleKey, method, path);
  const actual = decide(snapshot, roleKey, method, path);
  counts[expected]++;
  const request = `${JSON.stringify(roleKey)} ${JSON.stringify(method)} ${JSON.stringify(path)}`;
  if (actual !== expected) return `${request}: the engine says ${actual}, the reference ${expected}`;
  if (roleKey === 'admin' || !random.once(20)) return undefined;
  const explained = explain(snapshot, { roleKey, method, path });
  if (explained.decision === expected) return undefined;
  return `${request}: explain says ${explained.decision}, the reference ${expected}`;
}

function compareMatched(random: Random, { snapshot, rules }: World, counts: Counts): string | undefined {
  const { roleKey, method, path } = randomRequest(random, rules);
  // `explain` lets `admin` pass without a rule.
  if (roleKey === 'admin') return undefined;
  const expected = explain(snapshot, { roleKey, method, path }).rule;
  const actual = matched(snapshot, roleKey, method, path);
  counts[expected === undefined ? 'deny' : 'allow']++;
  if (actual?.method === expected?.method && actual?.path === expected?.path) return undefined;
  const request = `${JSON.stringify(roleKey)} ${JSON.stringify(method)} ${JSON.stringify(path)}`;
  const name = (rule: Rule | undefined) => (rule === undefined ? 'no rule' : textOf(rule));
  return `${request}: matched names ${name(actual)}, explain names ${name(expected)}`;
}

function textOf({ roleKey, method, path }: Rule): string {
  return `${roleKey} ${method} ${path}`;
}
