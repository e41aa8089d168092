// What doctor reads of the database counts what it says, and nothing that lies beside it.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import {
  countDeadMails,
  countUsersWithout,
  listRolesDemanding,
  readAdministrators,
  readKeys,
  readSealedSecrets,
} from '../../src/doctor/doctor-store.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
const run = async (statement: string) => {
  await sql.raw(statement).execute(database.store);
};
beforeEach(async () => {
  await run(`truncate keys, users, roles, departments, credentials, mails cascade;
    insert into departments (id, name) values (1, 'One');
    insert into roles (id, role_key, name, data_scope, factor, enabled) values (1, 'admin', 'A', '1', 1, true),
      (2, 'plain', 'P', '1', 1, true), (3, 'strict', 'S', '1', 2, true), (4, 'stricter', 'T', '1', 3, true),
      (5, 'gone', 'G', '1', 3, false)`);
});

async function addUsers(...users: readonly (readonly [name: string, role: number, change?: object])[]) {
  await database.store
    .insertInto('users')
    .values(
      users.map(([username, role_id, change], n) => ({
        ...{ id: n + 1, username, canonical_username: username, department_id: 1, role_id },
        ...{ password_hash: 'h', ...change },
      })),
    )
    .execute();
}
const deleted = { deleted_at: new Date() };
const disabled = { enabled: false };

describe('keys', () => {
  const add = (kid: string, dev: boolean, signing: boolean) =>
    run(`insert into keys (kid, dev, public_jwk, sealed_private, signing)
      values ('${kid}', ${dev}, '{}', '', ${signing})`);

  it('are those of the mode', async () => {
    await add('a', true, true);
    expect(await readKeys(database.store, false)).toEqual({ kid: null, keys: 0 });
    await add('b', false, true);
    await add('c', false, false);
    expect(await readKeys(database.store, false)).toEqual({ kid: 'b', keys: 2 });
    expect(await readKeys(database.store, true)).toEqual({ kid: 'a', keys: 1 });
  });
});

it('counts the administrators who can log in, and those whose password is due', async () => {
  await addUsers(
    ['able', 1],
    ['due', 1, { password_due: true }],
    ['disabled', 1, { ...disabled, password_due: true }],
    ['deleted', 1, { ...deleted, password_due: true }],
    ['other', 2, { password_due: true }],
  );
  expect(await readAdministrators(database.store)).toEqual({ users: 4, able: 2, due: ['due'] });
});

it('sealed secrets are those of authenticator apps that count', async () => {
  await addUsers(['mei', 2], ['kim', 2]);
  await run(`insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at, ended_at)
    values (1, 'totp', 2, 'ended', now(), now()), (1, 'totp', 2, 'open', null, null),
      (1, 'passkey', 2, 'passkey', now(), null), (2, 'totp', 2, 'own', now(), null)`);
  const found = [];
  for await (const secret of readSealedSecrets(database.store)) found.push(secret);
  expect(found).toMatchObject([{ userId: 2, username: 'kim', sealed: Buffer.from('own') }]);
});

it('roles that demand a factor are enabled, and demand as much or more', async () => {
  expect(await listRolesDemanding(database.store, 2)).toEqual(['strict', 'stricter']);
  expect(await listRolesDemanding(database.store, 3)).toEqual(['stricter']);
});

it('users without a factor that their role demands can log in, and have none that counts', async () => {
  await addUsers(
    ['none', 3],
    ['unconfirmed', 3],
    ['ended', 4],
    ['has', 3],
    ['plain', 2],
    ['former', 5],
    ['disabled', 3, disabled],
    ['deleted', 3, deleted],
  );
  await run(`insert into credentials (user_id, kind, factor, confirmed_at, ended_at)
    values (2, 'totp', 2, null, null), (3, 'totp', 2, now(), now()), (4, 'totp', 2, now(), null)`);
  expect(await countUsersWithout(database.store)).toBe(3);
});

it('mails are given up in the last week, or wait for more than an hour', async () => {
  await run(`insert into mails (kind, address, state, created_at, ended_at) values
    ('password_forgotten', 'a', 'dead', now() - interval '2 hours', now() - interval '6 days'),
    ('password_forgotten', 'b', 'dead', now() - interval '9 days', now() - interval '8 days'),
    ('password_forgotten', 'c', 'queued', now() - interval '61 minutes', null),
    ('password_forgotten', 'd', 'queued', now() - interval '59 minutes', null)`);
  expect(await countDeadMails(database.store)).toEqual({ dead: 1, late: 1 });
});
