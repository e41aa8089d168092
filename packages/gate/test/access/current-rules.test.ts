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

describe('a temporary rule', () => {
  const rule = { roleKey: 'editor', method: 'GET', path: '/a' };
  const set = (endsAt: number) => ({ kind: 'temporary_rule_set', ...rule, endsAt }) as const;
  const removed = { kind: 'temporary_rule_removed', ...rule } as const;
  function create(latest?: { at: number }) {
    const rules = createCurrentRules(() => {}, latest === undefined ? undefined : () => latest.at);
    return { rules, may: () => decide(rules.snapshot, 'editor', 'GET', '/a') };
  }

  it('is not in force where nothing is known of the database’s clock', () => {
    const { rules, may } = create();
    rules.apply([set(Number.MAX_SAFE_INTEGER)], 1);
    expect(may()).toBe('deny');
  });

  it('allows until its end, and nothing from then on, also where the clock goes back', () => {
    const clock = { at: 0 };
    const { rules, may } = create(clock);
    rules.apply([set(1000)], 1);
    clock.at = 999;
    expect([may(), rules.nextEnd, rules.ends]).toEqual(['allow', 1000, 0]);
    clock.at = 1000;
    expect([may(), rules.nextEnd, rules.ends]).toEqual(['deny', Number.POSITIVE_INFINITY, 1]);
    clock.at = 0;
    expect(may()).toBe('deny');
  });

  it.each(['ends', 'nextEnd'] as const)(
    'that has ended shows in `%s` before anybody asks for a decision',
    (name) => {
      const clock = { at: 0 };
      const { rules } = create(clock);
      rules.apply([set(1000)], 1);
      const before = rules[name];
      clock.at = 2000;
      expect(rules[name]).toBeGreaterThan(before);
    },
  );

  it('that is removed or given an earlier end allows no longer than that', () => {
    const clock = { at: 0 };
    const { rules, may } = create(clock);
    rules.apply([set(1000), removed], 1);
    expect(may()).toBe('deny');
    rules.apply([set(1000), set(500)], 2);
    clock.at = 500;
    expect(may()).toBe('deny');
  });

  it('takes a lasting rule of the same text along in neither way', () => {
    const clock = { at: 0 };
    const { rules, may } = create(clock);
    rules.apply([{ kind: 'rule_added', ...rule }, set(1000)], 1);
    rules.apply([{ kind: 'rule_removed', ...rule }], 2);
    expect(may()).toBe('allow');
    rules.apply([{ kind: 'rule_added', ...rule }], 3);
    clock.at = 1000;
    expect(may()).toBe('allow');
  });

  it('is not among the lasting ones', () => {
    const { rules } = create({ at: 0 });
    rules.apply([set(1000)], 1);
    expect(decide(rules.lasting, 'editor', 'GET', '/a')).toBe('deny');
  });

  it('is loaded with its end, and replaces the temporary rules from before the load', () => {
    const clock = { at: 0 };
    const { rules, may } = create(clock);
    rules.apply([{ ...set(9000), path: '/before' }], 1);
    const loading = rules.load();
    loading.take({ kind: 'temporary_rules', rules: [{ ...rule, endsAt: 1000 }] });
    loading.finish(2)();
    expect([may(), decide(rules.snapshot, 'editor', 'GET', '/before')]).toEqual(['allow', 'deny']);
    clock.at = 1000;
    expect(may()).toBe('deny');
  });
});
