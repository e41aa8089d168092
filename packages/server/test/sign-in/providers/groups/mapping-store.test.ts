// Mappings of one provider, in their order.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Mapping } from '../../../../src/sign-in/providers/groups/map-groups.ts';
import {
  listMappings,
  replaceMappings,
  setRoleSource,
} from '../../../../src/sign-in/providers/groups/mapping-store.ts';
import { findProvider } from '../../../../src/sign-in/providers/provider-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople, to } from '../linked-people.ts';

let database: FreshDatabase;
let one: number;
let two: number;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const people = createLinkedPeople(database);
  [one, two] = [await people.addProvider('oidc'), await people.addProvider('oidc')];
});
afterAll(() => database.drop());

const replace = (id: number, mappings: readonly Mapping[]) =>
  database.store.transaction().execute((transaction) => replaceMappings(transaction, id, mappings));

it.each<[string, Mapping, object]>([
  ['a group that is no text', to('not\u0000text', 2), { kind: 'provider_settings_wrong' }],
  ['a role that is not there', to('staff', 99), { kind: 'record_not_found' }],
  ['a department that is not there', to('staff', 2, 99), { kind: 'record_not_found' }],
  ['a group that is too long', to('x'.repeat(513), 2), { code: '23514' }],
])('rejects %s', async (_what, mapping, refusal) => {
  await expect(replace(one, [to('kept', 2), mapping])).rejects.toMatchObject(refusal);
  expect(await listMappings(database.store, one)).toEqual([]);
});

it('replaces the mappings of one provider, also by none, and keeps their order', async () => {
  const { store } = database;
  const [staff, guests] = [to('staff', 2, 1), to('guests', 3)];
  await replace(one, [staff, guests]);
  await replace(two, [guests]);
  await replace(two, [guests, staff]);
  expect([await listMappings(store, one), await listMappings(store, two)]).toEqual([
    [staff, guests],
    [guests, staff],
  ]);
  await replace(one, []);
  expect([await listMappings(store, one), await listMappings(store, two)]).toEqual([[], [guests, staff]]);
});

it('sets what roles of one provider follow', async () => {
  const { store } = database;
  await store.transaction().execute((transaction) => setRoleSource(transaction, one, 'every_login'));
  const sourceOf = async (id: number) => (await findProvider(store, { id }))?.roleSource;
  expect([await sourceOf(one), await sourceOf(two)]).toEqual(['every_login', 'local']);
});
