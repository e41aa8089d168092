// Changing any literal character of a matching path makes it not match: a literal is never a pattern.
import { compile, decide, parseRule } from '@portcullis/policy';
import { type Fuzzer, type FuzzResult, type FuzzRun, mostFailures } from './fuzzer.ts';
import { matchingSegments, randomRule } from './generate.ts';
import { Random } from './random.ts';

export const fuzzLiteral: Fuzzer = {
  title: 'a changed literal character never matches',
  defaultCases: 1_000_000,
  smallCases: 60_000,
  run,
};

const characters = "abXY019-._~/!$&'()*+,=:@%;?#\\ \t\u0000é中";

function run({ cases, seed, progress }: FuzzRun): FuzzResult {
  const failures: string[] = [];
  let done = 0;
  for (let world = 0; done < cases && failures.length < mostFailures; world++) {
    done += fuzzRule(seed + world, cases - done, failures);
    progress(done);
  }
  return { passed: done - failures.length, failures, remarks: [] };
}

// One rule, one path that it matches, and every literal character of the path changed in turn.
function fuzzRule(seed: number, limit: number, failures: string[]): number {
  const random = new Random(seed);
  const { roleKey, method, path: rulePath } = randomRule(random);
  const parsed = parseRule({ roleKey, method: method === '*' ? 'GET' : method, path: rulePath });
  if ('reason' in parsed) throw new Error(parsed.reason);
  const { rule } = parsed;
  const snapshot = compile([rule], 0);
  const path = `/${matchingSegments(random, rulePath).join('/')}`;
  if (decide(snapshot, roleKey, rule.method, path) !== 'allow') {
    failures.push(
      `${rulePath} does not match ${JSON.stringify(path)}\n  again: npm run fuzz -- literal --seed ${seed}`,
    );
    return 1;
  }
  let pairs = 0;
  for (const at of literalPlaces(rulePath, path)) {
    if (pairs === limit) break;
    pairs++;
    const character = otherCharacter(random, path.charAt(at));
    const changed = path.slice(0, at) + character + path.slice(at + 1);
    if (decide(snapshot, roleKey, rule.method, changed) === 'deny') continue;
    failures.push(
      `${rulePath} matches ${JSON.stringify(changed)}\n  again: npm run fuzz -- literal --seed ${seed}`,
    );
    return pairs;
  }
  return pairs;
}

// Where in the path the literal segments of the rule stand.
function literalPlaces(rulePath: string, path: string): number[] {
  const places: number[] = [];
  let at = 0;
  const segments = path.split('/');
  for (const [index, expected] of rulePath.split('/').entries()) {
    const length = segments[index]?.length ?? 0;
    if (!expected.startsWith(':') && expected !== '*') {
      for (let i = 0; i < length; i++) places.push(at + i);
    }
    at += length + 1;
  }
  return places;
}

function otherCharacter(random: Random, character: string): string {
  for (;;) {
    const other = characters.charAt(random.below(characters.length));
    if (other !== character) return other;
  }
}
