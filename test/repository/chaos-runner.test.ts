// How the chaos suite runs its scenarios: a failing one stops no other, and is reported by its name.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runInTurn } from '../chaos/run-in-turn.ts';
import type { OwnScenario } from '../chaos/scenario.ts';
import { scenarios, usualScenarios } from '../chaos/scenarios.ts';
import { type Entry, groupNeighbours } from '../chaos/shared-cluster.ts';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
});
afterEach(() => vi.restoreAllMocks());

const facts = { title: 'nothing', size: 2, instances: 1, leaseSeconds: 1 };

function entryOf(name: string, run: OwnScenario['run']): Entry {
  return { name, scenario: { ...facts, run }, run: { ...facts, guards: 0, seed: 1 } };
}

const passing = entryOf('passing', () => ({ passed: 2, failures: [], remarks: ['all is well'] }));

it('reports a scenario that throws by its name, and runs the others', async () => {
  const throwing = entryOf('throwing', () => Promise.reject(new Error('POST /api/v1/keys: 503')));
  expect(await runInTurn([throwing, passing])).toEqual({ passed: 2, failed: 1 });
  const told = lines.join('\n');
  expect(told).toMatch(
    /FAILED Error: POST \/api\/v1\/keys: 503\n[\s\S]*chaos throwing: 0 passed, 1 failed \(/,
  );
  expect(told).toMatch(/all is well\nchaos passing: 2 passed, 0 failed \(/);
});

it('counts a rejection that no scenario awaits as a failure', async () => {
  const straying = entryOf('straying', async () => {
    void Promise.reject(new Error('left behind'));
    await new Promise((resolve) => setTimeout(resolve, 10));
    return { passed: 2, failures: [], remarks: [] };
  });
  expect(await runInTurn([straying, passing])).toEqual({ passed: 4, failed: 1 });
  expect(lines.join('\n')).toMatch(/FAILED Error: left behind\n[\s\S]*chaos straying: 2 passed, 1 failed \(/);
});

it('reports the seconds of every part', async () => {
  await runInTurn([passing]);
  expect(lines.at(-1)).toMatch(/\(\d+ s: start \d+\.\d, work \d+\.\d, end \d+\.\d\)$/);
});

it('groups neighbours that need the same cluster, and no others', () => {
  const sharing = (name: string, leaseSeconds: number): Entry => ({
    name,
    scenario: { ...facts, rules: 10, runOn: () => Promise.reject(new Error('not run')) },
    run: { ...facts, leaseSeconds, guards: 0, seed: 1 },
  });
  const groups = groupNeighbours([
    sharing('one', 1),
    sharing('same', 1),
    sharing('shorter', 2),
    passing,
    passing,
    sharing('later', 2),
  ]);
  expect(groups.map((group) => group.map(({ name }) => name))).toEqual([
    ['one', 'same'],
    ['shorter'],
    ['passing'],
    ['passing'],
    ['later'],
  ]);
});

it('skips slow scenarios unless they are named', () => {
  expect(Object.keys(scenarios).filter((name) => !usualScenarios.includes(name))).toEqual([
    'factor-raise',
    'key-client',
    'upgrade',
    'patroni',
    'patroni-frozen',
  ]);
});
