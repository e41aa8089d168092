import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMembers } from '../../../src/cluster/member-store.ts';
import { readCurrentRevision } from '../../../src/cluster/revision-store.ts';
import type { Store } from '../../../src/cluster/store/store.ts';
import { disableUser, lockUser } from '../../../src/people/users/user-access-store.ts';
import {
  findAccount,
  findProfile,
  listAdministratorsWithHash,
} from '../../../src/people/users/user-store.ts';
import { administrator } from '../../serve-routes.ts';
import { callerOf, goodPassword, startUserWorld, type UserWorld } from '../user-world.ts';

let world: UserWorld;
beforeAll(async () => {
  world = await startUserWorld();
});
afterAll(() => world.close());

const raised = (epoch: number) => ({ kind: 'epoch_raised', userId: 7, epoch });
/** For a lock that another transaction of this database holds. */
async function untilTransactionWaits(store: Store): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await waiting.execute(store)).rows.length === 0);
}
const leaseMilliseconds = 10_000;
/** An instance that enforces the revision, and says nothing more. */
async function joinSilently(revision: number): Promise<void> {
  const registration = { id: randomUUID(), version: '1', mode: 'test', leaseMilliseconds };
  await createMembers(world.store).register(registration, revision);
}
/** Whether the answer is still to come after some further looks of the barrier. */
async function isWaiting(answer: Promise<unknown>): Promise<boolean> {
  let isOpen = true;
  void answer.finally(() => {
    isOpen = false;
  });
  const target = world.access.looks + 3;
  await expect.poll(() => world.access.looks >= target || !isOpen, { interval: 1 }).toBe(true);
  return isOpen;
}
async function getUser() {
  return await world.store.selectFrom('users').selectAll().where('id', '=', 7).executeTakeFirstOrThrow();
}
const untouched = {
  nick_name: 'Mei',
  department_id: 1,
  enabled: true,
  deleted_at: null,
  epoch: 1,
  epoch_raised_at: null,
  role_id: 2,
  password_hash: 'hash',
  password_due: false,
};
beforeEach(async () => {
  await world.store.deleteFrom('instances').execute();
  await world.store.updateTable('users').set(untouched).where('id', '=', 7).execute();
  world.caller = administrator;
  world.beyond = [];
  world.access.takeWritten();
  await world.takeRecords();
});

const changes = [
  ['PUT', 'enabled', { enabled: true }],
  ['PUT', 'enabled', { enabled: false }],
  ['PUT', 'password', { password: goodPassword }],
  ['PUT', 'role', { roleId: 3 }],
  ['PUT', '', { name: 'Other', departmentId: 1 }],
  ['DELETE', '', undefined],
] as const;
const urlOf = (id: number | string, what: string) => `/users/${id}${what && `/${what}`}`;

async function expectUntouched(): Promise<void> {
  expect(await getUser()).toMatchObject(untouched);
  expect(world.access.takeWritten()).toEqual([]);
  expect(await world.takeRecords()).toEqual([]);
}

describe('a change of a user', () => {
  it.each(changes)('(%s %s) of an unknown user is answered with 404', async (method, what, body) => {
    expect(await world.send(method, urlOf(999, what), body)).toMatchObject({ status: 200, code: 404 });
    expect(world.access.takeWritten()).toEqual([]);
  });

  it.each(changes)('(%s %s) outside the data scope is answered with 404', async (method, what, body) => {
    await world.store.updateTable('users').set({ department_id: 2 }).where('id', '=', 7).execute();
    for (const scope of ['2', '3', '4', '5'] as const) {
      world.caller = callerOf(scope);
      expect(await world.send(method, urlOf(7, what), body)).toMatchObject({ status: 200, code: 404 });
    }
    await world.store.updateTable('users').set({ department_id: 1 }).where('id', '=', 7).execute();
    await expectUntouched();
  });

  it.each(changes)(
    '(%s %s) whose role reaches further than the own is refused',
    async (method, what, body) => {
      world.caller = callerOf('3');
      world.beyond = [2];
      const answer = await world.send(method, urlOf(7, what), body);
      expect(answer).toMatchObject({ status: 200, code: 401, reason: 'permission_denied' });
      await expectUntouched();
    },
  );

  it.each(changes.slice(0, -1))(
    '(%s %s) who was deleted is answered with 404',
    async (method, what, body) => {
      await world.send('DELETE', '/users/7');
      expect(await world.send(method, urlOf(7, what), body)).toMatchObject({ status: 200, code: 404 });
      expect(await getUser()).toMatchObject({ epoch: 2, enabled: false, role_id: 2, password_hash: 'hash' });
    },
  );

  it('deletes a user once, and answers the second call as the first', async () => {
    await world.send('DELETE', '/users/7');
    world.access.takeWritten();
    expect(await world.send('DELETE', '/users/7')).toMatchObject({ code: 200 });
    expect(world.access.takeWritten()).toEqual([['takeAway', []]]);
    expect(await getUser()).toMatchObject({ epoch: 2 });
    expect(await world.takeRecords()).toHaveLength(1);
  });

  it.each(changes)('(%s %s) by an invalid id is answered with 400', async (method, what, body) => {
    for (const id of ['0', '-1', 'mei', '1.5', '9007199254740993'])
      expect(await world.send(method, urlOf(id, what), body)).toMatchObject({ code: 400 });
  });

  it.each([
    ['enabled', { enabled: 'false' }],
    ['enabled', {}],
    ['password', { password: '' }],
    ['password', { password: 'x'.repeat(257) }],
    ['role', { roleId: 0 }],
    ['role', { roleId: '1' }],
    ['', {}],
    ['', { ifRevision: 1 }],
    ['', { name: 'Other', ifRevision: '1' }],
    ['', { name: 'M\u0435i' }],
    ['', { name: 'Mei\u3164' }],
    ['', { name: '', departmentId: 1 }],
    ['', { name: ' Other', departmentId: 1 }],
    ['', { name: 'Other\u0000', departmentId: 1 }],
    ['', { name: 'Other\u202e', departmentId: 1 }],
    ['', { name: 'x'.repeat(65), departmentId: 1 }],
  ])('(%s) with the body %j is answered with 400', async (what, body) => {
    expect(await world.send('PUT', urlOf(7, what), body)).toMatchObject({ code: 400 });
    await expectUntouched();
  });

  it.each([
    [{ name: 'Other' }, { nick_name: 'Other', department_id: 1 }],
    [{ departmentId: 2 }, { nick_name: 'Mei', department_id: 2 }],
  ])('to %j leaves alone what it does not name', async (body, stored) => {
    expect(await world.send('PUT', '/users/7', body)).toMatchObject({ code: 200 });
    expect(await getUser()).toMatchObject(stored);
  });

  it.each([
    ['', { name: 'Other' }],
    ['role', { roleId: 3 }],
  ])('(%s) on an older revision is refused, with the current state of the user', async (what, body) => {
    const { revision: ifRevision } = await getUser();
    await world.send('PUT', '/users/7', { departmentId: 2 });
    const refused = await world.send('PUT', urlOf(7, what), { ...body, ifRevision });
    const { revision, nick_name, role_id } = await getUser();
    expect(refused).toMatchObject({ status: 200, code: 409 });
    expect(refused.body.details).toEqual({
      revision,
      current: { name: 'Mei', departmentId: 2, roleId: 2, enabled: true },
    });
    expect([nick_name, role_id]).toEqual(['Mei', 2]);
    const again = { ...body, ifRevision: revision };
    expect(await world.send('PUT', urlOf(7, what), again)).toMatchObject({ code: 200 });
  });

  it('hides the current state of a user from a caller with fewer permissions', async () => {
    world.caller = callerOf('3');
    world.beyond = [2];
    const { body } = await world.send('PUT', '/users/7', { name: 'Other', ifRevision: 0 });
    expect(body.details).toBeUndefined();
    await expectUntouched();
  });

  it('counts what people edit, and neither passwords nor the end of sessions', async () => {
    const { revision } = await getUser();
    await world.send('PUT', '/users/7/password', { password: goodPassword });
    expect((await getUser()).revision).toBe(revision);
    await world.send('PUT', '/users/7/enabled', { enabled: false });
    expect((await getUser()).revision).toBe(revision + 1);
  });

  it.each(changes.filter(([method]) => method === 'PUT'))(
    '(%s %s) takes no field that it does not declare',
    async (method, what, body) => {
      const others = {
        id: 9,
        roleId: 1,
        dataScope: '1',
        epoch: 0,
        passwordChangeRequired: false,
        enabled: true,
      };
      for (const [name, value] of Object.entries({ ...others, password_hash: 'x', deletedAt: null })) {
        if (body !== undefined && name in body) continue;
        expect(await world.send(method, urlOf(7, what), { ...body, [name]: value })).toMatchObject({
          code: 400,
        });
      }
      await expectUntouched();
    },
  );

  it.each(['short', 'Password20262026', 'mei-mei-mei-mei-mei'])(
    'to the password %s is refused, with what is wrong with it',
    async (password) => {
      const answer = await world.send('PUT', '/users/7/password', { password });
      expect(answer).toMatchObject({ status: 200, code: 400, reason: 'password_weak' });
      await expectUntouched();
    },
  );

  it('to a role or department that does not exist is answered with 404 and changes nothing', async () => {
    expect(await world.send('PUT', '/users/7/role', { roleId: 99 })).toMatchObject({ code: 404 });
    expect(await world.send('PUT', '/users/7', { name: 'Mei', departmentId: 99 })).toMatchObject({
      code: 404,
    });
    expect(await getUser()).toMatchObject(untouched);
    expect(await world.takeRecords()).toEqual([]);
  });

  it('to a role with more permissions than the caller’s is refused', async () => {
    world.caller = callerOf('3');
    world.beyond = [1];
    const answer = await world.send('PUT', '/users/7/role', { roleId: 1 });
    expect(answer).toMatchObject({ code: 401, reason: 'permission_denied' });
    await expectUntouched();
  });

  it('into a department that the caller does not see is answered with 404', async () => {
    for (const scope of ['2', '3', '4'] as const) {
      world.caller = callerOf(scope);
      const answer = await world.send('PUT', '/users/7', { name: 'Mei', departmentId: 2 });
      expect(answer).toMatchObject({ code: 404 });
    }
    await expectUntouched();
  });

  it('that met another role or department than the caller was judged by is answered with 409', async () => {
    const { store } = world;
    const { second } = await store.transaction().execute(async (transaction) => {
      await transaction.updateTable('users').set({ role_id: 3 }).where('id', '=', 7).execute();
      const second = world.send('PUT', '/users/7/password', { password: goodPassword });
      await untilTransactionWaits(store);
      return { second };
    });
    expect(await second).toMatchObject({ code: 409 });
    expect(await getUser()).toMatchObject({ password_hash: 'hash', epoch: 1 });
  });
});

describe('a caller cannot change their own account, by accident or with a stolen token: ', () => {
  it.each([
    ['disabling', 'PUT', 'enabled', { enabled: false }],
    ['deleting', 'DELETE', '', undefined],
    ['another role', 'PUT', 'role', { roleId: 3 }],
    ['a password without the old one', 'PUT', 'password', { password: goodPassword }],
  ] as const)('%s', async (_what, method, what, body) => {
    world.caller = { ...administrator, userId: 7 };
    expect(await world.send(method, urlOf(7, what), body)).toMatchObject({ status: 200, code: 409 });
    await expectUntouched();
  });

  it('except for the name', async () => {
    world.caller = { ...callerOf('5'), userId: 7 };
    expect(await world.send('PUT', '/users/7', { name: 'Mei Lin', departmentId: 1 })).toMatchObject({
      code: 200,
    });
    expect(await world.send('PUT', '/users/7', { name: 'Mei Lin', departmentId: 2 })).toMatchObject({
      code: 404,
    });
    expect(await getUser()).toMatchObject({ nick_name: 'Mei Lin', department_id: 1 });
  });
});

describe('a change that takes access away from a user waits for every instance, and revokes the tokens: ', () => {
  it.each([
    ['disabling', 'PUT', '/users/7/enabled', { enabled: false }, { enabled: false }],
    [
      'a password',
      'PUT',
      '/users/7/password',
      { password: goodPassword },
      { password_hash: `hash of ${goodPassword}`, password_due: true },
    ],
    ['a role', 'PUT', '/users/7/role', { roleId: 3 }, { role_id: 3 }],
    ['deleting', 'DELETE', '/users/7', undefined, { enabled: false, deleted_at: expect.any(Date) }],
  ] as const)('%s', async (_what, method, url, body, stored) => {
    const answer = await world.send(method, url, body);
    expect(answer).toMatchObject({ code: 200, revision: expect.any(Number) });
    expect(world.access.takeWritten()).toEqual([['takeAway', [raised(2)]]]);
    expect(await getUser()).toMatchObject({ ...stored, epoch: 2, epoch_raised_at: expect.any(Date) });
  });

  it('a password, which alone opens an account that was closed after too many failed attempts', async () => {
    world.forgiven.length = 0;
    await world.send('PUT', '/users/7/enabled', { enabled: false });
    expect(world.forgiven).toEqual([]);
    await world.send('PUT', '/users/7/password', { password: goodPassword });
    expect(world.forgiven).toEqual(['mei']);
  });

  it('a password that is made here, and shown this once', async () => {
    const made = Buffer.alloc(15, 7).toString('base64url');
    expect(await world.send('PUT', '/users/7/password', {})).toMatchObject({ data: { password: made } });
    expect(await getUser()).toMatchObject({ password_hash: `hash of ${made}`, password_due: true });
    const chosen = await world.send('PUT', '/users/7/password', { password: goodPassword });
    expect(chosen.data).toEqual({ password: null });
  });

  it('each in a separate revision, which the answer names', async () => {
    const first = await world.send('PUT', '/users/7/role', { roleId: 3 });
    const second = await world.send('PUT', '/users/7/role', { roleId: 2 });
    expect(second.revision).toBe((first.revision ?? 0) + 1);
  });

  it('disabling a disabled user, or giving the same role again, changes nothing and waits all the same', async () => {
    await world.send('PUT', '/users/7/enabled', { enabled: false });
    world.access.takeWritten();
    await world.takeRecords();
    const before = await readCurrentRevision(world.store);
    await joinSilently(before.n - 1);
    for (const [what, body] of [
      ['enabled', { enabled: false }],
      ['role', { roleId: 2 }],
    ] as const) {
      const answer = world.send('PUT', `/users/7/${what}`, body);
      expect(await isWaiting(answer)).toBe(true);
      world.access.now += leaseMilliseconds + 1;
      expect(await answer).toMatchObject({ code: 200, revision: before.n });
      await joinSilently(before.n - 1);
    }
    expect(await readCurrentRevision(world.store)).toEqual(before);
    expect((await getUser()).epoch).toBe(2);
    expect(await world.takeRecords()).toEqual([]);
  });

  it('disabling twice at once is one change', async () => {
    const { store } = world;
    const { second } = await store.transaction().execute(async (transaction) => {
      await disableUser(transaction, await lockUser(transaction, 7));
      const second = world.send('PUT', '/users/7/enabled', { enabled: false });
      await untilTransactionWaits(store);
      return { second };
    });
    expect(await second).toMatchObject({ code: 200 });
    expect(world.access.takeWritten()).toEqual([['takeAway', []]]);
  });

  it('two at once raise the epoch twice', async () => {
    const answers = await Promise.all([
      world.send('PUT', '/users/7/password', {}),
      world.send('PUT', '/users/7/password', {}),
    ]);
    expect(new Set(answers.map(({ revision }) => revision)).size).toBe(2);
    expect((await getUser()).epoch).toBe(3);
  });
});

describe('a user', () => {
  it('keeps the epoch when enabled again, so that earlier tokens stay revoked', async () => {
    await world.send('PUT', '/users/7/enabled', { enabled: false });
    world.access.takeWritten();
    expect(await world.send('PUT', '/users/7/enabled', { enabled: true })).toMatchObject({ code: 200 });
    expect(world.access.takeWritten()).toEqual([['give', []]]);
    expect(await getUser()).toMatchObject({ enabled: true, epoch: 2 });
  });

  it('gets another name and department, and keeps the tokens', async () => {
    const answer = await world.send('PUT', '/users/7', { name: '李梅', departmentId: 2 });
    expect(answer).toMatchObject({ code: 200, data: null });
    expect(await getUser()).toMatchObject({ nick_name: '李梅', department_id: 2, epoch: 1, role_id: 2 });
  });

  it('has no account, no profile and no part in the check of published passwords after deletion', async () => {
    const { store } = world;
    await store
      .updateTable('users')
      .set({ role_id: 1, password_hash: 'known' })
      .where('id', 'in', [7, 8])
      .execute();
    expect((await listAdministratorsWithHash(store, ['known'])).toSorted()).toEqual(['kim', 'mei']);
    // Enabled again in the database: the deletion alone must suffice.
    await world.send('DELETE', '/users/7');
    await store.updateTable('users').set({ enabled: true }).where('id', '=', 7).execute();
    expect(await findAccount(store, 'mei')).toBeUndefined();
    expect(await findProfile(store, 7)).toBeUndefined();
    expect(await listAdministratorsWithHash(store, ['known'])).toEqual(['kim']);
    await store.updateTable('users').set({ role_id: 2, password_hash: 'hash' }).where('id', '=', 8).execute();
  });

  it('may have the name of a deleted one, and is found by it', async () => {
    const { store } = world;
    await world.send('DELETE', '/users/7');
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

describe('every change is recorded with its actor, and without a password: ', () => {
  const target = { actor_id: 1, target: 'user 7' };
  const shown = { username: 'mei', name: 'Mei', departmentId: 1, roleId: 2, enabled: true };
  it.each([
    ['PUT', 'enabled', { enabled: false }, 'user.disable', { enabled: true }, { enabled: false }],
    ['PUT', 'role', { roleId: 3 }, 'user.role', { roleId: 2 }, { roleId: 3 }],
    ['PUT', 'password', { password: goodPassword }, 'user.password', null, { passwordChangeRequired: true }],
    [
      'PUT',
      '',
      { name: 'Li', departmentId: 2 },
      'user.update',
      { name: 'Mei', departmentId: 1 },
      { name: 'Li', departmentId: 2 },
    ],
    ['DELETE', '', undefined, 'user.delete', shown, null],
  ] as const)('%s %s %j', async (method, what, body, action, before, after) => {
    await world.send(method, urlOf(7, what), body);
    expect(await world.takeRecords()).toEqual([{ ...target, action, before, after }]);
  });

  it('enabling', async () => {
    await world.store.updateTable('users').set({ enabled: false }).where('id', '=', 7).execute();
    await world.send('PUT', '/users/7/enabled', { enabled: true });
    const record = { action: 'user.enable', before: { enabled: false }, after: { enabled: true } };
    expect(await world.takeRecords()).toEqual([{ ...target, ...record }]);
  });
});
