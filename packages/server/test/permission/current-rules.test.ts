import { createCurrentRules } from '@portcullis/gate';
import { decide } from '@portcullis/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { sourceOf } from '../load-replica.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await store
    .insertInto('roles')
    .values({ id: 2, role_key: 'editor', name: 'Editor', data_scope: '3' })
    .execute();
  await store
    .insertInto('rules')
    .values([
      { role_id: 2, method: 'GET', path: '/api/v1/orders' },
      { role_id: 2, method: 'GET', path: '/foo/:' },
      { role_id: 2, method: 'GET', path: '/a/(x+x+)+y' },
      { role_id: 2, method: 'get', path: '/b' },
    ])
    .execute();
});
afterAll(() => database.drop());

describe('the current rules', () => {
  it('leave out a stored rule that does not parse, say so, and keep the rest in force', async () => {
    const reported: string[] = [];
    const rules = createCurrentRules((rule, reason) =>
      reported.push(`${rule.method} ${rule.path}: ${reason}`),
    );
    const loading = rules.load();
    await sourceOf(database.store).readAll(loading.take);
    const putInForce = loading.finish(5);
    expect(decide(rules.snapshot, 'editor', 'GET', '/api/v1/orders')).toBe('deny');
    putInForce();
    expect(decide(rules.snapshot, 'editor', 'GET', '/api/v1/orders')).toBe('allow');
    expect(rules.snapshot.revision).toBe(5);
    expect(reported.toSorted()).toEqual([
      expect.stringMatching(/^GET \/a\/\(x\+x\+\)\+y: ./),
      expect.stringMatching(/^GET \/foo\/:: ./),
      expect.stringMatching(/^get \/b: ./),
    ]);
  });

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
