import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import {
  createSealedSecrets,
  type SecretKind,
  secretOwners,
} from '../../../src/base/secrets/sealed-secrets.ts';
import { resealSecrets } from '../../../src/cluster/store/reseal-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { insertWebhook, readWebhook } from '../../people/webhooks/webhook-world.ts';
import { refusal, whileRefused } from '../../refuse-writes.ts';
import { seedDirectory } from '../../seed-directory.ts';

const [present, previous, lost] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
const secret = randomBytes(32);
const [mei, kim] = [7, 8];
const kids = ['k1', 'k2', 'k3'] as const;

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(() => sql`truncate credentials, providers, webhooks, keys cascade`.execute(database.store));

const sealed = (kind: SecretKind, id: number | string, key = previous as Buffer) =>
  createSealedSecrets(kind, [key]).seal(id, secret);
const reseal = (rows?: number) => resealSecrets(database.store, [present, previous], undefined, rows);

async function addApp(userId: number, stored: Buffer | null): Promise<void> {
  await sql`insert into credentials (user_id, kind, factor, sealed_secret)
    values (${userId}, 'totp', 2, ${stored})`.execute(database.store);
}

async function addKey(kid: string, stored: Buffer): Promise<void> {
  await sql`insert into keys (kid, dev, public_jwk, sealed_private, signing)
    values (${kid}, false, '{}', ${stored}, false)`.execute(database.store);
}

async function addProvider(id: number, stored: Buffer): Promise<void> {
  await sql`insert into providers (id, key, kind, name, settings, sealed_secret) overriding system value
    values (${id}, ${`p${id}`}, 'oidc', 'Provider', '{}', ${stored})`.execute(database.store);
}

/** The ids of the owners whose secrets this key decrypts, for each column. */
async function openedBy(key: Buffer) {
  const opened: Record<string, (number | string)[]> = {};
  for (const [kind, { table, id, columns }] of Object.entries(secretOwners))
    for (const column of columns) {
      const { rows } = await sql<{ id: number | string; sealed: Buffer | null }>`
        select ${sql.id(id)} as id, ${sql.id(column)} as sealed from ${sql.id(table)} order by 1`.execute(
        database.store,
      );
      const { open } = createSealedSecrets(kind as SecretKind, [key]);
      opened[`${table}.${column}`] = rows
        .filter((row) => open(row.id, row.sealed)?.equals(secret))
        .map((row) => row.id);
    }
  return opened;
}

it('every column with an encrypted secret has its line among the owners', async () => {
  const { rows } = await sql<{ name: string }>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema and column_name like 'sealed%'`.execute(database.store);
  const owned = Object.values(secretOwners).flatMap(({ table, columns }) =>
    columns.map((column) => `${table}.${column}`),
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(owned.toSorted());
});

it.each([1000, 1])('encrypts the secrets of all owners again, in batches of %i', async (batch) => {
  for (const userId of [mei, kim]) await addApp(userId, sealed('totp', userId));
  await addApp(mei, null);
  for (const id of [1, 2]) await addProvider(id, sealed('provider', id));
  for (const kid of kids) await addKey(kid, sealed('signingKey', kid));
  const webhook = await insertWebhook(database.store);
  const stored = sealed('webhook', webhook);
  await database.store
    .updateTable('webhooks')
    .set({ sealed_secret: stored, sealed_previous: stored })
    .execute();
  const counts = { totpSecrets: 2, providerSecrets: 2, webhookSecrets: 2, resealed: 3, left: [] };
  expect(await reseal(batch)).toEqual(counts);
  expect(await openedBy(present)).toEqual({
    'credentials.sealed_secret': [mei, kim],
    'providers.sealed_secret': [1, 2],
    'webhooks.sealed_secret': [webhook],
    'webhooks.sealed_previous': [webhook],
    'keys.sealed_private': kids,
  });
});

it('keeps a secret that no master key decrypts, continues with the next, and names the signing keys', async () => {
  const id = await insertWebhook(database.store);
  const unreadable = sealed('webhook', id, lost);
  await database.store
    .updateTable('webhooks')
    .set({ sealed_secret: sealed('webhook', id), sealed_previous: unreadable })
    .execute();
  for (const provider of [1, 2])
    await addProvider(provider, sealed('provider', provider, provider === 1 ? lost : previous));
  await addKey('k1', sealed('signingKey', 'k1', lost));
  await addKey('k2', sealed('signingKey', 'k2'));
  const counts = await reseal();
  const opened = await openedBy(present);
  const isLeft = !opened['providers.sealed_secret']?.includes(2);
  failIfAttackSucceeded(isLeft, 'a secret stays under the previous master key');
  expect(counts).toMatchObject({ providerSecrets: 1, webhookSecrets: 1, resealed: 1, left: ['k1'] });
  expect(opened).toMatchObject({
    'providers.sealed_secret': [2],
    'webhooks.sealed_secret': [id],
    'keys.sealed_private': ['k2'],
  });
  expect((await readWebhook(database.store, id)).sealed_previous).toEqual(unreadable);
});

it('reports what it cannot store', async () => {
  const id = await insertWebhook(database.store);
  await database.store
    .updateTable('webhooks')
    .set({ sealed_secret: sealed('webhook', id) })
    .execute();
  await expect(whileRefused(database.store, 'update on webhooks', () => reseal())).rejects.toThrow(refusal);
  expect(await reseal()).toMatchObject({ webhookSecrets: 1 });
});

it('stores no signing key without its record', async () => {
  await addKey('k1', sealed('signingKey', 'k1'));
  const failing = resealSecrets(database.store, [present, previous], () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  expect((await openedBy(previous))['keys.sealed_private']).toEqual(['k1']);
});
