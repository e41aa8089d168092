import { describe, expect, it } from 'vitest';
import { isJudged, judgeTime } from '../../../test/rig/judges-times.ts';
import { compile, decide, decideMany, type Rule, ruleLimits } from '../src/index.ts';
import { decisionCases } from './decision-cases.ts';
import { rule, snapshotOf } from './rule.ts';

// The path may hold blanks, so only the first two are separators.
function ask(line: string): [roleKey: string, method: string, path: string] {
  const [roleKey = '', method = '', ...path] = line.split(' ');
  return [roleKey, method, path.join(' ')];
}

describe('decide', () => {
  for (const { title, rules, deny, allow } of decisionCases) {
    it(title, () => {
      const snapshot = snapshotOf(...rules);
      for (const line of deny) expect([line, decide(snapshot, ...ask(line))]).toEqual([line, 'deny']);
      for (const line of allow) expect([line, decide(snapshot, ...ask(line))]).toEqual([line, 'allow']);
    });
  }

  it('denies a path that a segment of a literal only starts', () => {
    const snapshot = snapshotOf('editor GET /articles/archive');
    for (let length = 0; length < '/articles/archive'.length; length++) {
      expect(decide(snapshot, 'editor', 'GET', '/articles/archive'.slice(0, length))).toBe('deny');
    }
  });

  it('denies in bounded time where literals and parameters fork at every segment', () => {
    const { snapshot, path } = forkingEverywhere();
    const milliseconds = fastest(() => expect(decide(snapshot, 'editor', 'GET', path)).toBe('deny'));
    judgeTime('A decision', milliseconds, 25);
  });

  it('reads a long path once, however often it forks', () => {
    const { snapshot, path } = forkingEverywhere();
    const short = fastest(() => expect(decide(snapshot, 'editor', 'GET', path)).toBe('deny'));
    const long = fastest(() =>
      expect(decide(snapshot, 'editor', 'GET', path + 'x'.repeat(4000))).toBe('deny'),
    );
    if (isJudged('the ratio of a long path to a short one')) expect(long / short).toBeLessThan(6);
  });

  it('decides many requests in their order', () => {
    const snapshot = snapshotOf('editor GET /a');
    const requests = [
      { roleKey: 'editor', method: 'GET', path: '/b' },
      { roleKey: 'editor', method: 'GET', path: '/a' },
      { roleKey: 'reader', method: 'GET', path: '/a' },
    ];
    expect(decideMany(snapshot, requests)).toEqual(['deny', 'allow', 'deny']);
    expect(decideMany(snapshot, [])).toEqual([]);
  });
});

/** Milliseconds of the fastest of thirty runs. */
function fastest(run: () => void): number {
  const times = Array.from({ length: 30 }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return Math.min(...times);
}

// Every mixture of a literal and a parameter, so that a path of the literals meets all of them.
function forkingEverywhere() {
  let paths = [''];
  for (let place = 1; place < ruleLimits.segments; place++) {
    paths = paths.flatMap((path) => [`${path}/a`, `${path}/:p`]);
  }
  const rules: Rule[] = paths.flatMap((path) => [
    rule(`editor GET ${path}/a`),
    rule(`editor POST ${path}/:p`),
  ]);
  return { snapshot: compile(rules, 1), path: `${'/a'.repeat(ruleLimits.segments - 1)}/b` };
}
