import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { administrator } from '../../serve-routes.ts';
import { startUserWorld, type UserWorld } from '../user-world.ts';

let world: UserWorld;
beforeAll(async () => {
  world = await startUserWorld();
});
afterAll(() => world.close());
// Users 7 and 8 are the administrators; the caller is one who was deleted meanwhile.
beforeEach(async () => {
  const admins = { role_id: 1, enabled: true, deleted_at: null };
  await world.store.updateTable('users').set(admins).where('id', 'in', [7, 8]).execute();
  world.caller = administrator;
});

type Removal = readonly [what: string, method: 'PUT' | 'DELETE', path: string, body: object | undefined];
const disabling: Removal = ['disabled', 'PUT', 'enabled', { enabled: false }];
const demoting: Removal = ['given another role', 'PUT', 'role', { roleId: 2 }];
const deleting: Removal = ['deleted', 'DELETE', '', undefined];
const removals = [disabling, demoting, deleting];
const remove = (id: number, [, method, what, body]: Removal) =>
  world.send(method, `/users/${id}${what && `/${what}`}`, body);
async function countAdministrators(): Promise<number> {
  const rows = await world.store
    .selectFrom('users')
    .select('id')
    .where('role_id', '=', 1)
    .where('enabled', '=', true)
    .where('deleted_at', 'is', null)
    .execute();
  return rows.length;
}

describe('the last administrator', () => {
  it.each(removals)('cannot be %s', async (...removal) => {
    await world.store.updateTable('users').set({ role_id: 2 }).where('id', '=', 8).execute();
    expect(await remove(7, removal)).toMatchObject({ status: 200, code: 409 });
    expect(await countAdministrators()).toBe(1);
  });

  it.each([
    ['disabled', { enabled: false }],
    ['deleted', { deleted_at: new Date(), enabled: true }],
  ])('cannot be removed when the other one is %s', async (_what, state) => {
    await world.store.updateTable('users').set(state).where('id', '=', 8).execute();
    for (const removal of removals) expect(await remove(7, removal)).toMatchObject({ code: 409 });
    expect(await countAdministrators()).toBe(1);
  });

  it('does not include a disabled one, which can be deleted', async () => {
    await world.store.updateTable('users').set({ enabled: false }).where('id', '=', 7).execute();
    expect(await remove(7, deleting)).toMatchObject({ code: 200 });
    expect(await countAdministrators()).toBe(1);
  });

  const pairs = removals.flatMap((first) =>
    removals.map((second) => [first[0], second[0], first, second] as const),
  );
  it.each(pairs)('stays when one is %s and the other %s at once: exactly one succeeds', async (...pair) => {
    const [, , first, second] = pair;
    for (let round = 0; round < 5; round += 1) {
      const admins = { role_id: 1, enabled: true, deleted_at: null };
      await world.store.updateTable('users').set(admins).where('id', 'in', [7, 8]).execute();
      const answers = await Promise.all([remove(7, first), remove(8, second)]);
      expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409]);
      expect(await countAdministrators()).toBe(1);
    }
  });
});

it.each(removals)('one of two administrators can be %s', async (...removal) => {
  expect(await remove(7, removal)).toMatchObject({ code: 200 });
  expect(await countAdministrators()).toBe(1);
});
