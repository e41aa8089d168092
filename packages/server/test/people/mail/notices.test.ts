// What the database itself puts into the queue of mails, and who gets no link for a forgotten password.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findCode, insertCode, prepareLinkMail } from '../../../src/people/passwords/password-code-store.ts';
import { resetPassword } from '../../../src/people/users/user-access-store.ts';
import { noPassword } from '../../../src/people/users/user-store.ts';
import { endFactors } from '../../../src/sign-in/mfa/credential-store.ts';
import { insertLink } from '../../../src/sign-in/providers/link-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

const [mei, kim] = [7, 8];
const address = 'mei@example.com';
let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await sql`update users set mail = ${address}, password_hash = '$argon2id$before' where id = ${mei}`.execute(
    database.store,
  );
  await sql`update users set mail = 'kim@example.com' where id = ${kim}`.execute(database.store);
});
beforeEach(() => database.store.deleteFrom('mails').execute());
afterAll(() => database.drop());

async function listQueued(): Promise<unknown[]> {
  return await database.store
    .selectFrom('mails')
    .select(['kind', 'user_id', 'address', 'facts'])
    .orderBy('created_at')
    .execute();
}

it('has a notice of a password that an administrator reset', async () => {
  const { store } = database;
  const user = await store.selectFrom('users').selectAll().where('id', '=', mei).executeTakeFirstOrThrow();
  await store.transaction().execute(async (transaction) => {
    const changed = { ...user, name: user.nick_name, departmentId: 1, roleId: 2 };
    await resetPassword(transaction, changed, '$argon2id$after');
  });
  expect(await listQueued()).toEqual([{ kind: 'password_changed', user_id: mei, address, facts: {} }]);
});

it('has a notice of a factor that was removed, and none of one that was never confirmed', async () => {
  const { store } = database;
  const add = async (kind: string, confirmed: boolean) => {
    const { rows } = await sql<{ id: number }>`
      insert into credentials (user_id, kind, factor, confirmed_at)
      values (${mei}, ${kind}, 2, case when ${confirmed} then now() end) returning id`.execute(store);
    return rows[0]?.id ?? 0;
  };
  const [app, begun] = [await add('totp', true), await add('passkey', false)];
  await store.transaction().execute((transaction) => endFactors(transaction, [app, begun]));
  const notice = { kind: 'factor_removed', user_id: mei, address, facts: { factor: 'totp' } };
  expect(await listQueued()).toEqual([notice]);
});

it('sends a link for a forgotten password to no person whom a provider decides about', async () => {
  const { store } = database;
  const ask = async () => {
    const id = randomUUID();
    await store.insertInto('mails').values({ id, kind: 'password_reset', address }).execute();
    const code = { hash: Buffer.from(id), seconds: 60 };
    return (await prepareLinkMail(store, { id, userId: null, address }, code))?.address;
  };
  expect(await ask()).toBe(address);
  await sql`update users set decided_by_provider = true where id = ${mei}`.execute(store);
  expect(await ask()).toBeUndefined();
});

describe('an update of a user', () => {
  interface Case {
    readonly before?: string;
    readonly update: string;
  }

  /** Of a person of the test alone, between two others who have an address too: what is queued and what is left. */
  async function update({ before = 'enabled = enabled', update }: Case) {
    const { store } = database;
    const code = randomUUID();
    const { rows } = await sql<{ id: number }>`
      insert into users (username, canonical_username, department_id, role_id, password_hash, mail)
      values (${code}, ${code}, 1, 2, '$argon2id$before', ${`${code}@example.com`}) returning id`.execute(
      store,
    );
    const id = rows[0]?.id ?? 0;
    await sql`update users set ${sql.raw(before)} where id = ${id}`.execute(store);
    await store.deleteFrom('mails').execute();
    const codes = { id: code, user_id: id, kind: 'reset', hash: Buffer.from(code), expires_at: new Date() };
    const others = { ...codes, id: randomUUID(), user_id: mei };
    await store
      .insertInto('password_codes')
      .values([codes, others] as never)
      .execute();
    for (const userId of [id, mei])
      await sql`insert into mails (kind, user_id, address) values ('invitation', ${userId}, ${address})`.execute(
        store,
      );
    await sql`update users set ${sql.raw(update)} where id = ${id}`.execute(store);
    const left = await store.selectFrom('password_codes').select('user_id').execute();
    const mails = await store.selectFrom('mails').select(['kind', 'user_id']).execute();
    const user = await store
      .selectFrom('users')
      .select('mail')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await store.deleteFrom('password_codes').execute();
    const isOf = (userId: number) => (row: { user_id: number | null }) => row.user_id === userId;
    expect([left.filter(isOf(mei)).length, mails.filter(isOf(mei)).length]).toEqual([1, 1]);
    return {
      hasCode: left.some(isOf(id)),
      kinds: mails.filter((row) => row.user_id !== mei).map(({ kind }) => kind),
      hasMail: user.mail !== null,
    };
  }

  const kept = { hasCode: true, kinds: ['invitation'], hasMail: true };
  const next = 'epoch = epoch + 1';
  it.each<[what: string, of: Case, outcome: object]>([
    [
      'that changes none of them',
      { update: 'password_hash = password_hash, enabled = enabled, mail = mail' },
      kept,
    ],
    ['that ends its sessions', { update: `password_hash = password_hash, ${next}` }, kept],
    ['that stores a stronger hash', { update: `password_hash = '$argon2id$stronger'` }, kept],
    [
      'that changes the password',
      { update: `password_hash = '$argon2id$after', ${next}` },
      { ...kept, hasCode: false, kinds: ['invitation', 'password_changed'] },
    ],
    [
      'that sets the first password',
      { before: `password_hash = '!'`, update: `password_hash = '$argon2id$after', ${next}` },
      { ...kept, hasCode: false },
    ],
    ['that disables it', { update: 'enabled = false' }, { ...kept, hasCode: false }],
    ['that leaves it disabled', { before: 'enabled = false', update: 'enabled = false' }, kept],
    ['that enables it', { before: 'enabled = false', update: 'enabled = true' }, kept],
    ['that changes the address', { update: `mail = 'new@example.com'` }, { ...kept, hasCode: false }],
    ['that leaves it undeleted', { update: 'deleted_at = null' }, kept],
    [
      'that deletes it without an address',
      { before: 'mail = null', update: 'deleted_at = now()' },
      { hasCode: false, kinds: [], hasMail: false },
    ],
    ['that deletes it', { update: 'deleted_at = now()' }, { hasCode: false, kinds: [], hasMail: false }],
    [
      'that moves the time of its deletion',
      { before: 'deleted_at = now()', update: `deleted_at = now() + interval '1 second'` },
      { ...kept, hasMail: false },
    ],
    [
      'that takes its deletion back',
      { before: 'deleted_at = now()', update: 'deleted_at = null' },
      { ...kept, hasMail: false },
    ],
  ])(
    '%s has its effect on its own codes, mails and address, and on no others',
    async (_what, of, outcome) => {
      expect(await update(of)).toEqual(outcome);
    },
  );
});

describe('a factor of which the end', () => {
  it.each([
    ['is moved', 'ended_at = now()', `ended_at = now() + interval '1 second'`],
    ['is taken back', 'ended_at = now()', 'ended_at = null'],
    ['is not there', 'ended_at = null', 'ended_at = null'],
  ])('%s has no notice', async (_what, before, update) => {
    const { store } = database;
    const { rows } = await sql<{ id: number }>`
      insert into credentials (user_id, kind, factor, confirmed_at) values (${mei}, 'passkey', 2, now()) returning id`.execute(
      store,
    );
    const id = rows[0]?.id ?? 0;
    await sql`update credentials set ${sql.raw(before)} where id = ${id}`.execute(store);
    await store.deleteFrom('mails').execute();
    await sql`update credentials set ${sql.raw(update)} where id = ${id}`.execute(store);
    expect(await listQueued()).toEqual([]);
    await store.deleteFrom('credentials').where('id', '=', id).execute();
  });
});

describe('a notice', () => {
  const tell = (userId: number, kind = 'password_changed') =>
    sql`select tell_by_mail(${userId}, ${kind}, '{}')`.execute(database.store);
  const told = async () =>
    (await database.store.selectFrom('mails').select(['user_id', 'kind']).execute()).map(
      ({ user_id, kind }) => [user_id, kind],
    );

  it('is sent to no person without an address, and to no deleted person', async () => {
    const { store } = database;
    await sql`update users set mail = null where id = ${kim}`.execute(store);
    await tell(kim);
    expect(await told()).toEqual([]);
    await sql`update users set deleted_at = now() where id = ${kim}`.execute(store);
    await sql`update users set mail = 'kim@example.com' where id = ${kim}`.execute(store);
    await tell(kim);
    expect(await told()).toEqual([]);
    await sql`update users set deleted_at = null where id = ${kim}`.execute(store);
    await tell(kim);
    expect(await told()).toEqual([[kim, 'password_changed']]);
  });

  it('is one of ten of its kind a day for its person, and those of others do not count', async () => {
    for (const [userId, kind] of [
      [kim, 'password_changed'],
      [mei, 'new_device'],
    ] as const)
      for (let count = 0; count < 10; count += 1) await tell(userId, kind);
    await tell(mei);
    for (let count = 0; count < 12; count += 1) await tell(mei);
    expect((await told()).filter(([id, kind]) => id === mei && kind === 'password_changed')).toHaveLength(10);
    await sql`update mails set created_at = created_at - interval '1 day'`.execute(database.store);
    await tell(mei);
    expect((await told()).filter(([id, kind]) => id === mei && kind === 'password_changed')).toHaveLength(11);
  });
});

it('releases an address for another person after its person is deleted', async () => {
  const { store } = database;
  const add = (username: string, mail: string | null, deleted: Date | null = null) =>
    store
      .insertInto('users')
      .values({
        username,
        canonical_username: username,
        department_id: 1,
        role_id: 2,
        password_hash: 'hash',
        mail,
        deleted_at: deleted,
      })
      .execute();
  await add('gone', 'shared@example.com', new Date());
  await add('first', 'shared@example.com');
  await expect(add('second', 'Shared@example.com')).rejects.toThrow('users_mail');
  await add('third', null);
  await add('fourth', null);
});

it('mails of one address are counted up to the most of a day', async () => {
  const count = async (key: string) => {
    const { rows } = await sql<{ may: boolean }>`select count_mail(${Buffer.from(key)}, 2) as may`.execute(
      database.store,
    );
    return rows[0]?.may;
  };
  expect([await count('one'), await count('one'), await count('one'), await count('two')]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

describe('a code that sets a password', () => {
  /** Whether the code is still good after its owner was linked to a provider of this kind. */
  async function outlivesLink(kind: 'ldap' | 'oidc', passwordHash: string): Promise<boolean> {
    const { store } = database;
    const id = randomUUID();
    const hash = Buffer.from(id);
    await store.transaction().execute(async (transaction) => {
      const { rows } = await sql<{ userId: number; providerId: number }>`
        with provider as (
          insert into providers (key, kind, name, settings) values (${`p${id.slice(0, 8)}`}, ${kind}, 'P', '{}')
          returning id
        ), person as (
          insert into users (username, canonical_username, department_id, role_id, password_hash)
          values (${id}, ${id}, 1, 2, ${passwordHash}) returning id
        ) select person.id as "userId", provider.id as "providerId" from person, provider`.execute(
        transaction,
      );
      const { userId, providerId } = rows[0] ?? { userId: 0, providerId: 0 };
      const codeKind = passwordHash === noPassword ? 'invitation' : 'reset';
      await insertCode(transaction, { id, userId, kind: codeKind, hash, seconds: 60 });
      await insertLink(transaction, { userId, providerId, subject: id, name: '' });
    });
    return (await findCode(store, { id, hash })) !== undefined;
  }

  it('ends with the link to a directory, so that it cannot replace the directory as a sign-in method', async () => {
    expect(await outlivesLink('ldap', '$argon2id$before')).toBe(false);
  });

  it('stays where no provider decides about the account, and where it is an invitation', async () => {
    expect(await outlivesLink('oidc', '$argon2id$before')).toBe(true);
    expect(await outlivesLink('oidc', noPassword)).toBe(true);
  });
});
