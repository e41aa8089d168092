import { describe, expect, it } from 'vitest';
import {
  applyChanges,
  compile,
  decide,
  listRoles,
  listRules,
  type Rule,
  type Snapshot,
} from '../src/index.ts';
import { rule, snapshotOf } from './rule.ts';

function change(snapshot: Snapshot, removed: string[], added: string[]): Snapshot {
  return applyChanges(snapshot, { removed: removed.map(rule), added: added.map(rule), revision: 2 });
}

function textsOf(snapshot: Snapshot): string[] {
  return listRoles(snapshot)
    .flatMap((roleKey) => listRules(snapshot, roleKey))
    .map(({ roleKey, method, path }) => `${roleKey} ${method} ${path}`);
}

describe('applyChanges', () => {
  it('denies what is removed', () => {
    const next = change(snapshotOf('editor GET /a', 'editor GET /b'), ['editor GET /a'], []);
    expect(decide(next, 'editor', 'GET', '/a')).toBe('deny');
    expect(decide(next, 'editor', 'GET', '/b')).toBe('allow');
    expect(textsOf(next)).toEqual(['editor GET /b']);
  });

  it('forgets a role whose last rule is removed', () => {
    const next = change(snapshotOf('editor GET /a'), ['editor GET /a'], []);
    expect(listRoles(next)).toEqual([]);
    expect([next.rules.size, next.packed.starts.size, next.packed.lengths.size]).toEqual([0, 0, 0]);
    expect(decide(next, 'editor', 'GET', '/a')).toBe('deny');
  });

  it('removes one method and leaves the others, also "*"', () => {
    const all = snapshotOf('editor GET /a', 'editor PUT /a', 'editor * /a');
    const withoutStar = change(all, ['editor * /a'], []);
    expect(decide(withoutStar, 'editor', 'DELETE', '/a')).toBe('deny');
    expect(decide(withoutStar, 'editor', 'GET', '/a')).toBe('allow');
    const withoutGet = change(all, ['editor GET /a'], []);
    expect(decide(withoutGet, 'editor', 'GET', '/a')).toBe('allow');
  });

  it('ends what two rules with other parameter names allow only with the last of them', () => {
    const both = snapshotOf('editor GET /a/:x', 'editor GET /a/:y');
    const one = change(both, ['editor GET /a/:x'], []);
    expect(decide(one, 'editor', 'GET', '/a/1')).toBe('allow');
    expect(textsOf(one)).toEqual(['editor GET /a/:y']);
    expect(decide(change(one, ['editor GET /a/:y'], []), 'editor', 'GET', '/a/1')).toBe('deny');
  });

  it('does not remove a rule by another name of its parameter', () => {
    const next = change(snapshotOf('editor GET /a/:x'), ['editor GET /a/:y'], []);
    expect(decide(next, 'editor', 'GET', '/a/1')).toBe('allow');
  });

  it('changes nothing when the removed rule does not exist', () => {
    const next = change(snapshotOf('editor GET /a'), ['editor GET /b', 'reader GET /a'], []);
    expect(textsOf(next)).toEqual(['editor GET /a']);
    expect(decide(next, 'editor', 'GET', '/a')).toBe('allow');
    expect(decide(next, 'reader', 'GET', '/a')).toBe('deny');
  });

  it('takes a rule that is both removed and added as added', () => {
    const next = change(snapshotOf('editor GET /a'), ['editor GET /a'], ['editor GET /a']);
    expect(decide(next, 'editor', 'GET', '/a')).toBe('allow');
  });

  it('takes a rule that is added twice as one', () => {
    const twice = change(
      snapshotOf('editor GET /a'),
      [],
      ['editor GET /a', 'editor GET /b', 'editor GET /b'],
    );
    expect(textsOf(twice)).toEqual(['editor GET /a', 'editor GET /b']);
    expect(decide(change(twice, ['editor GET /b'], []), 'editor', 'GET', '/b')).toBe('deny');
  });

  it('adds rules to a known and to a new role', () => {
    const next = change(snapshotOf('editor GET /a'), [], ['editor PUT /a', 'reader GET /a']);
    expect(textsOf(next)).toEqual(['editor GET /a', 'editor PUT /a', 'reader GET /a']);
    expect(decide(next, 'editor', 'PUT', '/a')).toBe('allow');
    expect(decide(next, 'reader', 'GET', '/a')).toBe('allow');
    expect(decide(next, 'reader', 'PUT', '/a')).toBe('deny');
  });

  it('leaves the earlier snapshot as it is', () => {
    const before = snapshotOf('editor GET /a', 'reader GET /a');
    change(before, ['editor GET /a', 'reader GET /a'], ['editor PUT /a']);
    expect(textsOf(before)).toEqual(['editor GET /a', 'reader GET /a']);
    expect(decide(before, 'editor', 'GET', '/a')).toBe('allow');
    expect(decide(before, 'editor', 'PUT', '/a')).toBe('deny');
  });

  it('shares the roles that do not change', () => {
    const before = snapshotOf('editor GET /a', 'reader GET /a');
    const next = change(before, [], ['editor PUT /a']);
    expect(next.packed.starts.get('reader')).toBe(before.packed.starts.get('reader'));
    expect(next.rules.get('reader')).toBe(before.rules.get('reader'));
    expect(next.packed.starts.get('editor')).not.toBe(before.packed.starts.get('editor'));
  });

  it('carries the new revision', () => {
    const before = compile([], 7);
    const next = applyChanges(before, { added: [], removed: [], revision: 8 });
    expect([before.revision, next.revision]).toEqual([7, 8]);
  });
});

describe('compile', () => {
  it('takes a rule that is given twice as one', () => {
    expect(textsOf(snapshotOf('editor GET /a', 'editor GET /a'))).toEqual(['editor GET /a']);
  });

  it('decides the same in whatever order the rules come', () => {
    const lines = [
      'editor GET /ab/c',
      'editor GET /ab',
      'editor GET /a/:x',
      'editor GET /abc/*',
      'editor GET /a',
    ];
    for (const order of [lines, lines.toReversed(), lines.toSorted()]) {
      const snapshot = snapshotOf(...order);
      for (const path of ['/ab/c', '/ab', '/a/x', '/abc/x', '/a']) {
        expect([path, decide(snapshot, 'editor', 'GET', path)]).toEqual([path, 'allow']);
      }
      for (const path of ['/abc', '/ab/d', '/a/x/y', '/abcd', '/']) {
        expect([path, decide(snapshot, 'editor', 'GET', path)]).toEqual([path, 'deny']);
      }
    }
  });

  it('compiles from any iterable and cannot be changed at the top', () => {
    const snapshot = compile(new Set<Rule>([rule('editor GET /a')]), 3);
    expect(snapshot.revision).toBe(3);
    expect(Object.isFrozen(snapshot)).toBe(true);
    expect(decide(snapshot, 'editor', 'GET', '/a')).toBe('allow');
  });

  it('holds more rules in one role than two bytes can count', () => {
    const rules = Array.from({ length: 20_000 }, (_, i) => rule(`editor GET /items/${i.toString(36)}/x${i}`));
    const snapshot = compile(rules, 1);
    expect(snapshot.packed.lengths.get('editor')).toBeGreaterThan(65_536);
    for (const i of [0, 1, 9_999, 19_999]) {
      const path = `/items/${i.toString(36)}/x${i}`;
      expect(decide(snapshot, 'editor', 'GET', path)).toBe('allow');
      expect(decide(snapshot, 'editor', 'GET', `${path}0`)).toBe('deny');
    }
  });
});
