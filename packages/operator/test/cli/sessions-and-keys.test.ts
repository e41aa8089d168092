// `portcullis sessions`, `keys` and `recover` on a real database.
import { hkdfSync, randomBytes } from 'node:crypto';
import { createSealedSecrets } from '@portcullis/server/base/secrets/sealed-secrets.ts';
import { listRecords } from '@portcullis/server/logs/audit/audit-store.ts';
import { insertSession } from '@portcullis/server/sign-in/sessions/session-store.ts';
import { generateTokenId } from '@portcullis/server/sign-in/sessions/sign-token.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { masterKey, sealingKey } from '../../../../test/rig/master-key.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const run = (...command: string[]) => performCommand(command, { url: database.url });
const runJson = async (...command: string[]) => JSON.parse((await run(...command, '--json')).stdout);
const actions = async () =>
  (await listRecords(database.store, 'all', { after: undefined, limit: 100 })).items.map(
    ({ action }) => action,
  );

async function logIn(userId: number, kid: string): Promise<string> {
  const jti = generateTokenId(randomBytes);
  const users = database.store.selectFrom('users').select('epoch').where('id', '=', userId);
  const { epoch } = await users.executeTakeFirstOrThrow();
  await insertSession(database.store, {
    ...{ jti, kid, account: { userId, roleKey: 'editor', epoch } },
    ...{ issuedAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) },
  });
  return jti;
}

it.each([
  ['no session and no user', ['sessions', 'end'], 64, 'Give one of'],
  ['a session and everybody', ['sessions', 'end', 'x'.repeat(22), '--all'], 64, 'Give one of'],
  ['everybody, without --yes', ['sessions', 'end', '--all'], 64, 'give --yes'],
  ['every session after a loss, without --yes', ['recover'], 64, 'give --yes'],
  ['a session that is none', ['sessions', 'end', 'x'.repeat(22)], 1, 'no such live session'],
  ['a name that is no session', ['sessions', 'end', 'alice'], 64, 'as the list shows it: 22 letters'],
  ['a key at once, without --yes', ['signing-keys', 'emergency-retire', 'none'], 64, 'give --yes'],
  [
    'a key at once that is none',
    ['signing-keys', 'emergency-retire', 'none', '--yes'],
    1,
    'There is no key none',
  ],
  ['a key that is none', ['signing-keys', 'activate', 'none'], 1, 'There is no key none'],
])('%s: is refused with what to do', async (_what, command, code, reason) => {
  const ended = await run(...command);
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(reason);
});

it('a key is created, signs, is not retired while it does, and goes at once in an emergency', async () => {
  const created = await run('signing-keys', 'create');
  expect(created.stdout).toMatch(/^(\w+) is created, and every instance knows it/);
  const { items } = await runJson('signing-keys', 'list');
  const { kid } = items[0];
  expect((await run('signing-keys', 'activate', kid)).stdout).toContain(
    `${kid} signs from now on. The instances apply it`,
  );
  const refused = await run('signing-keys', 'retire', kid);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain(`portcullis signing-keys emergency-retire ${kid}`);
  const retired = await run('signing-keys', 'emergency-retire', kid, '--yes');
  expect(retired.stdout).toMatch(
    /is retired, and the sessions of its tokens are ended\. Every instance enforces it/,
  );
  expect((await run('signing-keys', 'list')).stdout).toMatch(new RegExp(`${kid} +retired`));
  expect(await run('signing-keys', 'activate', kid)).toMatchObject({ code: 1 });
});

it('lists and ends sessions: one, those of a user, those of all users', async () => {
  const { items } = await runJson('signing-keys', 'list');
  const signing = items.find(({ state }: { state: string }) => state === 'signing').kid;
  const jti = await logIn(7, signing);
  await logIn(8, signing);
  expect((await runJson('sessions', 'list', '--user', 'mei')).items).toMatchObject([
    { jti, username: 'mei' },
  ]);
  expect((await run('sessions', 'end', jti)).stdout).toMatch(
    /^The session is ended\. Every instance enforces it/,
  );
  expect((await run('sessions', 'end', '--user', 'kim')).stdout).toMatch(
    /^The sessions of kim are ended\. Every/,
  );
  expect((await run('sessions', 'list')).stdout).toBe('There are no sessions.\n');
  expect((await run('sessions', 'end', '--all', '--yes')).stdout).toMatch(/^Every session is ended\. Every/);
});

it('`signing-keys reseal` and `recover` are recorded in the audit log too', async () => {
  expect((await run('signing-keys', 'reseal')).stdout).toMatch(
    /^Encrypted \d+ signing keys and 0 secrets of authenticator apps, 0 of providers and 0 of webhooks with the master key\.\n$/,
  );
  expect((await run('recover', '--yes')).stdout).toMatch(/Every instance enforces revision \d+\.\n$/);
  expect((await actions()).slice(0, 2)).toEqual(['session.recover', 'key.reseal']);
});

it('`signing-keys reseal` seals every secret with the new master key, and leaves what neither key opens', async () => {
  const { store } = database;
  const other = randomBytes(32);
  const newKey = '5b'.repeat(32);
  const newSealingKey = Buffer.from(
    hkdfSync('sha256', Buffer.from(newKey, 'hex'), '', 'portcullis sealing', 32),
  );
  const [old, current] = [[sealingKey], [newSealingKey]] as const;
  const insertProvider = async (key: string, by: Buffer) => {
    const { id } = await store
      .insertInto('providers')
      .values({ key, kind: 'oidc', name: key, settings: '{}' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const sealed_secret = createSealedSecrets('provider', [by]).seal(id, Buffer.from(`secret of ${key}`));
    await store.updateTable('providers').set({ sealed_secret }).where('id', '=', id).execute();
    return id;
  };
  const [provider, closed] = [await insertProvider('own', sealingKey), await insertProvider('closed', other)];
  const { id: webhook } = await store
    .insertInto('webhooks')
    .values({
      name: 'SIEM',
      url: 'https://siem.example.com',
      kinds: [],
      sealed_secret: Buffer.alloc(0),
      audit_seq: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const seal = (text: string) => createSealedSecrets('webhook', old).seal(webhook, Buffer.from(text));
  const stored = { sealed_secret: seal('now'), sealed_previous: seal('before') };
  await store.updateTable('webhooks').set(stored).where('id', '=', webhook).execute();

  const environment = { AUTH_MASTER_KEY: newKey, AUTH_PREVIOUS_MASTER_KEY: masterKey };
  const { code, stdout } = await performCommand(['signing-keys', 'reseal'], {
    url: database.url,
    environment,
  });
  expect(code).toBe(0);
  expect(stdout).toContain('1 of providers and 2 of webhooks');

  const providers = await store
    .selectFrom('providers')
    .select(['id', 'sealed_secret as sealedSecret'])
    .execute();
  const opened = (keys: readonly [Buffer]) =>
    new Map(
      providers.map((one) => [
        one.id,
        createSealedSecrets('provider', keys).open(one.id, one.sealedSecret)?.toString(),
      ]),
    );
  expect(opened(current)).toEqual(
    new Map([
      [provider, 'secret of own'],
      [closed, undefined],
    ]),
  );
  expect(opened([other]).get(closed)).toBe('secret of closed');
  const sealed = await store
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', webhook)
    .executeTakeFirstOrThrow();
  const open = (bytes: Buffer | null) =>
    createSealedSecrets('webhook', current)
      .open(webhook, bytes ?? Buffer.alloc(0))
      ?.toString();
  expect([open(sealed.sealed_secret), open(sealed.sealed_previous)]).toEqual(['now', 'before']);
});
