import { createCurrentRules } from '@portcullis/gate';
import { decide } from '@portcullis/policy';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { sourceOf } from '../../load-replica.ts';

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
});
