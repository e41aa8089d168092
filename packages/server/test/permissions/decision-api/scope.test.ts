import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { secret, startDecisionWorld } from './decision-world.ts';

let world: Awaited<ReturnType<typeof startDecisionWorld>>;
beforeAll(async () => {
  world = await startDecisionWorld();
  // Department 2 lies below 1, and 3 below 2.
  const { store } = world;
  for (const [id, parent_id] of [
    [2, 1],
    [3, 2],
  ] as const)
    await store.updateTable('departments').set({ parent_id }).where('id', '=', id).execute();
  await store.insertInto('departments').values({ id: 4, name: 'Department 4', parent_id: null }).execute();
  await store.updateTable('users').set({ department_id: 2 }).where('id', '=', 7).execute();
  await store
    .insertInto('role_departments')
    .values([1, 4].map((department_id) => ({ role_id: 2, department_id })))
    .execute();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  await world.store.updateTable('roles').set({ data_scope: '3' }).where('id', '=', 2).execute();
});

async function ask(query: string) {
  const response = await fetch(`${world.origin}/access/v1/scope${query}`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  return { status: response.status, body: (await response.json()) as { departments: number[] } };
}

describe('a scope', () => {
  it.each([
    '',
    '?',
    '?userId=',
    '?userId=mei',
    '?userId=0',
    '?userId=-7',
    '?userId=7&userId=8',
    '?userId=7.0',
    '?userid=7',
  ])('is not told for %j', async (query) => {
    expect(await ask(query)).toEqual({ status: 400, body: { error: 'Ask with one `userId`, a number.' } });
  });

  it.each([
    ['an unknown user', 4711],
    ['a user of a disabled role', 9],
    ['a disabled user', 10],
    ['a deleted user', 11],
  ])('of %s is own rows', async (_name, userId) => {
    await world.store.updateTable('roles').set({ data_scope: '1' }).where('id', '=', 3).execute();
    expect((await ask(`?userId=${userId}`)).body).toEqual({ scope: 'own', departments: [], userId });
  });

  it.each([
    ['1', 'all', []],
    ['2', 'departments', [1, 4]],
    ['3', 'departments', [2]],
    ['4', 'departments', [2, 3]],
    ['5', 'own', []],
  ])('%s is %s %j', async (dataScope, scope, departments) => {
    await world.store.updateTable('roles').set({ data_scope: dataScope }).where('id', '=', 2).execute();
    const { status, body } = await ask('?userId=7');
    expect(status).toBe(200);
    expect({ ...body, departments: body.departments.toSorted() }).toEqual({ scope, departments, userId: 7 });
  });

  it('of chosen departments with none chosen shows none', async () => {
    await world.store.updateTable('roles').set({ data_scope: '2' }).where('id', '=', 1).execute();
    expect((await ask('?userId=12')).body).toEqual({ scope: 'departments', departments: [], userId: 12 });
  });
});
