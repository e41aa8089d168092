// Whether a directory is asked for passwords at all, which is returned with every name: of an account here, and of no account.

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  endLinksOfNow,
  listLiveLinks,
  refuseLoginsUnderWay,
} from '../../../../src/sign-in/providers/ldap/recheck-store.ts';
import {
  findInvitedSource,
  findSource,
  listEnabledDirectories,
} from '../../../../src/sign-in/providers/ldap/source-store.ts';
import { hashInvitation } from '../../../../src/sign-in/providers/link-changes.ts';
import { insertLink, openInvitation } from '../../../../src/sign-in/providers/link-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople } from '../linked-people.ts';

describe.each([
  ['an account here', 'mei'],
  ['no account', 'nobody'],
])('the name of %s', (_, username) => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await createFreshDatabase();
    await seedDirectory(database.store);
  });
  afterAll(() => database.drop());

  it('returns whether a directory is enabled: false without one and with a disabled one, and true with an enabled one', async () => {
    const { store } = database;
    expect(await findSource(store, username)).toEqual({ isAnyEnabled: false });
    const providerId = await createLinkedPeople(database).addProvider('ldap');
    const enable = async (enabled: boolean) =>
      await store.updateTable('providers').set({ enabled }).where('id', '=', providerId).execute();
    await enable(false);
    expect(await findSource(store, username)).toEqual({ isAnyEnabled: false });
    await enable(true);
    expect(await findSource(store, username)).toEqual({ isAnyEnabled: true, providerId });
  });
});

describe('among several providers', () => {
  let database: FreshDatabase;
  let people: ReturnType<typeof createLinkedPeople>;
  let first: number;
  let second: number;
  let sso: number;
  beforeAll(async () => {
    database = await createFreshDatabase();
    await seedDirectory(database.store);
    people = createLinkedPeople(database);
    [first, second, sso] = [
      await people.addProvider('ldap'),
      await people.addProvider('ldap'),
      await people.addProvider('oidc'),
    ];
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    for (const table of ['sessions', 'credentials', 'link_invitations', 'provider_logouts'])
      await sql`delete from ${sql.table(table)}`.execute(database.store);
    await sql`update providers set is_default = false, enabled = true`.execute(database.store);
    await sql`update users set deleted_at = null`.execute(database.store);
  });

  const [mei, kim] = [7, 8];
  const link = (userId: number, providerId: number) =>
    database.store
      .transaction()
      .execute((transaction) =>
        insertLink(transaction, { userId, providerId, subject: `${userId}`, name: `${userId}` }),
      );
  const change = (text: string) => sql`${sql.raw(text)}`.execute(database.store);
  const sourceOf = async (username: string) => (await findSource(database.store, username)).source;

  it('lists the directories that are enabled', async () => {
    expect(await listEnabledDirectories(database.store)).toEqual([first, second]);
    await change(`update providers set enabled = false where id = ${first}`);
    expect(await listEnabledDirectories(database.store)).toEqual([second]);
  });

  it('verifies an account by the directory of its link, as long as both exist', async () => {
    await link(kim, first);
    await link(mei, sso);
    expect(await sourceOf('mei')).toBeUndefined();
    const id = await link(mei, second);
    const source = { providerId: second, link: { id, userId: mei, subject: `${mei}` } };
    expect(await sourceOf('mei')).toMatchObject(source);
    expect(await sourceOf('Mei')).toMatchObject(source);
    expect(await sourceOf('me\u0000i')).toBeUndefined();
    await change(`update credentials set confirmed_at = null where id = ${id}`);
    expect(await sourceOf('mei')).toBeUndefined();
    await change(`update credentials set confirmed_at = now(), ended_at = now() where id = ${id}`);
    expect(await sourceOf('mei')).toBeUndefined();
    await change(`update credentials set ended_at = null where id = ${id}`);
    await change(`update providers set enabled = false where id = ${second}`);
    expect(await sourceOf('mei')).toBeUndefined();
  });

  it('verifies a name without an account by the default directory, and no other name', async () => {
    expect(await sourceOf('nobody')).toBeUndefined();
    await change(`update providers set is_default = true where id = ${second}`);
    expect(await sourceOf('nobody')).toMatchObject({ providerId: second, link: undefined });
    expect(await sourceOf('mei'), 'verified here').toBeUndefined();
    expect(await sourceOf('no\u0000body')).toBeUndefined();
    await change(`update users set deleted_at = now() where id = ${mei}`);
    expect(await sourceOf('mei'), 'a deleted account').toMatchObject({ providerId: second, link: undefined });
    await change(
      `update providers set is_default = false; update providers set is_default = true where id = ${sso}`,
    );
    expect(await sourceOf('nobody'), 'no directory').toBeUndefined();
  });

  it('leads an invitation to its directory until it expires', async () => {
    const { store } = database;
    const open = (userId: number, providerId: number, code: string, seconds: number) =>
      store.transaction().execute((transaction) =>
        openInvitation(transaction, {
          ...{ userId, providerId, hash: hashInvitation(providerId, code) },
          expiresAt: new Date(Date.now() + seconds * 1000),
        }),
      );
    await open(mei, first, 'AAAA', -1);
    await open(kim, first, 'CCCC', 60);
    await open(mei, second, 'BBBB', 60);
    const find = async (code: string, ids = [first, second]) =>
      (await findInvitedSource(store, code, ids))?.providerId;
    expect([await find('AAAA'), await find('BBBB'), await find('DDDD')]).toEqual([
      undefined,
      second,
      undefined,
    ]);
    expect([await find('BBBB', [first]), await find('BBBB', [])]).toEqual([undefined, undefined]);
  });

  it('rechecks people with a link to the directory and a session that has not expired', async () => {
    const { store } = database;
    const [one, two] = [await people.addPerson(first, 2, []), await people.addPerson(first, 2, [])];
    await people.addPerson(second, 2, []);
    await link(mei, first);
    await sql`insert into credentials (user_id, kind, factor) values (${one.userId}, 'totp', 2)`.execute(
      store,
    );
    const listed = async () => (await listLiveLinks(store, first)).map(({ id }) => id);
    expect(await listed()).toEqual([one.linkId, two.linkId]);
    await change(`update sessions set expires_at = now() where user_id = ${one.userId}`);
    expect(await listed()).toEqual([two.linkId]);
    await change(`update credentials set ended_at = now() where id = ${two.linkId}`);
    expect(await listed()).toEqual([]);
  });

  it('refuses the logins under way of one directory, and ends the sessions of the links that are named', async () => {
    const { store } = database;
    const before = { first: await people.epochOf(first), second: await people.epochOf(second) };
    await store.transaction().execute((transaction) => refuseLoginsUnderWay(transaction, first));
    expect(await people.epochOf(first)).toBe((before.first ?? 0) + 1);
    expect(await people.epochOf(second)).toBe(before.second);
    const [one, two] = [await people.addPerson(first, 2, []), await people.addPerson(first, 2, [])];
    await store
      .transaction()
      .execute((transaction) =>
        endLinksOfNow(transaction, first, [{ id: one.linkId, subject: one.subject }]),
      );
    expect([await people.isIn(one), await people.isIn(two)]).toEqual([false, true]);
    const { rows } = await sql`select provider_id::int as id, kind, value from provider_logouts`.execute(
      store,
    );
    expect(rows).toEqual([{ id: first, kind: 'subject', value: one.subject }]);
  });
});
