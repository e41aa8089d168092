// After lost changes, it is unknown which tokens had ended, so a recovery ends them all.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCurrentRevision } from '../../../src/cluster/revision-store.ts';
import { createKeyRing, ensureSigningKey } from '../../../src/sign-in/keys/key-ring.ts';
import { listLiveKeys } from '../../../src/sign-in/keys/key-store.ts';
import { recover } from '../../../src/sign-in/sessions/recover.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { loadReplica } from '../../load-replica.ts';

const sealingKey = randomBytes(32);
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

it('retires every previous key in a recovery, and signs with a new one under a revision that no process has seen', async () => {
  const { store } = database;
  const options = { store, sealingKeys: [sealingKey] as const, dev: false };
  await ensureSigningKey(options);
  const [before] = await listLiveKeys(store, false);
  const { n } = await readCurrentRevision(store);

  const written = await store
    .transaction()
    .execute((transaction) => recover(transaction, { dev: false, sealingKey }));

  const ring = await loadReplica(store, createKeyRing(options), { devKeys: false });
  const kid = before?.kid ?? '';
  expect([ring.find(kid), ring.isRetired(kid)]).toEqual([undefined, true]);
  expect(ring.signingKid).not.toBe(kid);
  expect((await ring.getSigningKey()).kid).toBe(ring.signingKid);
  expect(written.n).toBeGreaterThan(n + 1_000_000);
});
