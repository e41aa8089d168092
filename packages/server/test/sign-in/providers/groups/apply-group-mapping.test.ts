// The group mapping at a login: a login with the previous role is refused where the new one cannot be stored.
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessWriter } from '../../../../src/cluster/access-writer.ts';
import { createRecordChange } from '../../../../src/logs/audit/record-change.ts';
import { findAccountOf } from '../../../../src/people/users/user-store.ts';
import {
  createApplyGroupMapping,
  createFindRoleAndDepartment,
} from '../../../../src/sign-in/providers/groups/apply-group-mapping.ts';
import { findProvider } from '../../../../src/sign-in/providers/provider-store.ts';
import { createAccessStandIn } from '../../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople, dnOf, to } from '../linked-people.ts';

let database: FreshDatabase;
let world: ReturnType<typeof createLinkedPeople>;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await database.store
    .insertInto('roles')
    .values({ id: 10, role_key: 'r10', name: 'Role 10', data_scope: '5' })
    .execute();
  world = createLinkedPeople(database);
});
afterAll(() => database.drop());

const clerks = dnOf('clerks');
async function settle(access: AccessWriter, change: (id: number) => Promise<unknown> = async () => {}) {
  const { store } = database;
  const id = await world.addProvider('ldap', 'every_login', [to(clerks, 10)]);
  const person = await world.addPerson(id, 2, [clerks]);
  const provider = await findProvider(store, { id });
  const found = await findAccountOf(store, person.userId);
  if (provider === undefined || found === undefined) throw new Error('There is no person.');
  await change(id);
  const applyGroupMapping = createApplyGroupMapping({ store, access, recordChange: createRecordChange() });
  const by = { ip: '127.0.0.1', requestId: 'r' };
  const account = await applyGroupMapping({ provider, groups: [clerks], found, ...by });
  return account?.roleId;
}

it.each(['unavailable', 'internal'] as const)(
  'rejects a login whose role cannot be stored: %s',
  async (kind) => {
    const refuse = async () => {
      throw new AppError(kind);
    };
    const access = { give: refuse, takeAway: refuse };
    await expect(settle(access)).rejects.toMatchObject({ kind });
    expect(await settle(createAccessStandIn(database.store))).toBe(10);
  },
);

it('rejects a login whose provider was changed meanwhile', async () => {
  const access = createAccessStandIn(database.store);
  await expect(settle(access, world.raiseEpoch)).rejects.toMatchObject({ kind: 'provider_refused' });
});

it('creates a person in no mapped group only where groups decide at the first login alone', async () => {
  const { store } = database;
  const findRoleAndDepartment = createFindRoleAndDepartment({ store });
  const placeOf = async (roleSource: 'first_login' | 'every_login', groups: readonly string[]) => {
    const id = await world.addProvider('ldap', roleSource, [to(clerks, 10)]);
    const provider = await findProvider(store, { id });
    return provider && (await findRoleAndDepartment(provider, groups));
  };
  expect(await placeOf('every_login', [dnOf('others')])).toBeUndefined();
  expect(await placeOf('every_login', [clerks])).toEqual({ roleId: 10, departmentId: 1 });
  expect(await placeOf('first_login', [dnOf('others')])).toEqual({ roleId: 2, departmentId: 1 });
});
