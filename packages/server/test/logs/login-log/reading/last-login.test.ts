import type { Caller, DataScope } from '@portcullis/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { insertLoginRows } from '../../../../src/logs/login-log/login-log-store.ts';
import {
  createFindLastLogin,
  type FindLastLogin,
} from '../../../../src/logs/login-log/reading/last-login.ts';
import { listDepartmentsInScope } from '../../../../src/people/departments/data-scope-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { administrator } from '../../../serve-routes.ts';
import { rowWith, textsOf } from '../rows.ts';

const start = Date.parse('2026-11-01T00:00:00Z');
let database: FreshDatabase;
let findLastLogin: FindLastLogin;
/** How far the clock that bounds a search goes on with every look at it. */
let impatience = 0;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  let monotonic = 0;
  findLastLogin = createFindLastLogin({
    store,
    listDepartments: (caller) => listDepartmentsInScope(store, caller),
    now: () => start,
    monotonic: () => {
      monotonic += impatience;
      return monotonic;
    },
  });
  const failure = { reason: 'credentials_wrong', outcome: 'failure' } as const;
  await insertLoginRows(
    store,
    textsOf([
      rowWith({ ip: '192.0.2.8' }, start - 5000),
      rowWith({ ip: '192.0.2.9' }, start - 4000),
      ...Array.from({ length: 600 }, (_, n) => rowWith(failure, start - 3000 + n)),
      rowWith({ reason: 'logout' }, start - 1000),
      // Logins of others that succeed are no way to hers.
      ...Array.from({ length: 300 }, (_, n) => rowWith({ userId: 70 }, start - 900 + n)),
    ]),
  );
});
afterAll(() => database.drop());

const kim = (dataScope: DataScope): Caller => ({
  ...administrator,
  userId: 8,
  username: 'kim',
  roleId: 2,
  roleKey: 'editor',
  dataScope,
});

it('returns null outside the data scope, and for a user without a login', async () => {
  expect(await findLastLogin(kim('5'), 7)).toBeNull();
  expect(await findLastLogin(kim('2'), 7)).toBeNull();
  expect(await findLastLogin(administrator, 8)).toBeNull();
});

it('is not looked for without end', async () => {
  impatience = 1000;
  expect(await findLastLogin(administrator, 7)).toBeNull();
  impatience = 0;
});

it('is the last one that succeeded, whatever was refused since', async () => {
  const last = { at: '2026-10-31T23:59:56.000Z', ip: '192.0.2.9', browser: 'Firefox', os: 'Linux' };
  expect(await findLastLogin(administrator, 7)).toEqual(last);
  expect(await findLastLogin(kim('3'), 7)).toEqual(last);
});
