// Provisioning of users at a login by a provider (just-in-time): the provisioning setting, and the new username.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFindRoleAndDepartment } from '../../../src/sign-in/providers/groups/apply-group-mapping.ts';
import { createLinkChanges, hashInvitation } from '../../../src/sign-in/providers/link-changes.ts';
import { insertLink, openInvitation } from '../../../src/sign-in/providers/link-store.ts';
import { findProvider, type StoredProvider } from '../../../src/sign-in/providers/provider-store.ts';
import { createProvisionUser } from '../../../src/sign-in/providers/provision-user.ts';
import { createPlainAccess } from '../../failing-statement.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { createLinkedPeople } from './linked-people.ts';

let database: FreshDatabase;
let provider: StoredProvider;
let admit: ReturnType<typeof createProvisionUser>;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const id = await createLinkedPeople(database).addProvider('oidc');
  const found = await findProvider(database.store, { id });
  if (found === undefined) throw new Error('There is no provider.');
  provider = found;
  const { store } = database;
  const common = { store, access: createPlainAccess(store), recordChange: async () => {} };
  const links = createLinkChanges({ ...common, now: Date.now, randomBytes });
  admit = createProvisionUser({
    ...common,
    links,
    findRoleAndDepartment: createFindRoleAndDepartment(common),
  });
});
afterAll(() => database.drop());

const [mei, kim] = [7, 8];
const person = (name: string, more: object = {}) => ({
  ...{ provider, identity: { subject: randomUUID(), name }, invitation: undefined },
  ...{ ip: '127.0.0.1', requestId: 'r', ...more },
});
async function nameOf(userId: number | undefined) {
  return await database.store
    .selectFrom('users')
    .select(['username', 'nick_name as name', 'role_id as roleId', 'department_id as departmentId'])
    .where('id', '=', userId ?? 0)
    .executeTakeFirst();
}

describe('a person is created', () => {
  it.each<[name: string, username: string | undefined]>([
    ['anna', 'anna'],
    ['bert@example.com', 'bert'],
    ['Carl Otto', 'Carl.Otto'],
    ['x'.repeat(30), 'x'.repeat(24)],
    ['', undefined],
    ['@example.com', undefined],
    ['a<b', undefined],
    ['аlice', undefined],
  ])('of the name %j with the username %j', async (name, username) => {
    const given = person(name);
    const admitted = await admit(given);
    const digest = createHash('sha256').update(given.identity.subject).digest('hex').slice(0, 12);
    expect(await nameOf(admitted?.userId)).toMatchObject({
      username: `${username ?? digest}@${provider.key}`,
      roleId: 2,
      departmentId: 1,
    });
  });

  it('with another username where the name is taken', async () => {
    const [first, second] = [await admit(person('dora')), await admit(person('dora'))];
    expect((await nameOf(first?.userId))?.username).toBe(`dora@${provider.key}`);
    expect((await nameOf(second?.userId))?.username).toMatch(new RegExp(`^[0-9a-f]{12}@${provider.key}$`));
  });

  it('once, where two logins come at the same time', async () => {
    const given = person('emil');
    const [one, two] = await Promise.all([admit(given), admit(given)]);
    expect(one?.userId).toBeDefined();
    expect(two?.userId).toBe(one?.userId);
  });

  it('not by a provider without a department', async () => {
    expect(await admit(person('fred', { provider: { ...provider, departmentId: null } }))).toBeUndefined();
  });

  it('by no provider that does not create', async () => {
    for (const provisioning of ['linked', 'invited'] as const)
      expect(await admit(person('gert', { provider: { ...provider, provisioning } }))).toBeUndefined();
  });
});

describe('an invitation', () => {
  const invite = (userId: number, code: string) =>
    database.store.transaction().execute((transaction) =>
      openInvitation(transaction, {
        ...{ userId, providerId: provider.id, hash: hashInvitation(provider.id, code) },
        expiresAt: new Date(Date.now() + 60_000),
      }),
    );
  const set = (fields: object) =>
    database.store.updateTable('users').set(fields).where('id', '=', mei).execute();

  it('links its person once, and no person where the provider links by hand', async () => {
    await invite(mei, 'ABCD');
    const linked = { ...provider, provisioning: 'linked' };
    expect(await admit(person('x', { provider: linked, invitation: 'ABCD' }))).toBeUndefined();
    expect(await admit(person('x', { invitation: 'EFGH' }))).toBeUndefined();
    expect((await admit(person('x', { invitation: 'ABCD' })))?.userId).toBe(mei);
    expect(await admit(person('x', { invitation: 'ABCD' }))).toBeUndefined();
  });

  it('links no disabled person, and no person by a provider that changed', async () => {
    await invite(kim, 'IJKL');
    const changed = { ...provider, epoch: provider.epoch + 1 };
    const late = admit(person('x', { provider: changed, invitation: 'IJKL' }));
    await expect(late).rejects.toMatchObject({ kind: 'provider_refused' });
    await database.store.updateTable('credentials').set({ ended_at: new Date() }).execute();
    await set({ enabled: false });
    await invite(mei, 'MNOP');
    expect(await admit(person('x', { invitation: 'MNOP' }))).toBeUndefined();
    await set({ enabled: true });
  });

  it('finds the link where another login of the person was faster', async () => {
    const given = person('x', { invitation: 'QRST' });
    const { subject } = given.identity;
    await database.store
      .transaction()
      .execute((transaction) =>
        insertLink(transaction, { userId: mei, providerId: provider.id, subject, name: 'x' }),
      );
    await invite(kim, 'QRST');
    expect((await admit(given))?.userId).toBe(mei);
  });
});
