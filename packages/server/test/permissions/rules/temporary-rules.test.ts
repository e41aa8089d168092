import { AppError, type Caller } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { readDatabaseTime } from '../../../src/cluster/revision-store.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { deleteRole } from '../../../src/people/roles/role-access-store.ts';
import { ruleRoutes } from '../../../src/permissions/rules/routes.ts';
import {
  hasEndedRules,
  listTemporaryRules,
  removeEndedRules,
} from '../../../src/permissions/rules/temporary-rule-store.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
/** What the caller's role may do, as `METHOD /path`. */
let mayDo: readonly string[];

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const routes = ruleRoutes({
    store: database.store,
    access,
    recordChange: createRecordChange(),
    checkRules: async (_transaction, { roleKey }, _roleId, rules) => {
      const isWithin = rules.every(({ method, path }) => mayDo.includes(`${method} ${path}`));
      if (roleKey !== 'admin' && !isWithin) throw new AppError('exceeds_own_permissions');
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
  await database.store.deleteFrom('temporary_rules').execute();
  access.takeWritten();
  caller = administrator;
  mayDo = [];
});

const rule = { method: 'GET', path: '/orders' };
const change = (body: object, id = 2) => served.send('POST', `/roles/${id}/temporary-rules`, body);
const list = async () => (await served.send('GET', '/roles/2/temporary-rules')).data as { items: object[] };
const endAll = () =>
  database.store
    .updateTable('temporary_rules')
    .set({ ends_at: new Date(0) })
    .execute();
const databaseTime = () => readDatabaseTime(database.store);

describe('a change of temporary rules', () => {
  it.each([
    ['nothing at all', {}],
    ['a rule without an end', { set: [rule] }],
    ['fewer than ten seconds', { set: [{ ...rule, seconds: 9 }] }],
    ['half a second', { set: [{ ...rule, seconds: 10.5 }] }],
    ['more than 31 days', { set: [{ ...rule, seconds: 31 * 24 * 3600 + 1 }] }],
    ['an absolute end', { set: [{ ...rule, seconds: 300, endsAt: 1 }] }],
    ['a rule outside the grammar', { set: [{ method: 'GET', path: '/(.*)', seconds: 300 }] }],
    ['the same rule on both lists', { set: [{ ...rule, seconds: 300 }], remove: [rule] }],
  ])('with %s is answered with 400', async (_what, body) => {
    expect(await change(body)).toMatchObject({ code: 400 });
    expect(access.takeWritten()).toEqual([]);
  });

  it('that leaves a role with more than a hundred that have not ended is answered with 400', async () => {
    const set = Array.from({ length: 100 }, (_, at) => ({
      method: 'GET',
      path: `/many/${at}`,
      seconds: 300,
    }));
    expect(await change({ set })).toMatchObject({ code: 200 });
    expect(await change({ set: [{ ...rule, seconds: 300 }] })).toMatchObject({ code: 400 });
    expect((await list()).items).toHaveLength(100);
    await endAll();
    expect(await change({ set: [{ ...rule, seconds: 300 }] })).toMatchObject({ code: 200 });
  });

  it('of admin, of an unknown role or beyond the caller is refused, also where it only removes', async () => {
    expect(await change({ set: [{ ...rule, seconds: 300 }] }, 1)).toMatchObject({ code: 409 });
    expect(await change({ set: [{ ...rule, seconds: 300 }] }, 99)).toMatchObject({ code: 404 });
    await change({ set: [{ ...rule, seconds: 300 }] });
    caller = { ...administrator, roleKey: 'editor' };
    expect(await change({ remove: [rule] })).toMatchObject({ code: 401 });
    mayDo = ['GET /orders'];
    expect(await change({ remove: [rule] })).toMatchObject({ code: 200 });
  });

  it('gives a rule until an end by the clock of the database, through the barrier', async () => {
    const before = await databaseTime();
    expect(await change({ set: [{ ...rule, seconds: 300 }] })).toMatchObject({ code: 200 });
    const after = await databaseTime();
    const [[way, changes] = []] = access.takeWritten();
    expect([way, changes]).toEqual([
      'takeAway',
      [{ kind: 'temporary_rule_set', roleKey: 'editor', ...rule, endsAt: expect.any(Number) }],
    ]);
    const [stored] = await listTemporaryRules(database.store);
    expect(stored?.endsAt).toBeGreaterThanOrEqual(before + 300_000);
    expect(stored?.endsAt).toBeLessThanOrEqual(after + 300_001);
    expect((await list()).items).toEqual([
      {
        ...rule,
        endsAt: new Date(Math.floor(stored?.endsAt ?? 0)).toISOString(),
        givenBy: administrator.username,
      },
    ]);
  });

  it('gives one that is there its new end, and takes one away before it', async () => {
    await change({ set: [{ ...rule, seconds: 30_000 }] });
    await change({ set: [{ ...rule, seconds: 300 }] });
    const [stored] = await listTemporaryRules(database.store);
    expect(stored?.endsAt).toBeLessThan((await databaseTime()) + 300_001);
    access.takeWritten();
    await change({ remove: [rule] });
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'temporary_rule_removed', roleKey: 'editor', ...rule }]],
    ]);
  });

  it('is recorded with its actor', async () => {
    await change({ set: [{ ...rule, seconds: 300 }] });
    const record = await database.store
      .selectFrom('audit_log')
      .select(['action', 'target', 'after'])
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(record).toMatchObject({
      action: 'rules.temporary',
      target: 'role 2',
      after: { set: [{ ...rule, seconds: 300 }] },
    });
  });
});

it('those that have ended are not listed, and are removed', async () => {
  expect(await hasEndedRules(database.store)).toBe(false);
  await change({ set: [{ ...rule, seconds: 300 }] });
  expect(await hasEndedRules(database.store)).toBe(false);
  await endAll();
  expect([(await list()).items, await hasEndedRules(database.store)]).toEqual([[], true]);
  expect(await database.store.transaction().execute(removeEndedRules)).toEqual([
    { kind: 'temporary_rule_removed', roleKey: 'editor', ...rule },
  ]);
  expect(await listTemporaryRules(database.store)).toEqual([]);
});

it('they go with their role, and leave the memory of every member', async () => {
  await database.store
    .insertInto('roles')
    .values({ id: 70, role_key: 'brief', name: 'Brief', data_scope: '5' })
    .execute();
  await change({ set: [{ ...rule, seconds: 300 }] }, 70);
  const changes = await database.store
    .transaction()
    .execute((transaction) => deleteRole(transaction, { id: 70, roleKey: 'brief' } as never));
  expect(changes).toContainEqual({ kind: 'temporary_rule_removed', roleKey: 'brief', ...rule });
});
