// What a plan shows is what applying does, and what every login would do: in random directories, on a real Postgres. The
// directory is a list here; that a real one gives the list that a login finds is shown in directory.test.ts.
// PORTCULLIS_TEST_DIRECTORIES says how many; `.ci/nightly` has a thousand.
import { randomUUID } from 'node:crypto';
import { AppError, type Caller } from '@portcullis/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRecordChange } from '../../../../src/logs/audit/record-change.ts';
import { findAccountOf } from '../../../../src/people/users/user-store.ts';
import { createApplyGroupMapping } from '../../../../src/sign-in/providers/groups/apply-group-mapping.ts';
import type { Mapping } from '../../../../src/sign-in/providers/groups/map-groups.ts';
import { createMappingChanges } from '../../../../src/sign-in/providers/groups/mapping-changes.ts';
import type { Person } from '../../../../src/sign-in/providers/ldap/search-people.ts';
import { insertLink } from '../../../../src/sign-in/providers/link-store.ts';
import {
  findProvider,
  insertProvider,
  raiseProviderEpoch,
} from '../../../../src/sign-in/providers/provider-store.ts';
import { insertSession } from '../../../../src/sign-in/sessions/session-store.ts';
import { type AccessStandIn, createAccessStandIn } from '../../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { administrator } from '../../../serve-routes.ts';

const trials = Number(process.env.PORTCULLIS_TEST_DIRECTORIES ?? 12);
const people = 10;
type GroupedPerson = Person & { readonly groups: readonly string[] };
const groups = ['a', 'b', 'c', 'd', 'e'].map((name) => `cn=${name},dc=test`);

let database: FreshDatabase;
let access: AccessStandIn;
let listed: GroupedPerson[] = [];
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  await database.store
    .insertInto('roles')
    .values([10, 11, 12].map((id) => ({ id, role_key: `r${id}`, name: `Role ${id}`, data_scope: '5' })))
    .execute();
  access = createAccessStandIn(database.store);
});
afterAll(() => database.drop());

/** Numbers that a failing trial can be repeated by. */
function createRandom(seed: number) {
  let state = seed * 2 + 1;
  const next = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const below = (n: number) => Math.floor(next() * n);
  return {
    below,
    chance: (of: number) => next() < of,
    pick: <T>(of: readonly T[]): T => of[below(of.length)] as T,
  };
}
type Random = ReturnType<typeof createRandom>;

const directory = { list: async () => listed };
function createChanges() {
  const { store } = database;
  return createMappingChanges({
    store,
    access,
    recordChange: createRecordChange(),
    canManage: { ofEverybody: () => {} },
    directories: { ask: (_provider, question) => question(directory as never) },
    mayDoAll: async (roleId, otherId) => roleId <= otherId,
  });
}

function drawPerson(random: Random, subject: string): GroupedPerson {
  const state = random.chance(0.1) ? 'disabled' : 'active';
  const own = groups.filter(() => random.chance(0.3));
  return { dn: `uid=${subject},dc=test`, subject, username: subject, state, groups: own };
}

function drawMappings(random: Random): Mapping[] {
  return Array.from({ length: random.below(6) }, (): Mapping => {
    const group = random.chance(0.15)
      ? '*'
      : random.pick(groups).replace('cn=', random.chance(0.5) ? 'CN=' : 'cn = ');
    const roleId = group === '*' ? random.pick([2, 10]) : random.pick([1, 2, 10, 11, 12]);
    return { group, roleId, departmentId: random.chance(0.5) ? random.pick([1, 2, 3]) : null };
  });
}

interface Linked {
  readonly userId: number;
  readonly linkId: number;
  readonly subject: string;
}

async function prepare(random: Random, trial: number) {
  const { store } = database;
  for (const table of [
    'sessions',
    'provider_logouts',
    'credentials',
    'provider_mappings',
    'providers',
  ] as const)
    await store.deleteFrom(table).execute();
  // An administrator of an earlier trial is none in this one.
  await store.updateTable('users').set({ role_id: 2 }).where('role_id', '=', 1).execute();
  const hasLocalAdministrator = random.chance(0.7);
  await store
    .updateTable('users')
    .set({ role_id: hasLocalAdministrator ? 1 : 2 })
    .where('id', '=', 7)
    .execute();
  listed = [];
  const linked: Linked[] = [];
  const providerId = await store.transaction().execute(async (transaction) => {
    const id = await insertProvider(transaction, {
      key: 'dir',
      kind: 'ldap',
      name: 'Directory',
      settings: { url: 'ldaps://localhost', dialect: 'ldap', bindDn: 'cn=r', baseDn: 'dc=test' },
      provisioning: 'created',
      roleId: 2,
      departmentId: 1,
      isDefault: true,
      lifetimeSeconds: null,
    });
    await raiseProviderEpoch(transaction, id, true);
    for (let n = 0; n < people; n += 1) {
      const subject = `s${trial}-${n}`;
      const user = await transaction
        .insertInto('users')
        .values({
          username: subject,
          canonical_username: subject,
          department_id: random.pick([1, 2, 3]),
          role_id: n === 0 ? 1 : random.pick([2, 10, 11, 12]),
          password_hash: '!',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      const linkId = await insertLink(transaction, {
        userId: user.id,
        providerId: id,
        subject,
        name: subject,
      });
      linked.push({ userId: user.id, linkId, subject });
      if (!random.chance(0.1)) listed.push(drawPerson(random, subject));
    }
    return id;
  });
  for (const { userId, linkId } of linked)
    await insertSession(store, {
      jti: randomUUID(),
      kid: 'k',
      account: { userId, roleKey: 'editor', epoch: 1 },
      proof: { method: 'ldap', factor: 1, provider: { providerId, epoch: 2, linkId, beganAt: new Date() } },
      issuedAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
    });
  return { providerId, linked };
}

const readPlaces = async (linked: readonly Linked[]) =>
  await database.store
    .selectFrom('users')
    .select(['id', 'role_id as roleId', 'department_id as departmentId', 'epoch'])
    .where(
      'id',
      'in',
      linked.map(({ userId }) => userId),
    )
    .orderBy('id')
    .execute();

const liveSessions = async () =>
  (
    await database.store
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('users.id')
      .whereRef('users.epoch', '=', 'sessions.epoch')
      .orderBy('users.id')
      .execute()
  ).map(({ id }) => id);

const callWith = (id: number, body: object) =>
  ({
    caller: administrator as Caller,
    confirmedAt: 'unchecked',
    ip: '127.0.0.1',
    requestId: 'r',
    params: { id },
    body,
  }) as never;

const kindOf = (error: unknown) => (error instanceof AppError ? error.kind : String(error));

it.each(Array.from({ length: trials }, (_, trial) => trial))(
  'applies what it shows, and what a login would do: directory %i',
  async (trial) => {
    const random = createRandom(trial + 1);
    const { providerId, linked } = await prepare(random, trial);
    const changes = createChanges();
    const wish = { roleSource: 'every_login' as const, mappings: drawMappings(random) };
    const shown = await changes.plan(callWith(providerId, wish));
    const before = await readPlaces(linked);
    const apply = (digest: string) =>
      changes.apply(callWith(providerId, { ...wish, digest })).then(() => 'applied', kindOf);

    if (random.chance(0.3)) {
      // Something changes between the look and the call.
      const all = listed;
      listed = all.map((person, n) =>
        n === 0 ? { ...person, state: person.state === 'active' ? 'disabled' : 'active' } : person,
      );
      const again = await changes.plan(callWith(providerId, wish));
      if (again.digest !== shown.digest) expect(await apply(shown.digest)).toBe('plan_changed');
      listed = all;
      expect(await readPlaces(linked)).toEqual(before);
    }
    if (!shown.keepsAdministrator) {
      expect(await apply(shown.digest)).toBe('conflict');
      expect(await readPlaces(linked)).toEqual(before);
      return;
    }
    expect(await apply(shown.digest)).toBe('applied');

    const planned = new Map(shown.changes.map((change) => [change.userId, change]));
    const after = await readPlaces(linked);
    for (const [index, user] of after.entries()) {
      const was = before[index];
      const { roleId, departmentId } = planned.get(user.id)?.after ?? was ?? user;
      expect({ roleId: user.roleId, departmentId: user.departmentId }).toEqual({ roleId, departmentId });
    }
    // Another department ends nothing: what a scope reaches is read from the rows each time.
    const isEnded = (id: number) => {
      const change = planned.get(id);
      return change !== undefined && change.after?.roleId !== change.before.roleId;
    };
    expect(await liveSessions()).toEqual(linked.map(({ userId }) => userId).filter((id) => !isEnded(id)));

    const provider = await findProvider(database.store, { id: providerId });
    if (provider === undefined) throw new Error('The provider is gone.');
    const applyGroupMapping = createApplyGroupMapping({
      store: database.store,
      access,
      recordChange: createRecordChange(),
    });
    for (const { userId, subject } of linked) {
      const found = await findAccountOf(database.store, userId);
      const person = listed.find((each) => each.subject === subject);
      if (person?.state !== 'active') expect(planned.get(userId)?.after).toBeNull();
      if (found === undefined || person?.state !== 'active') continue;
      const settled = await applyGroupMapping({
        provider,
        groups: person.groups,
        found,
        ip: '127.0.0.1',
        requestId: 'r',
      });
      expect(settled === undefined).toBe(planned.get(userId)?.after === null);
    }
    expect(await readPlaces(linked)).toEqual(after);
  },
  60_000,
);
