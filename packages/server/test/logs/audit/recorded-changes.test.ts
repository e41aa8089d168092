// The changes of keys, sessions and the catalogue leave their record, in the same transaction.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createRecordChange, type RecordChange } from '../../../src/logs/audit/record-change.ts';
import { createCanManageCheck } from '../../../src/people/roles/can-manage/can-manage-check.ts';
import { catalogRoutes } from '../../../src/permissions/catalog/routes.ts';
import { createKeyRow } from '../../../src/sign-in/keys/create-key.ts';
import { insertKey } from '../../../src/sign-in/keys/key-store.ts';
import { keyRoutes } from '../../../src/sign-in/keys/routes.ts';
import { sessionRoutes } from '../../../src/sign-in/sessions/routes.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const sealingKey = randomBytes(32);
const jti = 'S'.repeat(22);
let database: FreshDatabase;
let served: ServedRoutes;
let broken = false;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  const record = createRecordChange();
  const recordChange: RecordChange = async (...change) => {
    await record(...change);
    if (broken) throw new Error('The disk is full.');
  };
  const options = {
    store,
    access: createAccessStandIn(store),
    recordChange,
    canManage: createCanManageCheck({ mayDo: async () => true, mayDoAll: async () => true }),
    sealingKey,
    dev: false,
    maxTokenLifetimeSeconds: 3600,
  };
  const keys = keyRoutes(options);
  const sessions = sessionRoutes({ ...options, listDepartments: async () => undefined });
  const catalog = catalogRoutes({
    ...options,
    endpoints: [],
    exclusions: [],
    memory: undefined,
  });
  served = serveRoutes([...keys, ...sessions, ...catalog]);
  await seedDirectory(store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  broken = false;
  for (const table of ['audit_log', 'sessions', 'revocations', 'keys', 'catalog'] as const)
    await database.store.deleteFrom(table).execute();
  for (const [kid, signing] of [
    ['first', true],
    ['second', false],
  ] as const)
    await database.store
      .transaction()
      .execute((transaction) => insertKey(transaction, { ...createKeyRow(sealingKey), kid, signing }, false));
  await insertSession(database.store, {
    jti,
    kid: 'first',
    account: { userId: 7, roleKey: 'editor', epoch: 1 },
    issuedAt: new Date('2026-03-01T00:00:00Z'),
    expiresAt: new Date('2099-01-01T00:00:00Z'),
  });
});

const records = async () =>
  await database.store
    .selectFrom('audit_log')
    .select(['action', 'target', 'before', 'after'])
    .orderBy('id')
    .execute();
const document = (...paths: string[]) => ({
  openapi: '3.1.0',
  paths: Object.fromEntries(paths.map((path) => [path, { get: {} }])),
});
const session = { userId: 7, issuedAt: '2026-03-01T00:00:00.000Z', expiresAt: '2099-01-01T00:00:00.000Z' };

it('a change whose record cannot be stored is not made', async () => {
  broken = true;
  expect(await served.send('POST', '/keys/second/activate')).toMatchObject({ code: 500 });
  expect(await served.send('DELETE', `/sessions/${jti}`)).toMatchObject({ code: 500 });
  expect(await served.send('PUT', '/routes/orders', document('/a'))).toMatchObject({ code: 500 });
  expect(await records()).toEqual([]);
  const signing = await database.store.selectFrom('keys').select('kid').where('signing', '=', true).execute();
  expect(signing).toEqual([{ kid: 'first' }]);
  expect(await database.store.selectFrom('revocations').selectAll().execute()).toEqual([]);
  expect(await database.store.selectFrom('catalog').selectAll().execute()).toEqual([]);
});

it.each([
  ['POST', '/keys/none/activate', 404],
  ['POST', '/keys/first/retire', 409],
  ['POST', '/keys/first/activate', 200],
  ['DELETE', `/sessions/${'N'.repeat(22)}`, 404],
  ['DELETE', '/users/4711/sessions', 404],
  ['DELETE', '/routes/orders', 404],
] as const)('%s %s, which changes nothing, leaves no record', async (method, url, code) => {
  expect(await served.send(method, url)).toMatchObject({ code });
  expect(await records()).toEqual([]);
});

it.each([
  ['POST', '/keys/second/activate', 'key.activate', 'key second', 'standby', 'signing'],
  ['POST', '/keys/second/retire', 'key.retire', 'key second', 'standby', 'retired'],
  ['POST', '/keys/first/emergency-retire', 'key.emergency_retire', 'key first', 'signing', 'retired'],
] as const)('%s %s leaves its record', async (method, url, action, target, before, after) => {
  expect(await served.send(method, url)).toMatchObject({ code: 200 });
  expect(await records()).toEqual([{ action, target, before: { state: before }, after: { state: after } }]);
});

it('a new key leaves its record, without the key itself', async () => {
  const { data } = await served.send('POST', '/keys');
  const { kid } = data as { kid: string };
  expect(await records()).toEqual([
    { action: 'key.create', target: `key ${kid}`, before: null, after: { state: 'standby' } },
  ]);
});

it('ending a session leaves one record, also where it is asked for twice', async () => {
  await served.send('DELETE', `/sessions/${jti}`);
  await served.send('DELETE', `/sessions/${jti}`);
  expect(await records()).toEqual([
    { action: 'session.end', target: `session ${jti}`, before: session, after: null },
  ]);
});

it('records the end of the sessions of one user, and of all users', async () => {
  await served.send('DELETE', '/users/7/sessions');
  await served.send('DELETE', '/sessions');
  const [ofUser, ofAll] = await records();
  expect(ofUser).toEqual({
    action: 'user.end_sessions',
    target: 'user 7',
    before: { epoch: 1 },
    after: { epoch: 2 },
  });
  expect(ofAll).toEqual({
    action: 'session.end_all',
    target: 'every session',
    before: { signingKey: 'first' },
    after: { signingKey: expect.not.stringMatching(/^first$/) },
  });
});

it('the catalogue leaves its records, in numbers', async () => {
  await served.send('PUT', '/routes/orders', document('/a', '/b'));
  await served.send('PUT', '/routes/orders', document('/b', '/c', '/d'));
  await served.send('DELETE', '/routes/orders');
  const target = 'service orders';
  expect(await records()).toEqual([
    {
      action: 'catalog.import',
      target,
      before: { routes: 0 },
      after: { routes: 2, added: 2, removed: 0 },
    },
    { action: 'catalog.import', target, before: { routes: 2 }, after: { routes: 3, added: 2, removed: 1 } },
    { action: 'catalog.remove', target, before: { routes: 3 }, after: null },
  ]);
});
