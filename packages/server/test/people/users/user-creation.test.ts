import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findAccount } from '../../../src/people/users/user-store.ts';
import { administrator } from '../../serve-routes.ts';
import { callerOf, goodPassword, startUserWorld, type UserWorld } from '../user-world.ts';

let world: UserWorld;
beforeAll(async () => {
  world = await startUserWorld();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.store.deleteFrom('users').where('id', 'not in', [7, 8]).execute();
  await world.takeRecords();
  world.access.takeWritten();
  world.caller = administrator;
  world.beyond = [];
  world.forgiven = [];
  world.hashed = 0;
  world.admitHash = () => {};
});

const lin = { username: 'lin', name: 'Lin Wei', departmentId: 1, roleId: 2 };
const create = (body: object) => world.send('POST', '/users', body);
const countUsers = async () => (await world.store.selectFrom('users').select('id').execute()).length;

describe('a new user is refused', () => {
  it.each([
    ['without a name', { username: 'lin', departmentId: 1, roleId: 2 }],
    ['without a role', { username: 'lin', name: 'Lin', departmentId: 1 }],
    ['without a department', { username: 'lin', name: 'Lin', roleId: 2 }],
    ['with an empty username', { ...lin, username: '' }],
    ['with a username of 65 characters', { ...lin, username: 'x'.repeat(65) }],
    ['with spaces in the username', { ...lin, username: 'lin wei' }],
    ['with a username that begins with a sign', { ...lin, username: '-lin' }],
    ['with a username that is longer as it is looked up', { ...lin, username: 'ﷺ'.repeat(10) }],
    ['with a Cyrillic letter among Latin ones', { ...lin, username: '\u0430da' }],
    ['with a Greek letter among Latin ones', { ...lin, username: 'lin\u03bf' }],
    ['with a letter that shows nothing', { ...lin, username: 'lin\u3164' }],
    ['with a word of two scripts in the name', { ...lin, name: 'L\u0456n Wei' }],
    ['with a NUL in the name', { ...lin, name: 'L\u0000' }],
    ['with an empty password', { ...lin, password: '' }],
    ['with a password of 257 characters', { ...lin, password: 'x'.repeat(257) }],
  ])('%s', async (_what, body) => {
    expect(await create(body)).toMatchObject({ status: 200, code: 400, reason: 'params_invalid' });
    expect(await countUsers()).toBe(2);
  });

  it.each([
    ...[
      'id',
      'epoch',
      'dataScope',
      'enabled',
      'passwordChangeRequired',
      'passwordHash',
      'password_hash',
      'roleKey',
    ],
    ...['canonicalUsername', 'createdAt', 'deletedAt', '__proto__'],
  ])('with the field %s, which callers cannot set', async (name) => {
    const body = JSON.parse(`{${JSON.stringify(name)}: 1, ${JSON.stringify(lin).slice(1)}`);
    expect(await create(body)).toMatchObject({ code: 400 });
    expect(await countUsers()).toBe(2);
  });

  it.each(['fourteen chars', 'passwordpassword', 'lin-wei-lin-wei-lin'])(
    'with the password %s',
    async (password) => {
      expect(await create({ ...lin, password })).toMatchObject({ code: 400, reason: 'password_weak' });
      expect(await countUsers()).toBe(2);
    },
  );

  it.each(['mei', 'MEI', 'ｍｅｉ'])('with the name %s, which is taken', async (username) => {
    expect(await create({ ...lin, username })).toMatchObject({ status: 200, code: 409 });
    expect(await world.takeRecords()).toEqual([]);
    expect([world.hashed, world.forgiven]).toEqual([0, []]);
  });

  it('by a caller who has set too many passwords, before any other check', async () => {
    world.admitHash = () => {
      throw new AppError('rate_limited', { retryAfterSeconds: 1 });
    };
    expect(await create({ ...lin, departmentId: 99 })).toMatchObject({ code: 429 });
    expect(world.hashed).toBe(0);
  });

  it('with a role or department that does not exist', async () => {
    expect(await create({ ...lin, roleId: 99 })).toMatchObject({ code: 404 });
    expect(await create({ ...lin, departmentId: 99 })).toMatchObject({ code: 404 });
  });

  it('with a role that has more permissions than the caller’s', async () => {
    world.caller = callerOf('3');
    world.beyond = [1];
    expect(await create({ ...lin, roleId: 1 })).toMatchObject({ code: 401, reason: 'permission_denied' });
  });

  it.each(['2', '3', '4', '5'] as const)('in a department outside the data scope %s', async (scope) => {
    world.caller = callerOf(scope);
    expect(await create({ ...lin, departmentId: 2 })).toMatchObject({ code: 404 });
  });

  it('by a caller with the scope "own rows", also in the caller’s department', async () => {
    world.caller = callerOf('5');
    expect(await create(lin)).toMatchObject({ code: 404 });
  });

  it('of two at once with one name, one', async () => {
    const answers = await Promise.all([create(lin), create({ ...lin, username: 'LIN' })]);
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409]);
    expect(await countUsers()).toBe(3);
  });
});

describe('a new user', () => {
  it('gets a password that is shown once and must be changed first', async () => {
    const answer = await create(lin);
    const password = Buffer.alloc(15, 7).toString('base64url');
    expect(answer).toMatchObject({ code: 200, data: { id: expect.any(Number), password } });
    expect(await findAccount(world.store, 'lin')).toMatchObject({
      account: { username: 'lin', roleId: 2, epoch: 1, passwordDue: true },
      passwordHash: `hash of ${password}`,
      userEnabled: true,
    });
    expect(world.access.takeWritten()).toEqual([['give', []]]);
  });

  it('is not closed by failed attempts from before its creation', async () => {
    await create({ ...lin, username: 'Lin' });
    expect(world.forgiven).toEqual(['Lin']);
  });

  it('gets the given password, which is not shown again and must be changed too', async () => {
    const { data } = await create({ ...lin, username: 'Lin.Wei@example', password: goodPassword });
    expect(data).toEqual({ id: expect.any(Number), password: null });
    expect(await findAccount(world.store, 'lin.wei@EXAMPLE')).toMatchObject({
      account: { username: 'Lin.Wei@example', passwordDue: true },
      passwordHash: `hash of ${goodPassword}`,
    });
  });

  it('may have the name of a deleted one', async () => {
    const { data } = await create(lin);
    await world.send('DELETE', `/users/${(data as { id: number }).id}`);
    expect(await create(lin)).toMatchObject({ code: 200 });
  });

  it('is recorded with its actor, and without the password', async () => {
    const { data } = await create({ ...lin, password: goodPassword });
    expect(await world.takeRecords()).toEqual([
      {
        actor_id: 1,
        action: 'user.create',
        target: `user ${(data as { id: number }).id}`,
        before: null,
        after: { ...lin, enabled: true, passwordChangeRequired: true },
      },
    ]);
  });
});
