import {
  deleteUserEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
} from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { disableUser } from '../../src/directory/user-access-store.ts';
import { createUserRoutes } from '../../src/directory/user-routes.ts';
import { findAccount, findProfile, listAdministratorsWithHash } from '../../src/directory/user-store.ts';
import { route } from '../../src/http/mount.ts';
import type { Store } from '../../src/store/store.ts';
import { type AccessStandIn, createAccessStandIn } from '../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';
import { seedDirectory } from '../seed-directory.ts';
import { type ServedRoutes, serveRoutes } from '../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
const forgiven: string[] = [];

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const users = createUserRoutes({
    access,
    hashPassword: async (password) => `hash of ${password}`,
    forgiveGuesses: async (username) => void forgiven.push(username),
  });
  served = serveRoutes([
    route(setUserEnabledEndpoint, users.setEnabled),
    route(setUserPasswordEndpoint, users.setPassword),
    route(setUserRoleEndpoint, users.setRole),
    route(deleteUserEndpoint, users.deleteUser),
  ]);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});

const raised = (epoch: number) => ({ kind: 'epoch_raised', userId: 7, epoch });
/** For a lock that another transaction of this database holds. */
async function untilSomebodyWaits(store: Store): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await waiting.execute(store)).rows.length === 0);
}
async function getUser() {
  return await database.store.selectFrom('users').selectAll().where('id', '=', 7).executeTakeFirstOrThrow();
}
beforeEach(async () => {
  const untouched = {
    enabled: true,
    deleted_at: null,
    epoch: 1,
    epoch_raised_at: null,
    role_id: 2,
    password_hash: 'hash',
  };
  await database.store.updateTable('users').set(untouched).where('id', '=', 7).execute();
  access.takeWritten();
});

describe('a change of a user', () => {
  const changes = [
    ['PUT', 'enabled', { enabled: true }],
    ['PUT', 'enabled', { enabled: false }],
    ['PUT', 'password', { password: 'new' }],
    ['PUT', 'role', { roleId: 1 }],
    ['DELETE', '', undefined],
  ] as const;
  const urlOf = (id: number | string, what: string) => `/users/${id}${what && `/${what}`}`;

  it.each(changes)('(%s %s) who does not exist is answered with 404', async (method, what, body) => {
    expect(await served.send(method, urlOf(999, what), body)).toMatchObject({ status: 200, code: 404 });
    expect(access.takeWritten()).toEqual([]);
  });

  it.each(changes.slice(0, -1))(
    '(%s %s) who was deleted is answered with 404',
    async (method, what, body) => {
      await served.send('DELETE', '/users/7');
      expect(await served.send(method, urlOf(7, what), body)).toMatchObject({ status: 200, code: 404 });
      expect(await getUser()).toMatchObject({ epoch: 2, enabled: false, role_id: 2, password_hash: 'hash' });
    },
  );

  it('deletes nobody twice, and answers the second call as the first', async () => {
    await served.send('DELETE', '/users/7');
    access.takeWritten();
    expect(await served.send('DELETE', '/users/7')).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
    expect(await getUser()).toMatchObject({ epoch: 2 });
  });

  it.each(changes)('(%s %s) by an id that is none is answered with 400', async (method, what, body) => {
    for (const id of ['0', '-1', 'mei', '1.5', '9007199254740993'])
      expect(await served.send(method, urlOf(id, what), body)).toMatchObject({ code: 400 });
  });

  it.each([
    ['enabled', { enabled: 'false' }],
    ['enabled', {}],
    ['password', { password: '' }],
    ['password', { password: 'x'.repeat(257) }],
    ['role', { roleId: 0 }],
    ['role', { roleId: '1' }],
  ])('(%s) with the body %j is answered with 400', async (what, body) => {
    expect(await served.send('PUT', urlOf(7, what), body)).toMatchObject({ code: 400 });
    expect(access.takeWritten()).toEqual([]);
  });

  it('to a role that does not exist is answered with 404 and changes nothing', async () => {
    expect(await served.send('PUT', '/users/7/role', { roleId: 99 })).toMatchObject({ code: 404 });
    expect(await getUser()).toMatchObject({ role_id: 2, epoch: 1 });
  });
});

describe('what takes access away from a user waits for every instance, and ends the tokens: ', () => {
  it.each([
    ['disabling', 'PUT', '/users/7/enabled', { enabled: false }, { enabled: false }],
    ['a password', 'PUT', '/users/7/password', { password: 'new' }, { password_hash: 'hash of new' }],
    ['a role', 'PUT', '/users/7/role', { roleId: 3 }, { role_id: 3 }],
    ['deleting', 'DELETE', '/users/7', undefined, { enabled: false, deleted_at: expect.any(Date) }],
  ] as const)('%s', async (_what, method, url, body, stored) => {
    const answer = await served.send(method, url, body);
    expect(answer).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    expect(access.takeWritten()).toEqual([['takeAway', [raised(2)]]]);
    expect(await getUser()).toMatchObject({ ...stored, epoch: 2, epoch_raised_at: expect.any(Date) });
  });

  it('a password, which alone opens an account that too many guesses had closed', async () => {
    forgiven.length = 0;
    await served.send('PUT', '/users/7/enabled', { enabled: false });
    expect(forgiven).toEqual([]);
    await served.send('PUT', '/users/7/password', { password: 'new' });
    expect(forgiven).toEqual([(await getUser()).username]);
  });

  it('each in a revision of its own, which the answer names', async () => {
    const first = await served.send('PUT', '/users/7/role', { roleId: 3 });
    const second = await served.send('PUT', '/users/7/role', { roleId: 2 });
    expect(second.revision).toBe((first.revision ?? 0) + 1);
  });

  it('disabling a disabled user, or giving the same role again, changes nothing and waits all the same', async () => {
    await served.send('PUT', '/users/7/enabled', { enabled: false });
    access.takeWritten();
    await served.send('PUT', '/users/7/enabled', { enabled: false });
    await served.send('PUT', '/users/7/role', { roleId: 2 });
    expect(access.takeWritten()).toEqual([
      ['takeAway', []],
      ['takeAway', []],
    ]);
    expect((await getUser()).epoch).toBe(2);
  });

  it('disabling twice at once is one change', async () => {
    const { store } = database;
    const { second } = await store.transaction().execute(async (transaction) => {
      await disableUser(transaction, 7);
      const second = served.send('PUT', '/users/7/enabled', { enabled: false });
      await untilSomebodyWaits(store);
      return { second };
    });
    expect(await second).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
  });

  it('two at once raise the epoch twice', async () => {
    const answers = await Promise.all([
      served.send('PUT', '/users/7/password', { password: 'a' }),
      served.send('PUT', '/users/7/password', { password: 'b' }),
    ]);
    expect(new Set(answers.map(({ revision }) => revision)).size).toBe(2);
    expect((await getUser()).epoch).toBe(3);
  });
});

describe('a user', () => {
  it('who is enabled again keeps the epoch, so that the tokens of before stay dead', async () => {
    await served.send('PUT', '/users/7/enabled', { enabled: false });
    access.takeWritten();
    expect(await served.send('PUT', '/users/7/enabled', { enabled: true })).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([['give', []]]);
    expect(await getUser()).toMatchObject({ enabled: true, epoch: 2 });
  });

  it('who was deleted has no account, no profile and no say at the start', async () => {
    const { store } = database;
    await store
      .updateTable('users')
      .set({ role_id: 1, password_hash: 'known' })
      .where('id', '=', 7)
      .execute();
    expect(await listAdministratorsWithHash(store, ['known'])).toEqual(['mei']);
    // Enabled again behind our back: being deleted must be enough by itself.
    await served.send('DELETE', '/users/7');
    await store.updateTable('users').set({ enabled: true }).where('id', '=', 7).execute();
    expect(await findAccount(store, 'mei')).toBeUndefined();
    expect(await findProfile(store, 7)).toBeUndefined();
    expect(await listAdministratorsWithHash(store, ['known'])).toEqual([]);
  });

  it('may have the name of a deleted one, and is found by it', async () => {
    const { store } = database;
    await served.send('DELETE', '/users/7');
    const successor = { username: 'Mei', canonical_username: 'mei', department_id: 1, role_id: 2 };
    const { id } = await store
      .insertInto('users')
      .values({ ...successor, password_hash: 'other' })
      .returning('id')
      .executeTakeFirstOrThrow();
    expect((await findAccount(store, 'mei'))?.account.userId).toBe(id);
    await store.deleteFrom('users').where('id', '=', id).execute();
  });
});
