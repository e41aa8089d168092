// What the database itself stores of people and of service accounts, whatever a program says.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
const ids = { person: 7, program: 0, app: 0, key: 0 };
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  ids.program = await addUser({ kind: 'service', password_hash: '!' });
  ids.app = await addCredential('person', 'totp');
  ids.key = await addCredential('program', 'key');
});
afterAll(() => database.drop());

async function addUser(change: object): Promise<number> {
  const username = randomUUID();
  const { id } = await database.store
    .insertInto('users')
    .values({
      username,
      canonical_username: username,
      department_id: 1,
      role_id: 2,
      password_hash: 'hash',
      ...change,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addCredential(owner: 'person' | 'program', kind: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, confirmed_at) values (${ids[owner]}, ${kind}, 3, now())
    returning id`.execute(database.store);
  return rows[0]?.id ?? 0;
}

describe('an account', () => {
  it.each([
    ['a service account with a password', { kind: 'service', password_hash: 'hash' }],
    ['a service account whose password is due', { kind: 'service', password_hash: '!', password_due: true }],
  ])('is not stored as %s', async (_what, change) => {
    await expect(addUser(change)).rejects.toThrow('users_service_password');
  });

  it('is stored as a person with a password that is due', async () => {
    expect(await addUser({ password_due: true })).toBeGreaterThan(0);
  });

  it('stays a person or a service account', async () => {
    for (const [id, kind] of [
      [ids.person, 'service'],
      [ids.program, 'person'],
    ] as const)
      await expect(
        sql`update users set kind = ${kind} where id = ${id}`.execute(database.store),
      ).rejects.toThrow('An account stays of its kind.');
  });
});

describe('a credential', () => {
  it('is not stored as a key of a person, nor as anything else of a service account', async () => {
    for (const [owner, kind] of [
      ['person', 'key'],
      ['program', 'totp'],
    ] as const)
      await expect(addCredential(owner, kind)).rejects.toThrow('Service accounts have keys');
  });
});

describe('a session', () => {
  async function store(owner: 'person' | 'program', method: string, credentialId: number | null) {
    await sql`
      insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id)
      select ${randomUUID()}, id, 'editor', 'kid', epoch, now(), now() + interval '1 hour', ${method}, 3, ${credentialId}
      from users where id = ${ids[owner]}`.execute(database.store);
  }

  it.each<[what: string, owner: 'person' | 'program', method: string, credential: () => number | null]>([
    ['of a person by a key', 'person', 'key', () => ids.app],
    ['of a service account by another method', 'program', 'totp', () => ids.key],
    ['of a service account by no key', 'program', 'key', () => null],
  ])('is not stored %s', async (_what, owner, method, credential) => {
    await expect(store(owner, method, credential())).rejects.toThrow('Service accounts prove with keys');
  });

  it('is stored of a service account by its key, and of a person by another method', async () => {
    await store('program', 'key', ids.key);
    await store('person', 'totp', ids.app);
    await store('person', 'code', null);
  });
});
