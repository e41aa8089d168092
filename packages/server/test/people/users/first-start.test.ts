import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { prepareFirstStart } from '../../../src/people/users/first-start.ts';
import { findAccount } from '../../../src/people/users/user-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase({ poolSize: 10 });
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.store.deleteFrom('users').execute();
  await database.store.deleteFrom('departments').execute();
  await database.store.deleteFrom('roles').execute();
});

const start = () =>
  prepareFirstStart({ store: database.store, hashPassword: hash, passwordDue: true, randomBytes });
const count = async (table: 'users' | 'roles' | 'departments') =>
  (await database.store.selectFrom(table).select('id').execute()).length;

describe('the first start', () => {
  it('creates nothing where there is a user already', async () => {
    await start();
    expect(await start()).toBeUndefined();
    expect(await count('users')).toBe(1);
  });

  it('creates one administrator, however many instances start at once', async () => {
    let arrived = 0;
    const { promise: allArrived, resolve: release } = Promise.withResolvers<void>();
    const started = await Promise.all(
      Array.from({ length: 6 }, () =>
        prepareFirstStart({
          store: database.store,
          passwordDue: true,
          randomBytes,
          hashPassword: async () => {
            arrived += 1;
            if (arrived === 6) release();
            await allArrived;
            return 'hash';
          },
        }),
      ),
    );
    expect(started.filter((administrator) => administrator !== undefined)).toHaveLength(1);
    expect([await count('users'), await count('roles'), await count('departments')]).toEqual([1, 1, 1]);
  });

  it('creates the role admin, and a user with it and the shown password', async () => {
    const administrator = await start();
    const stored = await findAccount(database.store, 'admin');
    expect(stored).toMatchObject({
      account: {
        username: 'admin',
        roleId: 1,
        roleKey: 'admin',
        dataScope: '1',
        epoch: 1,
        passwordDue: true,
      },
      userEnabled: true,
      roleEnabled: true,
    });
    expect(await verify(stored?.passwordHash ?? '', administrator?.password ?? '')).toBe(true);
  });

  it('asks for another password first, except where the setting disables it', async () => {
    await prepareFirstStart({ store: database.store, hashPassword: hash, passwordDue: false, randomBytes });
    expect((await findAccount(database.store, 'admin'))?.account).not.toHaveProperty('passwordDue');
  });

  it('draws a password of 120 random bits, another one each time', async () => {
    const first = await start();
    await database.store.deleteFrom('users').execute();
    const second = await start();
    expect(first?.password).toMatch(/^[A-Za-z0-9_-]{20}$/);
    expect(second?.password).not.toBe(first?.password);
  });
});
