// The deletion of a provider, as far as it needs a provider that others change at one exact moment.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AccessWriter } from '../../../src/cluster/access-writer.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { createProviderChanges } from '../../../src/sign-in/providers/provider-changes.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator } from '../../serve-routes.ts';
import { createLinkedPeople } from './linked-people.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

it('rejects the deletion of a provider by which hundreds signed in meanwhile, and ends their sessions', async () => {
  const { store } = database;
  const world = createLinkedPeople(database);
  const id = await world.addProvider('oidc');
  const person = await world.addPerson(id, 2, []);
  const setEnabled = (isEnabled: boolean) =>
    store.updateTable('providers').set({ enabled: isEnabled }).where('id', '=', id).execute();
  const stored = createAccessStandIn(store);
  let takes = 0;
  const access: AccessWriter = {
    give: stored.give,
    async takeAway(call, change) {
      takes += 1;
      const revision = await stored.takeAway(call, change);
      // The sessions are ended, and the provider is not deleted yet.
      if (takes !== 1) return revision;
      await setEnabled(true);
      await sql`
        insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, provider_id, provider_epoch, link_id, began_at)
        select ${randomUUID()} || n, ${person.userId}, 'editor', 'k', 1, now(), now() + interval '1 hour', 'oidc', 1, ${id},
          (select epoch from providers where id = ${id}), ${person.linkId}, now()
        from generate_series(1, 501) as n`.execute(store);
      await setEnabled(false);
      return revision;
    },
  };
  const changes = createProviderChanges({
    store,
    access,
    recordChange: createRecordChange(),
    canManage: { ofEverybody: () => {} },
    secrets: {} as never,
    kinds: [],
  });
  const call = { caller: administrator, confirmedAt: 'unchecked', ip: '127.0.0.1', requestId: 'r' } as never;
  const count = async () =>
    (await sql`select from sessions where provider_id = ${id}`.execute(store)).rows.length;
  await expect(changes.delete(call, id)).rejects.toMatchObject({ kind: 'conflict' });
  expect(await count()).toBe(0);
  await changes.delete(call, id);
  expect(await world.epochOf(id)).toBeUndefined();
});
