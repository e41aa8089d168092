import type { DataScope } from '@portcullis/contract';
import { dataScopes } from '@portcullis/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMayGive, mayGiveScope, mayTouchRole } from '../../../src/directory/roles/may-give.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;

beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const departments = [1, 2].map((department_id) => ({ role_id: 2, department_id }));
  await database.store.insertInto('role_departments').values(departments).execute();
});
afterAll(() => database.drop());

const giver = (dataScope: DataScope) => ({ roleId: 2, roleKey: 'editor', dataScope });
const admin = { roleId: 1, roleKey: 'admin', dataScope: '5' } as const;

describe('a data scope', () => {
  // Each row: who gives, and what they may give.
  it.each([
    ['1', '12345'],
    ['4', '345'],
    ['3', '35'],
    ['2', '25'],
    ['5', '5'],
  ] as const)('%s gives exactly %s', async (own, may) => {
    const asked = dataScopes.map(async (dataScope) => {
      const scope = { dataScope, departmentIds: dataScope === '2' ? [1] : [] };
      return (await mayGiveScope(database.store, giver(own), scope)) ? dataScope : '';
    });
    expect((await Promise.all(asked)).join('')).toBe(may);
  });

  it.each([
    [[1, 2], true],
    [[], true],
    [[1, 3], false],
  ])('of departments gives %j: %s', async (departmentIds, may) => {
    expect(await mayGiveScope(database.store, giver('2'), { dataScope: '2', departmentIds })).toBe(may);
  });

  it('of admin gives every other', async () => {
    expect(await mayGiveScope(database.store, admin, { dataScope: '1', departmentIds: [] })).toBe(true);
  });
});

describe('a role', () => {
  const mayGive = (mayDoAll: boolean) => createMayGive({ store: database.store, mayDoAll: () => mayDoAll });

  it('admin is given by admin alone', async () => {
    expect(await mayGive(true)(giver('1'), 1)).toBe(false);
    expect(await mayGive(false)(admin, 1)).toBe(true);
  });

  it('that may do or see more is not given', async () => {
    expect(await mayGive(false)(giver('1'), 3)).toBe(false);
    expect(await mayGive(true)(giver('5'), 2)).toBe(false);
  });

  it('that does not exist is not given', async () => {
    expect(await mayGive(true)(giver('1'), 99)).toBe(false);
  });

  it('that may do and see no more is given', async () => {
    expect(await mayGive(true)(giver('5'), 3)).toBe(true);
    expect(await mayGive(true)(giver('3'), 2)).toBe(true);
  });

  it('is touched by whoever sees as much, and admin by admin alone', async () => {
    const { store } = database;
    expect(await mayTouchRole(store, giver('1'), 1)).toBe(false);
    expect(await mayTouchRole(store, giver('5'), 2)).toBe(false);
    expect(await mayTouchRole(store, giver('1'), 99)).toBe(false);
    expect(await mayTouchRole(store, giver('3'), 2)).toBe(true);
    expect(await mayTouchRole(store, admin, 1)).toBe(true);
  });
});
