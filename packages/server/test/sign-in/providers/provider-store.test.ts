// What is read and changed of providers: the rows that are meant, and no row that differs in one thing.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import { insertLink } from '../../../src/sign-in/providers/link-store.ts';
import {
  countOfProvider,
  deleteProvider,
  findProvider,
  insertProvider,
  listProviders,
  listSessionsByOtherSettings,
  listSessionsByProvider,
  lockProviderEpoch,
  lockProviderExistence,
  lockProviderRow,
  lockUnchangedProvider,
  type ProviderFields,
  raiseProviderEpoch,
  setProviderSecret,
  updateProvider,
} from '../../../src/sign-in/providers/provider-store.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const [mei, kim] = [7, 8];
let one: number;
let two: number;
let directory: number;
beforeEach(async () => {
  for (const table of ['sessions', 'credentials', 'providers'])
    await sql`delete from ${sql.table(table)}`.execute(database.store);
  await sql`update users set decided_by_provider = false, password_hash = '$'`.execute(database.store);
  [one, two, directory] = [await add('one'), await add('two'), await add('directory', 'ldap')];
  for (const id of [one, two, directory]) await write((all) => raiseProviderEpoch(all, id, true));
});

const write = <T>(work: (transaction: StoreTransaction) => Promise<T>) =>
  database.store.transaction().execute(work);
const fieldsOf = (key: string): ProviderFields => ({
  name: key,
  settings: { issuer: 'https://sso.example', clientId: key, redirectUri: `https://a.example/${key}` },
  provisioning: 'linked',
  roleId: null,
  departmentId: null,
  isDefault: false,
  lifetimeSeconds: null,
});
const add = (key: string, kind: 'oidc' | 'ldap' = 'oidc', more: Partial<ProviderFields> = {}) =>
  write((transaction) => insertProvider(transaction, { key, kind, ...fieldsOf(key), ...more }));
const link = (userId: number, providerId: number) =>
  write((transaction) =>
    insertLink(transaction, { userId, providerId, subject: `${userId}`, name: `${userId}` }),
  );
const read = async (id: number) => await findProvider(database.store, { id });

async function addSession(
  userId: number,
  by?: { readonly providerId: number; readonly linkId: number },
  seconds = 60,
): Promise<string> {
  const jti = randomUUID();
  const provider = by && { ...by, epoch: (await read(by.providerId))?.epoch ?? 0, beganAt: new Date() };
  await insertSession(database.store, {
    jti,
    kid: 'k',
    account: { userId, roleKey: 'editor', epoch: 1 },
    proof: { method: by ? 'oidc' : 'password', factor: 1, ...(provider && { provider }) },
    issuedAt: new Date(),
    expiresAt: new Date(Date.now() + seconds * 1000),
  });
  return jti;
}

it('finds and locks the provider of the id or key, and lists all', async () => {
  const { store } = database;
  expect((await listProviders(store)).map(({ id }) => id)).toEqual([directory, one, two]);
  for (const [id, key] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    expect(await read(id)).toMatchObject({ id, key });
    expect(await findProvider(store, { key })).toMatchObject({ id, key });
    expect(await write((transaction) => lockProviderRow(transaction, id))).toMatchObject({ id, key });
  }
  await sql`update providers set provisioning = 'created' where id = ${two}`.execute(store);
  const keep = (id: number) => write((transaction) => lockProviderExistence(transaction, id));
  expect([await keep(one), await keep(two), await keep(123_456)]).toEqual([
    { provisioning: 'linked' },
    { provisioning: 'created' },
    undefined,
  ]);
});

it('holds a provider that is as it was when it was asked', async () => {
  const refusal = { kind: 'provider_refused' };
  const hold = (id: number, epoch: number) =>
    write((transaction) => lockUnchangedProvider(transaction, { id, epoch }));
  const holdEpoch = (id: number, epoch: number) =>
    write((transaction) => lockProviderEpoch(transaction, { id, epoch }));
  await write((transaction) => raiseProviderEpoch(transaction, two, false));
  expect([(await read(one))?.epoch, (await read(two))?.epoch]).toEqual([2, 3]);
  await hold(one, 2);
  await holdEpoch(one, 2);
  await holdEpoch(two, 3);
  for (const [id, epoch] of [
    [one, 1],
    [one, 3],
    [two, 3],
    [123_456, 2],
  ] as const)
    await expect(hold(id, epoch), `${id} ${epoch}`).rejects.toMatchObject(refusal);
  await expect(holdEpoch(two, 2)).rejects.toMatchObject(refusal);
  await expect(holdEpoch(123_456, 2)).rejects.toMatchObject(refusal);
});

it('changes one provider', async () => {
  const before = await read(two);
  await write(async (transaction) => {
    await updateProvider(transaction, one, { ...fieldsOf('changed'), lifetimeSeconds: 600 });
    await setProviderSecret(transaction, one, Buffer.of(1));
    await raiseProviderEpoch(transaction, one, false);
  });
  expect(await read(one)).toMatchObject({
    name: 'changed',
    lifetimeSeconds: 600,
    sealedSecret: Buffer.of(1),
    enabled: false,
    epoch: 3,
  });
  expect(await read(two)).toEqual(before);
});

it.each<[string, () => Promise<unknown>, object]>([
  ['a key', () => add('one', 'oidc', fieldsOf('other')), { kind: 'conflict' }],
  ['a redirect address', () => add('other', 'oidc', fieldsOf('one')), { kind: 'conflict' }],
  [
    'the default',
    async () => {
      await add('first', 'ldap', { isDefault: true });
      await add('second', 'ldap', { isDefault: true });
    },
    { kind: 'conflict' },
  ],
  ['a role that is not there', () => add('other', 'oidc', { roleId: 99 }), { kind: 'record_not_found' }],
  ['a lifetime out of bounds', () => add('other', 'oidc', { lifetimeSeconds: 1 }), { code: '23514' }],
])('rejects a provider that would share or name %s', async (_what, work, refusal) => {
  await expect(work()).rejects.toMatchObject(refusal);
});

it('deletes one provider with its links', async () => {
  await link(mei, one);
  const kept = await link(mei, two);
  await write((transaction) => deleteProvider(transaction, one));
  expect([await read(one), (await read(two))?.id]).toEqual([undefined, two]);
  const { rows } = await sql`select id from credentials`.execute(database.store);
  expect(rows).toEqual([{ id: kept }]);
});

it('counts the links and the live sessions of one provider', async () => {
  const { store } = database;
  const by = { providerId: one, linkId: await link(mei, one) };
  const others = { providerId: two, linkId: await link(kim, two) };
  await link(kim, one);
  await addSession(mei, by);
  await addSession(mei, by, -1);
  await addSession(kim, others);
  expect(await countOfProvider(store, one)).toEqual({ links: 2, sessions: 1 });
  await sql`update credentials set ended_at = now() where id = ${by.linkId}`.execute(store);
  await sql`insert into credentials (user_id, kind, factor) values (${mei}, 'totp', 2)`.execute(store);
  expect(await countOfProvider(store, one)).toEqual({ links: 1, sessions: 1 });
});

it('lists the sessions by a provider, at most so many, and none by another one or by none', async () => {
  const { store } = database;
  const by = { providerId: one, linkId: await link(mei, one) };
  const others = { providerId: two, linkId: await link(kim, two) };
  const own = [await addSession(mei, by), await addSession(mei, by)];
  await addSession(mei);
  await addSession(kim, others);
  expect((await listSessionsByProvider(store, one, 10)).toSorted()).toEqual(own.toSorted());
  expect(await listSessionsByProvider(store, one, 1)).toHaveLength(1);
});

it('lists with them what a linked account that a provider decides about opened without one', async () => {
  const { store } = database;
  const plain = await addSession(mei);
  const kims = await addSession(kim);
  const id = await link(mei, one);
  const list = () => listSessionsByProvider(store, one, 10);
  expect(await list(), 'no provider decides').toEqual([]);
  await sql`update users set decided_by_provider = true`.execute(store);
  expect(await list()).toEqual([plain]);
  expect(await listSessionsByOtherSettings(store, one, 10)).toEqual([plain]);
  expect(await listSessionsByProvider(store, two, 10), 'not linked').toEqual([]);
  await sql`update credentials set ended_at = now() where id = ${id}`.execute(store);
  expect(await list(), 'the link has ended').toEqual([]);
  await sql`delete from credentials`.execute(store);
  await link(kim, one);
  expect(await list()).toEqual([kims]);
});

it('lists of an account that is linked to a directory what it opened by another provider, and not by a directory', async () => {
  const { store } = database;
  const bySso = { providerId: one, linkId: await link(mei, one) };
  const elsewhere = await addSession(mei, bySso);
  const linkId = await link(mei, directory);
  const byDirectory = await addSession(mei, { providerId: directory, linkId });
  const second = await add('second', 'ldap');
  await write((transaction) => raiseProviderEpoch(transaction, second, true));
  const bySecond = await addSession(mei, { providerId: second, linkId: await link(mei, second) });
  expect((await listSessionsByProvider(store, directory, 10)).toSorted()).toEqual(
    [elsewhere, byDirectory].toSorted(),
  );
  expect(await listSessionsByProvider(store, one, 10)).toEqual([elsewhere]);
  expect((await listSessionsByProvider(store, second, 10)).toSorted()).toEqual(
    [elsewhere, bySecond].toSorted(),
  );
});

it('lists the sessions that rest on other settings', async () => {
  const { store } = database;
  const by = { providerId: one, linkId: await link(mei, one) };
  const others = { providerId: two, linkId: await link(kim, two) };
  const before = await addSession(mei, by);
  await addSession(kim, others);
  expect(await listSessionsByOtherSettings(store, one, 10)).toEqual([]);
  for (const id of [one, two])
    await write(async (transaction) => {
      await updateProvider(transaction, id, fieldsOf(`changed${id}`));
      await raiseProviderEpoch(transaction, id, true);
    });
  await addSession(mei, by);
  expect(await listSessionsByOtherSettings(store, one, 10)).toEqual([before]);
});
