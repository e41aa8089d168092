// Mappings are applied while others change the same people: when the call has returned, everybody stands where the mappings
// say.
import { AppError } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectAttackFails, failIfAttackSucceeded } from '../../../../../../test/weaknesses/attack.ts';
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
    .values([10, 11].map((id) => ({ id, role_key: `r${id}`, name: `Role ${id}`, data_scope: '5' })))
    .execute();
  await database.store.updateTable('users').set({ role_id: 1 }).where('id', '=', 7).execute();
});
afterAll(() => database.drop());
beforeEach(() => {
  world = createLinkedPeople(database);
});

const clerks = dnOf('clerks');
const always = (...mappings: ReturnType<typeof to>[]) => ({ roleSource: 'every_login' as const, mappings });
const kindOf = (error: unknown) => (error instanceof AppError ? error.kind : String(error));

/** Runs once, when the mappings are stored and before anybody is moved. */
function onceStored(work: () => Promise<unknown>): void {
  world.beforeWrite(async (n) => {
    if (n === 2) await work();
  });
}

describe.each(['ldap', 'oidc'] as const)('people of a provider of the kind %s', (kind) => {
  it('moves a person whose department changes meanwhile, and ends the sessions of the role before', async () => {
    const id = await world.addProvider(kind);
    const person = await world.addPerson(id, 10, [clerks]);
    onceStored(() => world.setUser(person, { department_id: 2 }));
    await world.apply(id, always(to(clerks, 11)));
    const place = await world.placeOf(person);
    expectAttackFails(place.roleId, { success: 10, failure: 11 });
    expect(place.departmentId).toBe(2);
    expect(await world.isIn(person)).toBe(false);
  });

  it('moves a person whose role changes meanwhile', async () => {
    const id = await world.addProvider(kind);
    const person = await world.addPerson(id, 10, [clerks]);
    onceStored(() => world.setUser(person, { role_id: 2 }));
    await world.apply(id, always(to(clerks, 11)));
    expectAttackFails((await world.placeOf(person)).roleId, { success: 2, failure: 11 });
  });

  it('moves an administrator whose department changes meanwhile', async () => {
    const id = await world.addProvider(kind);
    const person = await world.addPerson(id, 1, [clerks]);
    onceStored(() => world.setUser(person, { department_id: 2 }));
    await world.apply(id, always(to(clerks, 11)));
    expect(await world.placeOf(person)).toEqual({ roleId: 11, departmentId: 2 });
  });

  it('moves a person who becomes an administrator during the call', async () => {
    const id = await world.addProvider(kind);
    const person = await world.addPerson(id, 10, [clerks]);
    const other = await world.addPerson(id, 10, [clerks]);
    onceStored(() => world.setUser(person, { role_id: 1 }));
    await world.apply(id, always(to(clerks, 11)));
    expectAttackFails((await world.placeOf(person)).roleId, { success: 1, failure: 11 });
    expect((await world.placeOf(other)).roleId).toBe(11);
  });

  it('rejects mappings that would leave no administrator', async () => {
    const id = await world.addProvider(kind);
    const person = await world.addPerson(id, 1, [clerks]);
    await database.store.updateTable('users').set({ enabled: false }).where('id', '=', 7).execute();
    const applied = world.apply(id, always(to(clerks, 11)));
    expect(await applied.then(() => 'applied', kindOf)).toBe('conflict');
    expect((await world.placeOf(person)).roleId).toBe(1);
    await database.store.updateTable('users').set({ enabled: true }).where('id', '=', 7).execute();
  });
});

it('moves a person whose department changes before every write', async () => {
  const id = await world.addProvider('oidc');
  const person = await world.addPerson(id, 10, [clerks]);
  world.beforeWrite(async (n) => {
    if (n > 1) await world.setUser(person, { department_id: n % 2 === 0 ? 2 : 1 });
  });
  await world.apply(id, always(to(clerks, 11)));
  expect((await world.placeOf(person)).roleId).toBe(11);
});

it('moves a person by the groups that are read last, where another call reads the directory meanwhile', async () => {
  const id = await world.addProvider('ldap');
  const person = await world.addPerson(id, 10, [clerks]);
  onceStored(async () => {
    world.changeListed(person, { groups: [dnOf('guests')] });
    await world.raiseEpoch(id);
  });
  await world.apply(id, always(to(clerks, 11), to(dnOf('guests'), 2)));
  expectAttackFails((await world.placeOf(person)).roleId, { success: 11, failure: 2 });
});

it('keeps the role of the mappings that are stored last', async () => {
  const id = await world.addProvider('oidc');
  const person = await world.addPerson(id, 10, [clerks]);
  // To these, everybody stands where they should.
  onceStored(() => world.apply(id, always(to(clerks, 10))));
  await world.apply(id, always(to(clerks, 11)));
  expect((await world.placeOf(person)).roleId).toBe(10);
});

it('rejects the call where the provider changes in every round', async () => {
  const id = await world.addProvider('ldap');
  const person = await world.addPerson(id, 10, [clerks]);
  world.beforeWrite(async (n) => {
    if (n > 1) await world.raiseEpoch(id);
  });
  const outcome = await world.apply(id, always(to(clerks, 11))).then(() => 'applied', kindOf);
  expectAttackFails(outcome, { success: 'applied', failure: 'unavailable' });
  expect((await world.placeOf(person)).roleId).toBe(10);
});

it('locks out a person whose groups exceed a limit, also where a star gives a role', async () => {
  const id = await world.addProvider('ldap');
  const person = await world.addPerson(id, 2, [clerks]);
  world.changeListed(person, { groups: 'groups_too_deep' });
  await world.apply(id, always(to('*', 2)));
  failIfAttackSucceeded(await world.isIn(person), 'the star lets the person in');
});
