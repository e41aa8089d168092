// Measures the costs around a decision: compiling and changing rules, memory, and the costliest
// decision that rules can cause.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  applyChanges,
  compile,
  decide,
  parseRule,
  type Rule,
  ruleLimits,
  type Snapshot,
} from '@portcullis/policy';
import { median } from '../bench.ts';
import { createWorkload } from './workload.ts';

export interface Costs {
  readonly compileMilliseconds: number;
  readonly applyMilliseconds: number;
  readonly megabytes: number;
  readonly worstMicroseconds: number;
  readonly applyByRoleSize: readonly { readonly rules: number; readonly milliseconds: number }[];
}

export function measureCosts(rounds: number): Costs {
  const { rules } = createWorkload(100_000);
  const compileTimes = Array.from({ length: rounds }, () => timed(() => compile(rules, 1)));
  const snapshot = compile(rules, 1);
  return {
    compileMilliseconds: median(compileTimes),
    applyMilliseconds: applyTime(snapshot, 'role-500', 10 * rounds),
    megabytes: megabytesOf(100_000),
    worstMicroseconds: 1000 * worstDecisionTime(10 * rounds),
    applyByRoleSize: [100, 1000, 10_000, 100_000].map((size) => ({
      rules: size,
      milliseconds: applyTime(
        applyChanges(snapshot, { added: itemRules(size), removed: [], revision: 2 }),
        'big',
        rounds,
      ),
    })),
  };
}

function applyTime(snapshot: Snapshot, roleKey: string, rounds: number): number {
  const [first] = snapshot.rules.get(roleKey)?.values() ?? [];
  if (first === undefined) throw new Error(`There is no role ${roleKey}.`);
  const added = [ruleOf(roleKey, 'GET', '/api/v1/added/:id')];
  const times = Array.from({ length: rounds }, () => {
    return timed(() => applyChanges(snapshot, { added, removed: [first], revision: 2 }));
  });
  return median(times);
}

function itemRules(count: number): Rule[] {
  return Array.from({ length: count }, (_, i) =>
    ruleOf('big', 'GET', `/api/v1/items-${i % 500}/kind-${i}/:id`),
  );
}

// The memory of rules and snapshot together, after a garbage collection.
function megabytesOf(ruleCount: number): number {
  const collect = garbageCollector();
  const held: unknown[] = [];
  const before = bytesInUse(collect);
  const { rules } = createWorkload(ruleCount);
  held.push(compile(rules, 1));
  const after = bytesInUse(collect);
  return held.length === 1 ? (after - before) / 1_000_000 : 0;
}

function bytesInUse(collect: () => void): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

// Every combination of literals and parameters in the longest path, so that a path of these
// literals matches all of them.
function worstDecisionTime(rounds: number): number {
  const { segments, pathLength } = ruleLimits;
  const literal = 'a'.repeat(Math.floor(pathLength / segments) - 1);
  let paths = [''];
  for (let place = 1; place < segments; place++) {
    paths = paths.flatMap((path) => [`${path}/${literal}`, `${path}/:p`]);
  }
  const rules = paths.flatMap((path) => [
    ruleOf('worst', 'GET', `${path}/${literal}`),
    ruleOf('worst', 'POST', `${path}/:p`),
  ]);
  const snapshot = compile(rules, 1);
  const path = `${`/${literal}`.repeat(segments - 1)}/${literal.slice(1)}b`;
  const times = Array.from({ length: rounds }, () => {
    return timed(() => {
      if (decide(snapshot, 'worst', 'GET', path) !== 'deny') throw new Error('The path must be refused.');
    });
  });
  return median(times);
}

function ruleOf(roleKey: string, method: string, path: string): Rule {
  const parsed = parseRule({ roleKey, method, path });
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.rule;
}

/** Milliseconds. */
function timed(work: () => unknown): number {
  const begin = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - begin) / 1_000_000;
}
