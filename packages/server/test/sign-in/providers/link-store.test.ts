// What is read and changed of links, invitations and logouts: the rows that are meant, and no row that differs in one thing.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import { endFactors } from '../../../src/sign-in/mfa/credential-store.ts';
import {
  closeInvitations,
  findInvited,
  findLink,
  insertLink,
  insertLinkAttempt,
  listLinks,
  listUsersOfSession,
  lockEnabledUser,
  openInvitation,
  recordIdOnce,
  spendInvitation,
  takeLinkAttempt,
  useLink,
} from '../../../src/sign-in/providers/link-store.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { createLinkedPeople } from './linked-people.ts';

let database: FreshDatabase;
let sso: number;
let other: number;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const people = createLinkedPeople(database);
  [sso, other] = [await people.addProvider('oidc'), await people.addProvider('oidc')];
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['sessions', 'credentials', 'link_invitations', 'link_attempts', 'seen_ids'])
    await sql`delete from ${sql.table(table)}`.execute(database.store);
});

const [mei, kim] = [7, 8];
const write = <T>(work: (transaction: StoreTransaction) => Promise<T>) =>
  database.store.transaction().execute(work);
const link = (userId: number, providerId: number, subject: string) =>
  write((transaction) => insertLink(transaction, { userId, providerId, subject, name: subject }));
const end = (id: number) => write((transaction) => endFactors(transaction, [id]));

it('finds the link of the subject of the provider, and lists those of the user, until they end', async () => {
  const { store } = database;
  await sql`insert into credentials (user_id, kind, factor, subject, confirmed_at)
    values (${mei}, 'passkey', 3, 'sub', now())`.execute(store);
  expect(await findLink(store, sso, 'sub')).toBeUndefined();
  const elsewhere = await link(mei, other, 'sub');
  const kims = await link(kim, sso, 'sub of kim');
  expect(await findLink(store, sso, 'sub')).toBeUndefined();
  const own = await link(mei, sso, 'sub');
  expect(await findLink(store, sso, 'sub')).toEqual({
    id: own,
    userId: mei,
    providerId: sso,
    subject: 'sub',
  });
  const idsOf = async (userId: number) => (await listLinks(store, userId)).map(({ id }) => id);
  expect(await idsOf(mei)).toEqual([elsewhere, own]);
  expect(await idsOf(kim)).toEqual([kims]);
  await end(own);
  expect(await findLink(store, sso, 'sub')).toBeUndefined();
  expect(await idsOf(mei)).toEqual([elsewhere]);
});

it('rejects a second link of a subject, and of a user to one provider, and confirms only its new link', async () => {
  await sql`insert into credentials (user_id, kind, factor) values (${kim}, 'totp', 2)`.execute(
    database.store,
  );
  await link(mei, sso, 'sub');
  await expect(link(kim, sso, 'sub')).rejects.toMatchObject({ kind: 'conflict' });
  await expect(link(mei, sso, 'another')).rejects.toMatchObject({ kind: 'conflict' });
  await expect(link(mei, 123_456, 'sub')).rejects.toMatchObject({ code: '23503' });
  const { rows } = await sql`select kind from credentials where confirmed_at is null`.execute(database.store);
  expect(rows).toEqual([{ kind: 'totp' }]);
});

it('notes the use of one link, with the groups that can be stored, and keeps those before where none are named', async () => {
  const { store } = database;
  const [one, two] = [await link(mei, sso, 'one'), await link(kim, sso, 'two')];
  await sql`update credentials set used_at = null`.execute(store);
  const read = async (id: number) =>
    (
      await sql<{ groups: unknown; used: boolean }>`
        select groups, used_at is not null as used from credentials where id = ${id}`.execute(store)
    ).rows[0];
  await useLink(store, one, ['staff', 'not\u0000text']);
  expect(await read(one)).toEqual({ groups: ['staff'], used: true });
  expect(await read(two)).toEqual({ groups: null, used: false });
  await useLink(store, one, undefined);
  expect(await read(one)).toMatchObject({ groups: ['staff'] });
});

it('keeps an invitation by its provider and code, until it expires, is spent or is taken back', async () => {
  const codes = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  const [first, second, expired] = codes;
  const open = (userId: number, providerId: number, hash: Buffer, seconds = 60) =>
    write((transaction) =>
      openInvitation(transaction, {
        ...{ userId, providerId, hash },
        expiresAt: new Date(Date.now() + seconds * 1000),
      }),
    );
  const find = (providerId: number, hash: Buffer) =>
    write((transaction) => findInvited(transaction, providerId, hash));
  const spend = (providerId: number, hash: Buffer) =>
    write((transaction) => spendInvitation(transaction, providerId, hash));
  const close = (userId: number, providerId: number) =>
    write((transaction) => closeInvitations(transaction, userId, providerId));
  await open(mei, sso, first);
  await open(kim, sso, second);
  await open(kim, other, expired, -1);
  expect(await find(other, first)).toBeUndefined();
  expect([await find(sso, first), await find(sso, second)]).toEqual([mei, kim]);
  expect(await spend(other, first)).toBeUndefined();
  expect(await spend(other, expired)).toBeUndefined();
  expect(await spend(sso, randomBytes(32))).toBeUndefined();
  expect(await spend(sso, second)).toBe(kim);
  expect(await spend(sso, second)).toBeUndefined();
  expect(await find(sso, first)).toBe(mei);
  expect(await close(kim, sso)).toBe(false);
  expect(await close(mei, other)).toBe(false);
  expect(await close(mei, sso)).toBe(true);
  expect(await find(sso, first)).toBeUndefined();
  expect(await find(other, expired)).toBe(kim);
});

it('locks an account that is enabled and not deleted', async () => {
  const lock = (userId: number) => write((transaction) => lockEnabledUser(transaction, userId));
  const set = (fields: object) =>
    database.store.updateTable('users').set(fields).where('id', '=', mei).execute();
  expect([await lock(mei), await lock(123_456)]).toEqual([true, false]);
  await set({ enabled: false });
  expect([await lock(mei), await lock(kim)]).toEqual([false, true]);
  await set({ enabled: true, deleted_at: new Date() });
  expect(await lock(mei)).toBe(false);
  await set({ deleted_at: null });
});

it('returns a flow once, for its handle, until it expires', async () => {
  const { store } = database;
  const [one, two, three] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const journey = { userId: mei, providerId: sso, jti: 'j' };
  for (const handle of [one, two, three]) await insertLinkAttempt(store, handle, journey);
  await sql`update link_attempts set expires_at = now() where handle_hash = ${two}`.execute(store);
  expect(await takeLinkAttempt(store, randomBytes(32))).toBeUndefined();
  expect(await takeLinkAttempt(store, one)).toEqual(journey);
  expect(await takeLinkAttempt(store, one)).toBeUndefined();
  expect(await takeLinkAttempt(store, two)).toBeUndefined();
  expect(await takeLinkAttempt(store, three)).toEqual(journey);
});

it('sees each id of a kind once', async () => {
  const see = (kind: string, hash: Buffer) =>
    write((transaction) => recordIdOnce(transaction, kind, hash, new Date(Date.now() + 60_000)));
  const [one, two] = [randomBytes(32), randomBytes(32)];
  expect([await see('logout', one), await see('logout', one)]).toEqual([true, false]);
  expect([await see('logout', two), await see('recheck', one)]).toEqual([true, true]);
});

it('lists whose sessions rest on a session of the provider', async () => {
  const { store } = database;
  const epochs = await sql<{ id: number; epoch: number }>`select id, epoch from providers`.execute(store);
  const add = async (userId: number, providerId: number, session: string) => {
    const linkId =
      (await findLink(store, providerId, `${userId}`))?.id ?? (await link(userId, providerId, `${userId}`));
    await insertSession(store, {
      jti: randomUUID(),
      kid: 'k',
      account: { userId, roleKey: 'editor', epoch: 1 },
      proof: {
        method: 'oidc',
        factor: 1,
        provider: {
          ...{ providerId, session, linkId, beganAt: new Date() },
          epoch: epochs.rows.find(({ id }) => id === providerId)?.epoch ?? 0,
        },
      },
      issuedAt: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    });
  };
  await add(mei, sso, 'sid');
  await add(mei, sso, 'sid');
  await add(kim, sso, 'another');
  await add(kim, other, 'sid');
  expect(await listUsersOfSession(store, sso, 'sid')).toEqual([mei]);
});
