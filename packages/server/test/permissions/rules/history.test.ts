import { AppError, type Caller, type RuleHistoryItem } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { ruleRoutes } from '../../../src/permissions/rules/routes.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
let mayTouch: boolean;

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const routes = ruleRoutes({
    store: database.store,
    access,
    recordChange: createRecordChange(),
    checkRules: async (_transaction, { roleKey }) => {
      if (!mayTouch || roleKey !== 'admin') throw new AppError('exceeds_own_permissions');
    },
    turns: createYielding({ monotonic: () => performance.now() }),
    compareRoutes: () => Promise.reject(new Error('Not asked for here.')),
    countUsers: () => Promise.reject(new Error('Not asked for here.')),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  for (const table of ['rules', 'rule_history', 'audit_log'] as const)
    await database.store.deleteFrom(table).execute();
  access.takeWritten();
  caller = administrator;
  mayTouch = true;
});

const rule = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};
async function change(add: string[], remove: string[] = [], id = 2): Promise<number> {
  const body = { add: add.map(rule), remove: remove.map(rule) };
  return (await served.send('POST', `/roles/${id}/rules`, body)).revision ?? Number.NaN;
}
const rollback = (body: object, id = 2) => served.send('POST', `/roles/${id}/rules/rollback`, body);
async function stored(id = 2): Promise<string[]> {
  const { data } = await served.send('GET', `/roles/${id}/rules?limit=100`);
  return (data as { items: { method: string; path: string }[] }).items.map(
    (item) => `${item.method} ${item.path}`,
  );
}
async function history(query = '', id = 2) {
  const { data } = await served.send('GET', `/roles/${id}/rules/history${query}`);
  return data as { items: RuleHistoryItem[]; next: string | null };
}

describe('the history of a role', () => {
  it.each([
    ['/roles/99/rules/history', 404],
    ['/roles/2/rules/history?after=x', 400],
    ['/roles/2/rules/history?limit=0', 400],
  ])('%s is refused', async (url, code) => {
    expect(await served.send('GET', url)).toMatchObject({ code });
  });

  it('lists each change with its revision and its actor, newest first', async () => {
    const first = await change(['GET /a', 'GET /b']);
    await change(['GET /x'], [], 3);
    caller = { ...administrator, userId: 8, username: 'kim' };
    const second = await change(['GET /c'], ['GET /a']);
    await change(['GET /c']);
    expect((await history()).items).toEqual([
      {
        revision: second,
        at: expect.stringMatching(/Z$/),
        by: { userId: 8, username: 'kim' },
        added: { count: 1, items: [rule('GET /c')] },
        removed: { count: 1, items: [rule('GET /a')] },
        rolledBackTo: null,
      },
      expect.objectContaining({ revision: first, by: { userId: 1, username: 'root' } }),
    ]);
  });

  it('counts all rules of a change, and lists the first 100', async () => {
    const many = Array.from({ length: 150 }, (_, index) => `GET /many/${index}`);
    const revision = await change(many);
    const [item] = (await history()).items;
    expect([item?.added.count, item?.added.items.length, item?.removed]).toEqual([
      150,
      100,
      { count: 0, items: [] },
    ]);
    await change([], many);
    await rollback({ revision });
    expect(await database.store.selectFrom('rules').select('path').execute()).toHaveLength(150);
  });

  it('comes in pages', async () => {
    const revisions: number[] = [];
    for (const text of ['GET /a', 'GET /b', 'GET /c']) revisions.unshift(await change([text]));
    const first = await history('?limit=2');
    const second = await history(`?limit=2&after=${first.next}`);
    expect([...first.items, ...second.items].map(({ revision }) => revision)).toEqual(revisions);
    expect(second.next).toBeNull();
  });

  it('has the number that the change gets, however many change at once', async () => {
    const changes = Array.from({ length: 20 }, (_, index) => change([`GET /${index}`], [], 2 + (index % 2)));
    const revisions = (await Promise.all(changes)).toSorted((a, b) => a - b);
    const items = [...(await history('?limit=100')).items, ...(await history('?limit=100', 3)).items];
    expect(items.map(({ revision }) => revision).toSorted((a, b) => a - b)).toEqual(revisions);
    const numbered = await database.store
      .selectFrom('revisions')
      .select(['n', 'changes'])
      .where('n', 'in', revisions)
      .execute();
    for (const { n, changes: written } of numbered)
      expect(written).toMatchObject(items.find(({ revision }) => revision === n)?.added.items ?? []);
  });
});

describe('a rollback', () => {
  it.each([
    [{}, 400],
    [{ revision: -1 }, 400],
    [{ revision: 1, roleId: 3 }, 400],
  ])('with %j is refused with code %i', async (body, code) => {
    expect(await rollback(body)).toMatchObject({ code });
  });

  it('of a role that does not exist, and of admin, is refused', async () => {
    expect(await rollback({ revision: 1 }, 99)).toMatchObject({ code: 404 });
    expect(await rollback({ revision: 1 }, 1)).toMatchObject({ code: 409 });
  });

  it('is refused to a revision before the recorded history', async () => {
    const revision = await change(['GET /a']);
    const { recorded_from: from } = await database.store
      .insertInto('roles')
      .values({ id: 50, role_key: 'late', name: 'Late', data_scope: '5' })
      .returning('recorded_from')
      .executeTakeFirstOrThrow();
    expect(from).toBe(revision);
    await change(['GET /late'], [], 50);
    expect(await rollback({ revision: from - 1 }, 50)).toMatchObject({ code: 409 });
    expect(await stored(50)).toEqual(['GET /late']);
    expect(await rollback({ revision: from }, 50)).toMatchObject({ code: 200 });
    expect(await stored(50)).toEqual([]);
    await database.store.deleteFrom('roles').where('id', '=', 50).execute();
  });

  it('is refused where the rules have changed since the revision that it was decided on', async () => {
    const first = await change(['GET /a']);
    const second = await change(['GET /b']);
    await change(['GET /c']);
    expect(await rollback({ revision: first, ifRevision: second })).toMatchObject({ code: 409 });
    expect(await stored()).toEqual(['GET /a', 'GET /b', 'GET /c']);
  });

  it('is refused where it gives what the caller may not give', async () => {
    const first = await change(['GET /a']);
    await change([], ['GET /a']);
    caller = { ...administrator, roleId: 3, roleKey: 'former' };
    expect(await rollback({ revision: first })).toMatchObject({ code: 401 });
    caller = administrator;
    mayTouch = false;
    expect(await rollback({ revision: first })).toMatchObject({ code: 401 });
    expect(await stored()).toEqual([]);
  });

  it('waits for every instance, and leads to what the rules were after the revision', async () => {
    const states: [number, string[]][] = [];
    for (const [add, remove] of [
      [['GET /a', 'GET /b'], []],
      [['GET /c'], ['GET /a']],
      [['GET /a', 'PUT /c'], ['GET /c']],
      [[], ['GET /a', 'GET /b']],
    ] as const)
      states.push([await change([...add], [...remove]), await stored()]);
    await change(['GET /x'], [], 3);
    access.takeWritten();
    for (const [revision, rules] of states.toReversed()) {
      expect(await rollback({ revision })).toMatchObject({ code: 200, revision: expect.any(Number) });
      expect(await stored()).toEqual(rules);
    }
    expect(access.takeWritten().map(([way]) => way)).toEqual(Array(4).fill('takeAway'));
    expect(await stored(3)).toEqual(['GET /x']);
  });

  it('is a change like any other, and can be taken back itself', async () => {
    const first = await change(['GET /a']);
    const second = await change(['GET /b'], ['GET /a']);
    await rollback({ revision: first });
    const [latest] = (await history()).items;
    expect(latest).toMatchObject({
      added: { items: [rule('GET /a')] },
      removed: { items: [rule('GET /b')] },
      rolledBackTo: first,
    });
    const record = database.store.selectFrom('audit_log').selectAll().orderBy('id', 'desc').limit(1);
    expect(await record.executeTakeFirst()).toMatchObject({
      action: 'rules.rollback',
      before: { removed: { items: [rule('GET /b')] } },
      after: { added: { items: [rule('GET /a')] }, rolledBackTo: first },
    });
    await rollback({ revision: second });
    expect(await stored()).toEqual(['GET /b']);
  });

  it('does not bring back a rule that was never in force', async () => {
    const bad = { role_id: 2, method: 'get', path: '/(.*)' };
    await database.store.insertInto('rules').values(bad).execute();
    const first = await change(['GET /a']);
    await change([], ['get /(.*)', 'GET /a']);
    expect(await rollback({ revision: first })).toMatchObject({ code: 200 });
    expect(await stored()).toEqual(['GET /a']);
  });
});
