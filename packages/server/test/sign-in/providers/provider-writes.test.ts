// Every change of providers and links rejects the call when a statement fails, and waits for another change of the same
// provider or person.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../src/base/limit/concurrency-limit.ts';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import type { Store, StoreTransaction } from '../../../src/cluster/store/store.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { lockFactorsOfUser } from '../../../src/sign-in/mfa/credential-store.ts';
import {
  createApplyGroupMapping,
  createFindRoleAndDepartment,
} from '../../../src/sign-in/providers/groups/apply-group-mapping.ts';
import type { Mapping } from '../../../src/sign-in/providers/groups/map-groups.ts';
import { createMappingChanges } from '../../../src/sign-in/providers/groups/mapping-changes.ts';
import { createRecheck } from '../../../src/sign-in/providers/ldap/recheck.ts';
import { createLinkChanges, hashInvitation } from '../../../src/sign-in/providers/link-changes.ts';
import { openInvitation } from '../../../src/sign-in/providers/link-store.ts';
import { createProviderChanges } from '../../../src/sign-in/providers/provider-changes.ts';
import type { EndedAtProvider, ProviderKind } from '../../../src/sign-in/providers/provider-kind.ts';
import { createProviderLogout } from '../../../src/sign-in/providers/provider-logout.ts';
import {
  findProvider,
  lockProvider,
  lockProviderSession,
  lockProviderSubject,
  type StoredProvider,
} from '../../../src/sign-in/providers/provider-store.ts';
import { createProvisionUser } from '../../../src/sign-in/providers/provision-user.ts';
import { createPlainAccess, expectEachFailureTold } from '../../failing-statement.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator } from '../../serve-routes.ts';
import { createLinkedPeople, dnOf, type LinkedPerson, to } from './linked-people.ts';

let database: FreshDatabase;
let people: ReturnType<typeof createLinkedPeople>;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  people = createLinkedPeople(database);
});
afterAll(() => database.drop());

/** A directory and a provider that people go to, a person of each with a session, and one who is invited to the second. */
let directory: StoredProvider;
let provider: StoredProvider;
let gone: LinkedPerson;
let moving: LinkedPerson;
let linked: LinkedPerson;
const invited = 8;
const invitation = 'ABCD';
const editor = 2;
const mappings: readonly Mapping[] = [to(dnOf('staff'), editor, 2)];
const session = 'sid';

beforeEach(prepare);
async function prepare(): Promise<void> {
  const { store } = database;
  for (const table of ['sessions', 'credentials', 'link_invitations', 'provider_logouts', 'seen_ids'])
    await sql`delete from ${sql.table(table)}`.execute(store);
  await sql`delete from provider_mappings`.execute(store);
  await sql`delete from providers`.execute(store);
  const directoryId = await people.addProvider('ldap', 'every_login', mappings);
  gone = await people.addPerson(directoryId, editor, ['staff']);
  moving = await people.addPerson(directoryId, editor, ['staff']);
  const providerId = await people.addProvider('oidc');
  linked = await people.addPerson(providerId, editor, []);
  await sql`update sessions set provider_session = ${session} where provider_id = ${providerId}`.execute(
    store,
  );
  // No provider decides about a person who has a password.
  await sql`update users set password_hash = '$', decided_by_provider = false where id = ${linked.userId}`.execute(
    store,
  );
  const hash = hashInvitation(providerId, invitation);
  const expiresAt = new Date(Date.now() + 60_000);
  await store
    .transaction()
    .execute((transaction) => openInvitation(transaction, { userId: invited, providerId, hash, expiresAt }));
  directory = await getProvider(directoryId);
  provider = await getProvider(providerId);
}

async function getProvider(id: number): Promise<StoredProvider> {
  const found = await findProvider(database.store, { id });
  if (found === undefined) throw new Error(`There is no provider ${id}.`);
  return found;
}

const kinds = [
  {
    kind: 'oidc',
    accepts: () => true,
    identityOf: () => '',
    addressOf: ({ issuer }: { issuer: string }) => issuer,
    check: async () => [],
    readLogout: async (_provider: unknown, token: string) => JSON.parse(token, revive) as EndedAtProvider,
  },
] as unknown as readonly ProviderKind[];
const revive = (key: string, value: unknown) => (key === 'forgottenAt' ? new Date(String(value)) : value);

function compose(store: Store) {
  const access = createPlainAccess(store);
  const recordChange = createRecordChange();
  const canManage = { ofEverybody: () => {} };
  const secrets = createSealedSecrets('provider', [Buffer.alloc(32)]);
  const listed = () => [
    { subject: moving.subject, state: 'active', groups: [dnOf('staff')], dn: '', username: '' },
  ];
  const directories = {
    ask: async (_provider: unknown, question: (asked: never) => Promise<unknown>) =>
      await question({ list: async () => listed(), findAll: async () => listed() } as never),
  } as never;
  const common = { store, access, recordChange, canManage };
  const links = createLinkChanges({ ...common, now: Date.now, randomBytes });
  return {
    access,
    links,
    providers: createProviderChanges({ ...common, secrets, kinds }),
    mappings: createMappingChanges({ ...common, directories, mayDoAll: async () => true }),
    recheck: createRecheck({ ...common, directories, now: Date.now }),
    admit: createProvisionUser({
      ...common,
      links,
      findRoleAndDepartment: createFindRoleAndDepartment(common),
    }),
    settle: createApplyGroupMapping(common),
    logOut: createProviderLogout({
      ...common,
      secrets,
      kinds,
      concurrencyLimit: createConcurrencyLimit(1),
      report: () => {},
    }),
  };
}

type Composed = ReturnType<typeof compose>;
type Change = (composed: Composed) => Promise<unknown>;
const callOf = (caller: object = {}, more: object = {}) =>
  ({
    caller: { ...administrator, ...caller },
    confirmedAt: 'unchecked',
    ip: '127.0.0.1',
    requestId: 'r',
    ...more,
  }) as never;
const identity = () => ({
  providerId: provider.id,
  epoch: provider.epoch,
  subject: randomUUID(),
  name: 'Kim',
});
const person = () => ({ provider, identity: identity(), ip: '127.0.0.1', requestId: 'r' });
const tokenOf = (ended: object) =>
  JSON.stringify({ id: randomUUID(), forgottenAt: new Date(Date.now() + 60_000), ...ended });
const settings = () => ({ ...provider.settings, issuer: 'https://other.example' });

const addOwn: Change = ({ links }) => links.addOwn(callOf({ userId: invited }), identity());
const endOwn: Change = ({ links }) => links.endOwn(callOf({ userId: linked.userId }), linked.linkId);
const endByOthers: Change = ({ access, links }) =>
  access.takeAway(callOf(), (transaction) =>
    links.ending(linked.linkId).apply(transaction, { id: linked.userId } as never),
  );
const acceptInvitation: Change = ({ admit }) => admit({ ...person(), invitation });
const change: Change = ({ providers }) =>
  providers.change(
    callOf({}, { params: { id: provider.id }, body: { settings: settings(), secret: 'new' } }),
  );
const disable: Change = ({ providers }) => providers.setEnabled(callOf(), provider.id, false);
const remove: Change = ({ providers }) => providers.delete(callOf(), provider.id);
const map: Change = async ({ mappings: changes }) => {
  const wish = { roleSource: 'every_login', mappings } as const;
  const of = (body: object) => callOf({}, { params: { id: directory.id }, body });
  const { digest } = await changes.plan(of(wish));
  return await changes.apply(of({ ...wish, digest }));
};
const recheckNow: Change = ({ recheck }) => recheck.now(callOf(), directory.id);
const endSession: Change = ({ logOut }) => logOut(provider.key, tokenOf({ session }));
const endSubject: Change = ({ logOut }) => logOut(provider.key, tokenOf({ subject: linked.subject }));

describe('a failed statement rejects the call:', () => {
  it.each<readonly [string, Change]>([
    ['an own link', addOwn],
    ['the end of an own link', endOwn],
    ['the end of a link of another person', endByOthers],
    [
      'an invitation',
      ({ access, links }) =>
        access.give(callOf(), (transaction) =>
          links.inviting(provider.id).change.apply(transaction, { id: invited } as never),
        ),
    ],
    [
      'the end of an invitation',
      ({ access, links }) =>
        access.takeAway(callOf(), (transaction) =>
          links.withdrawing(provider.id).apply(transaction, { id: invited } as never),
        ),
    ],
    ['a login by an invitation', acceptInvitation],
    [
      'a login that creates a person',
      ({ admit }) =>
        admit({ ...person(), provider: { ...provider, provisioning: 'created' }, invitation: undefined }),
    ],
    [
      'a login that moves a person',
      async ({ settle }) => {
        const account = { userId: moving.userId, username: 'moving', roleId: editor, roleKey: 'editor' };
        const found = { account: { ...account, dataScope: '3', epoch: 1 }, roleEnabled: true } as const;
        const groups = [dnOf('staff')];
        return await settle({ provider: directory, groups, found, ip: '127.0.0.1', requestId: 'r' });
      },
    ],
    [
      'a new provider',
      ({ providers }) => {
        const elsewhere = { ...settings(), redirectUri: 'https://a.example/next' };
        const body = { key: 'next', kind: 'oidc', name: 'Next', secret: 's', settings: elsewhere };
        return providers.create(callOf({}, { body }));
      },
    ],
    ['other settings', change],
    ['the end of a provider', disable],
    ['the deletion of a provider', remove],
    [
      'a provider that is enabled again',
      async ({ providers }) => {
        await providers.setEnabled(callOf(), provider.id, false);
        return await providers.setEnabled(callOf(), provider.id, true);
      },
    ],
    ['mappings', map],
    ['a recheck', recheckNow],
    ['the rechecks that are due', ({ recheck }) => recheck.sweep()],
    ['a logout of a session', endSession],
    ['a logout of a subject', endSubject],
  ])('%s', async (_what, work) => {
    await expectEachFailureTold(database.store, (store) => work(compose(store)), prepare);
  });
});

/** Whether the change waits for the lock; it goes on when that is free. */
async function isWaited(
  lock: (transaction: StoreTransaction) => Promise<void>,
  work: Change,
): Promise<boolean> {
  let isSettled = false;
  let isWaiting = false;
  let working: Promise<unknown> = Promise.resolve();
  await database.store.transaction().execute(async (transaction) => {
    await lock(transaction);
    working = work(compose(database.store)).finally(() => {
      isSettled = true;
    });
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(
          database.store,
        );
        isWaiting = rows.length > 0;
        return isWaiting || isSettled;
      })
      .toBe(true);
  });
  await working;
  return isWaiting;
}

describe('a concurrent change of the same', () => {
  it.each<readonly [string, () => number, Change]>([
    ['an own link', () => invited, addOwn],
    ['the end of an own link', () => linked.userId, endOwn],
    ['the end of a link of another person', () => linked.userId, endByOthers],
    ['a login by an invitation', () => invited, acceptInvitation],
  ])('person is waited for by %s', async (_what, userOf, work) => {
    expect(await isWaited((transaction) => lockFactorsOfUser(transaction, userOf()), work)).toBe(true);
  });

  it.each<readonly [string, () => number, Change]>([
    ['other settings', () => provider.id, change],
    ['the end of a provider', () => provider.id, disable],
    ['the deletion of a provider', () => provider.id, remove],
    ['mappings', () => directory.id, map],
    ['a recheck', () => directory.id, recheckNow],
  ])('provider is waited for by %s', async (_what, idOf, work) => {
    expect(await isWaited((transaction) => lockProvider(transaction, idOf()), work)).toBe(true);
  });

  it('session of a provider is waited for by its logout', async () => {
    const lock = (transaction: StoreTransaction) => lockProviderSession(transaction, provider.id, session);
    expect(await isWaited(lock, endSession)).toBe(true);
  });

  it.each<readonly [string, () => number, () => string, Change]>([
    ['its logout', () => provider.id, () => linked.subject, endSubject],
    ['a recheck that ends it', () => directory.id, () => gone.subject, recheckNow],
  ])('subject of a provider is waited for by %s', async (_what, idOf, subjectOf, work) => {
    const lock = (transaction: StoreTransaction) => lockProviderSubject(transaction, idOf(), subjectOf());
    expect(await isWaited(lock, work)).toBe(true);
  });
});
