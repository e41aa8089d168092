import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { createWebhookSecrets, resealWebhookSecrets } from '../../../src/people/webhooks/webhook-secrets.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { insertWebhook, readWebhook } from './webhook-world.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

it('encrypts each secret again, also beside a previous one that no master key decrypts', async () => {
  const { store } = database;
  const [present, previous, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const secret = randomBytes(32);
  const lostOnes = createWebhookSecrets([lost]);
  const [first, second] = [await insertWebhook(store), await insertWebhook(store)];
  for (const id of [first, second])
    await store
      .updateTable('webhooks')
      .set({
        sealed_secret: createWebhookSecrets([previous]).seal(id, secret),
        sealed_previous: id === first ? lostOnes.seal(id, secret) : null,
      })
      .where('id', '=', id)
      .execute();
  expect(await resealWebhookSecrets(store, [present, previous])).toBe(2);
  for (const id of [first, second]) {
    const { sealed_secret } = await readWebhook(store, id);
    const opened = createWebhookSecrets([present]).open(id, sealed_secret);
    failIfAttackSucceeded(opened === undefined, 'a secret stays under the previous master key');
    expect(opened).toEqual(secret);
  }
  const { sealed_previous } = await readWebhook(store, first);
  expect(sealed_previous && lostOnes.open(first, sealed_previous)).toEqual(secret);
});

it('leaves a webhook whose secret no master key opens, and reports what it cannot store', async () => {
  const { store } = database;
  await store.deleteFrom('webhooks').execute();
  const [present, previous, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const id = await insertWebhook(store);
  const set = (key: Buffer) =>
    store
      .updateTable('webhooks')
      .set({ sealed_secret: createWebhookSecrets([key]).seal(id, randomBytes(32)) })
      .where('id', '=', id)
      .execute();
  await set(lost);
  const before = await readWebhook(store, id);
  expect(await resealWebhookSecrets(store, [present, previous])).toBe(0);
  expect(await readWebhook(store, id)).toEqual(before);
  await set(previous);
  const reseal = () => resealWebhookSecrets(store, [present, previous]);
  await expect(whileRefused(store, 'update on webhooks', reseal)).rejects.toThrow(refusal);
  expect(await reseal()).toBe(1);
});
