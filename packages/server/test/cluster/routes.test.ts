import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clusterRoutes } from '../../src/cluster/routes.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { type ServedRoutes, serveRoutes } from '../serve-routes.ts';

let database: FreshDatabase;
let served: ServedRoutes;

beforeAll(async () => {
  database = await createFreshDatabase();
  served = serveRoutes(clusterRoutes(database));
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  await database.store.deleteFrom('instances').execute();
  await database.store.updateTable('current_revision').set({ n: 7, lease_milliseconds: 2500 }).execute();
});

describe('the list of instances', () => {
  it.each(['limit=0', 'limit=101', 'limit=many', 'after=', 'after=x', `after=${randomUUID()}`])(
    'with %s is answered with 400',
    async (query) => {
      expect(await served.send('GET', `/instances?${query}`)).toMatchObject({ status: 200, code: 400 });
    },
  );

  it('has the current revision, also without an instance', async () => {
    expect((await served.send('GET', '/instances')).data).toEqual({ revision: 7, items: [], next: null });
  });

  it('shows what an instance enforces, and when its lease ends', async () => {
    const id = randomUUID();
    const renewed_at = new Date('2026-01-02T03:04:05.000Z');
    await database.store
      .insertInto('instances')
      .values({ id, version: '0.1.0', mode: 'prod', revision: 6, renewed_at, guards: { orders: 2 } })
      .execute();
    expect((await served.send('GET', '/instances')).data).toEqual({
      revision: 7,
      items: [
        {
          id,
          version: '0.1.0',
          mode: 'prod',
          revision: 6,
          guards: [{ service: 'orders', count: 2 }],
          startedAt: expect.stringMatching(/^20.*Z$/),
          renewedAt: '2026-01-02T03:04:05.000Z',
          leaseEndsAt: '2026-01-02T03:04:07.500Z',
        },
      ],
      next: null,
    });
  });

  it('comes in pages, each instance once', async () => {
    const ids = Array.from({ length: 250 }, () => randomUUID());
    await database.store
      .insertInto('instances')
      .values(ids.map((id) => ({ id, version: '0.1.0', mode: 'prod', revision: 7 })))
      .execute();
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { data } = await served.send('GET', `/instances?limit=100${after}`);
      const { items, next } = data as { items: { id: string }[]; next: string | null };
      seen.push(...items.map(({ id }) => id));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual(ids.toSorted());
  });
});
