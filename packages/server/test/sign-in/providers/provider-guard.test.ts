// The trigger that rejects a session of a disabled provider or an ended link, during a concurrent change of them: the insert
// waits for the change, and reads the state that was committed meanwhile.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../src/base/limit/concurrency-limit.ts';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import type { Store, StoreTransaction } from '../../../src/cluster/store/store.ts';
import { endFactors, lockFactorsOfUser } from '../../../src/sign-in/mfa/credential-store.ts';
import { insertLink } from '../../../src/sign-in/providers/link-store.ts';
import type { ProviderKind } from '../../../src/sign-in/providers/provider-kind.ts';
import { createProviderLogout } from '../../../src/sign-in/providers/provider-logout.ts';
import {
  insertProvider,
  lockProvider,
  lockProviderSession,
  lockProviderSubject,
  raiseProviderEpoch,
} from '../../../src/sign-in/providers/provider-store.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

const [mei, kim] = [7, 8];
let database: FreshDatabase;
let providerId = 0;
let linkId = 0;
let beganAt = new Date();

beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
beforeEach(async () => {
  await database.store.deleteFrom('sessions').execute();
  await database.store.deleteFrom('credentials').execute();
  await database.store.deleteFrom('providers').execute();
  await database.store.transaction().execute(async (transaction) => {
    providerId = await insertProvider(transaction, {
      key: 'sso',
      kind: 'oidc',
      name: 'SSO',
      settings: { issuer: 'https://sso.example', clientId: 'c', redirectUri: 'https://a.example/r' },
      provisioning: 'linked',
      roleId: null,
      departmentId: null,
      isDefault: false,
      lifetimeSeconds: null,
    });
    await raiseProviderEpoch(transaction, providerId, true);
    linkId = await insertLink(transaction, { userId: mei, providerId, subject: 'sub-mei', name: 'Mei' });
  });
  beganAt = new Date();
});
afterAll(() => database.drop());

/** `stored`, or why not. */
async function storeSession(
  over: { userId?: number; epoch?: number; session?: string } = {},
  store: Store = database.store,
) {
  const { userId = mei, epoch = 2, session = 'sid-1' } = over;
  return await insertSession(store, {
    jti: randomUUID(),
    kid: 'k',
    account: { userId, roleKey: 'editor', epoch: 1 },
    proof: {
      method: 'oidc',
      factor: 1,
      credentialId: linkId,
      provider: { providerId, epoch, session, linkId, beganAt },
    },
    issuedAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
  }).then(
    () => 'stored',
    (error: { kind?: string }) => String(error.kind),
  );
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(database.store);
  return rows.length;
}

async function storeBeside(change: (transaction: StoreTransaction) => Promise<unknown>): Promise<string> {
  let isSettled = false;
  let storing = Promise.resolve('');
  await database.store.transaction().execute(async (transaction) => {
    await change(transaction);
    storing = storeSession().finally(() => {
      isSettled = true;
    });
    await expect.poll(async () => isSettled || (await countWaiting()) === 1).toBe(true);
  });
  return await storing;
}

async function recordLogout(transaction: StoreTransaction, kind: 'session' | 'subject', value: string) {
  await transaction
    .insertInto('provider_logouts')
    .values({
      provider_id: providerId,
      kind,
      value,
      ended_at: sql<Date>`clock_timestamp()`,
      expires_at: sql<Date>`now() + interval '1 day'`,
    })
    .execute();
}

it('is refused for a disabled provider, and for one that was disabled and enabled after the sign-in', async () => {
  expect(
    await storeBeside(async (transaction) => {
      await lockProvider(transaction, providerId);
      await raiseProviderEpoch(transaction, providerId, false);
    }),
  ).toBe('provider_refused');
  await database.store.transaction().execute((all) => raiseProviderEpoch(all, providerId, true));
  expect(await storeSession()).toBe('provider_refused');
  expect(await storeSession({ epoch: 4 })).toBe('stored');
});

it('is refused by a link that has ended, and by the link of another person', async () => {
  expect(await storeSession({ userId: kim })).toBe('factor_required');
  expect(await storeSession()).toBe('stored');
  expect(
    await storeBeside(async (transaction) => {
      await lockFactorsOfUser(transaction, mei);
      await endFactors(transaction, [linkId]);
    }),
  ).toMatch(/factor_required|provider_refused/);
});

it('is refused where the provider ended its session, whenever it began; another one is stored', async () => {
  expect(
    await storeBeside(async (transaction) => {
      await lockProviderSession(transaction, providerId, 'sid-1');
      await recordLogout(transaction, 'session', 'sid-1');
    }),
  ).toBe('provider_refused');
  beganAt = new Date(Date.now() + 60_000);
  expect(await storeSession()).toBe('provider_refused');
  expect(await storeSession({ session: 'sid-2' })).toBe('stored');
});

it('is refused where the provider ended all of the subject after it began; one that began later is stored', async () => {
  expect(
    await storeBeside(async (transaction) => {
      await lockProviderSubject(transaction, providerId, 'sub-mei');
      await recordLogout(transaction, 'subject', 'sub-mei');
    }),
  ).toBe('provider_refused');
  beganAt = new Date(Date.now() + 60_000);
  expect(await storeSession()).toBe('stored');
});

it('is refused where it does not say when it began', async () => {
  await storeSession();
  const stored = database.store.selectFrom('sessions').select('jti');
  const { jti } = await stored.executeTakeFirstOrThrow();
  const copy = (beganAtColumn: string) =>
    sql`insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id,
        provider_id, provider_epoch, provider_session, link_id, began_at)
      select ${randomUUID()}, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, credential_id,
        provider_id, provider_epoch, provider_session, link_id, ${sql.raw(beganAtColumn)}
      from sessions where jti = ${jti}`.execute(database.store);
  await expect(copy('null')).rejects.toMatchObject({ code: 'PF002' });
  await copy('began_at');
  expect(await stored.execute()).toHaveLength(2);
});

it('ends by a logout of its provider that came while it was being stored', async () => {
  const ended = { id: 'j', forgottenAt: new Date(Date.now() + 60_000), subject: undefined, session: 'sid-1' };
  const logOut = createProviderLogout({
    store: database.store,
    access: createAccessStandIn(database.store),
    secrets: createSealedSecrets('provider', [Buffer.alloc(32)]),
    kinds: [{ kind: 'oidc', readLogout: async () => ended } as unknown as ProviderKind],
    concurrencyLimit: createConcurrencyLimit(1),
    report: () => {},
  });
  let loggingOut: Promise<number[]> = Promise.resolve([]);
  let isSettled = false;
  await database.store.transaction().execute(async (transaction) => {
    expect(await storeSession({}, transaction)).toBe('stored');
    loggingOut = logOut('sso', 'token').finally(() => {
      isSettled = true;
    });
    await expect.poll(async () => isSettled || (await countWaiting()) === 1).toBe(true);
  });
  expect(await loggingOut).toEqual([mei]);
  expect(await database.store.selectFrom('sessions').select('jti').execute()).toEqual([]);
});

it('stores no session by another provider of an account that is linked to a directory', async () => {
  expect(await storeSession()).toBe('stored');
  await database.store.transaction().execute(async (transaction) => {
    const settings = {
      url: 'ldaps://d.example',
      dialect: 'ldap',
      baseDn: 'dc=x',
      bindDn: 'cn=r,dc=x',
    } as const;
    const fields = { provisioning: 'linked', roleId: null, departmentId: null, isDefault: false } as const;
    const directory = await insertProvider(transaction, {
      ...{ key: 'dir', kind: 'ldap', name: 'Directory', settings, ...fields, lifetimeSeconds: null },
    });
    await insertLink(transaction, { userId: mei, providerId: directory, subject: 'uuid-mei', name: 'Mei' });
  });
  expect(await storeSession()).toBe('provider_refused');
});
