// Random rule sets, random changes of them, and hostile requests: the engine against the slow reference.
import { applyChanges, compile, decide, explain, type Rule, type Snapshot } from '@portcullis/policy';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from './fuzzer.ts';
import { randomRequest, randomRule } from './generate.ts';
import { Random } from './random.ts';
import { referenceDecision } from './reference.ts';

export const fuzzPolicy: Fuzzer = {
  title: 'the decision engine against the reference',
  defaultCases: 1_000_000,
  smallCases: 100_000,
  run,
};

const changesPerWorld = 4;
const requestsPerChange = 50;
const casesPerWorld = (changesPerWorld + 1) * requestsPerChange;

function run({ cases, seed, progress }: FuzzRun): FuzzResult {
  const failures: string[] = [];
  const counts = { allow: 0, deny: 0 };
  let done = 0;
  for (let world = 0; done < cases && failures.length < mostFailures; world++) {
    const limit = Math.min(casesPerWorld, cases - done);
    const compared = fuzzWorld(seed + world, limit, counts, failures);
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
  seed: number,
  limit: number,
  counts: { allow: number; deny: number },
  failures: string[],
): number {
  const random = new Random(seed);
  let world = createWorld(random);
  let earlier = world;
  let compared = 0;
  for (let change = 0; change <= changesPerWorld; change++) {
    for (let i = 0; i < requestsPerChange && compared < limit; i++, compared++) {
      const failure = compareOne(random, random.once(10) ? earlier : world, counts);
      if (failure !== undefined) {
        failures.push(`${failure}\n  again: npm run fuzz -- policy --seed ${seed} --cases ${compared + 1}`);
        return compared + 1;
      }
    }
    earlier = world;
    world = changeWorld(random, world, change + 1);
  }
  return compared;
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

function compareOne(
  random: Random,
  { snapshot, rules }: World,
  counts: { allow: number; deny: number },
): string | undefined {
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

function textOf({ roleKey, method, path }: Rule): string {
  return `${roleKey} ${method} ${path}`;
}
