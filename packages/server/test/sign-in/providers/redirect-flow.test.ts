// How a browser gets to a provider and back: only by way of one that is enabled, and of a kind that people go to.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../src/base/limit/concurrency-limit.ts';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import type { ProviderKind } from '../../../src/sign-in/providers/provider-kind.ts';
import { setProviderSecret } from '../../../src/sign-in/providers/provider-store.ts';
import { createRedirectFlow } from '../../../src/sign-in/providers/redirect-flow.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { createLinkedPeople } from './linked-people.ts';

const secrets = createSealedSecrets('provider', [Buffer.alloc(32)]);
let database: FreshDatabase;
let sso: number;
let directory: number;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const people = createLinkedPeople(database);
  [sso, directory] = [await people.addProvider('oidc'), await people.addProvider('ldap')];
  await database.store
    .transaction()
    .execute((transaction) => setProviderSecret(transaction, sso, secrets.seal(sso, Buffer.from('secret'))));
});
afterAll(() => database.drop());
beforeEach(() => sql`update providers set enabled = true`.execute(database.store));

const oidc = {
  kind: 'oidc',
  authorizationUrl: async (
    { id, secret }: { id: number; secret?: string },
    handle: string,
    purpose: string,
  ) => `${id} ${secret} ${handle} ${purpose}`,
  handleCallback: async (
    { secret }: { secret?: string },
    handle: string,
    purpose: string,
    answer: string,
  ) => ({
    subject: `${secret} ${handle} ${purpose} ${answer}`,
    name: '',
  }),
};
const open = (kind: object = oidc) =>
  createRedirectFlow({
    store: database.store,
    secrets,
    kinds: [{ kind: 'ldap' }, kind] as unknown as readonly ProviderKind[],
    concurrencyLimit: createConcurrencyLimit(1),
  });
const unknown = { kind: 'provider_unknown' };

it('leads to a provider by its id or key, with its secret opened, and back', async () => {
  const redirectFlow = open();
  const { key } = await redirectFlow.get(sso);
  expect((await redirectFlow.get(key)).id).toBe(sso);
  expect(await redirectFlow.authorizationUrl(sso, 'h', 'link')).toBe(`${sso} secret h link`);
  expect(await redirectFlow.handleCallback(sso, 'h', 'login', 'a')).toMatchObject({
    provider: { id: sso },
    identity: { subject: 'secret h login a' },
  });
});

it('leads to none that is disabled, not there, or of a kind that people do not go to', async () => {
  await expect(open().get(directory)).rejects.toMatchObject(unknown);
  await expect(open().get(123_456)).rejects.toMatchObject(unknown);
  await expect(open().get('nothing')).rejects.toMatchObject(unknown);
  await expect(
    open({ kind: 'oauth', authorizationUrl: oidc.authorizationUrl }).get(sso),
  ).rejects.toMatchObject(unknown);
  await sql`update providers set enabled = false`.execute(database.store);
  await expect(open().get(sso)).rejects.toMatchObject(unknown);
  await expect(open().authorizationUrl(sso, 'h', 'login')).rejects.toMatchObject(unknown);
  await expect(open().handleCallback(sso, 'h', 'login', 'a')).rejects.toMatchObject(unknown);
});

it('returns no address and no identity where the kind returns none', async () => {
  const none = open({
    ...oidc,
    authorizationUrl: async () => undefined,
    handleCallback: async () => undefined,
  });
  await expect(none.authorizationUrl(sso, 'h', 'login')).rejects.toMatchObject(unknown);
  await expect(none.handleCallback(sso, 'h', 'login', 'a')).rejects.toMatchObject(unknown);
});
