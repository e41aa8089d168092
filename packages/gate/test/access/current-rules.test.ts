import { decide } from '@portcullis/policy';
import { describe, expect, it } from 'vitest';
import { createCurrentRules } from '../../src/access/current-rules.ts';

describe('the current rules', () => {
  it('follow changes, the last word on each rule, and skip one that does not parse', async () => {
    const reported: string[] = [];
    const rules = createCurrentRules(({ path }) => reported.push(path));
    const change = (kind: 'rule_added' | 'rule_removed', path: string) =>
      ({ kind, roleKey: 'editor', method: 'GET', path }) as const;
    const may = (path: string) => decide(rules.snapshot, 'editor', 'GET', path);
    rules.apply(
      [change('rule_added', '/a'), change('rule_added', '/b'), change('rule_added', '/c/(x+x+)+y')],
      7,
    );
    expect([may('/a'), may('/b'), rules.snapshot.revision]).toEqual(['allow', 'allow', 7]);
    expect(reported).toEqual(['/c/(x+x+)+y']);
    rules.apply([change('rule_removed', '/a')], 8);
    expect([may('/a'), may('/b')]).toEqual(['deny', 'allow']);
    rules.apply(
      [
        change('rule_added', '/a'),
        change('rule_removed', '/a'),
        change('rule_removed', '/b'),
        change('rule_added', '/b'),
      ],
      12,
    );
    expect([may('/a'), may('/b')]).toEqual(['deny', 'allow']);
  });

  it('stay the same value when nothing about rules changed', () => {
    const rules = createCurrentRules(() => {});
    const before = rules.snapshot;
    rules.apply([{ kind: 'epoch_raised', userId: 1, epoch: 2 }], 3);
    expect(rules.snapshot).toBe(before);
  });

  it('allow nothing before they are loaded', () => {
    const rules = createCurrentRules(() => {});
    expect(decide(rules.snapshot, 'editor', 'GET', '/api/v1/orders')).toBe('deny');
  });
});
