// A provider with linked people who each have a session, and a directory that is a list: what it is asked runs a test's own
// code first, so that something changes exactly then.
import { randomUUID } from 'node:crypto';
import type { Caller, Confirmed, RoleSource, Unchecked } from '@portcullis/contract';
import type { AccessWriter } from '../../../src/cluster/access-writer.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import type { Mapping } from '../../../src/sign-in/providers/groups/map-groups.ts';
import {
  createMappingChanges,
  type MappingsToSet,
} from '../../../src/sign-in/providers/groups/mapping-changes.ts';
import { replaceMappings, setRoleSource } from '../../../src/sign-in/providers/groups/mapping-store.ts';
import type { Directories } from '../../../src/sign-in/providers/ldap/directories.ts';
import type { GroupedPerson } from '../../../src/sign-in/providers/ldap/directory.ts';
import { createRecheck } from '../../../src/sign-in/providers/ldap/recheck.ts';
import { insertLink } from '../../../src/sign-in/providers/link-store.ts';
import {
  findProvider,
  insertProvider,
  raiseProviderEpoch,
} from '../../../src/sign-in/providers/provider-store.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import type { FreshDatabase } from '../../fresh-database.ts';
import { administrator } from '../../serve-routes.ts';

export const dnOf = (group: string) => `cn=${group},dc=test`;
export const to = (group: string, roleId: number, departmentId: number | null = null): Mapping => ({
  group,
  roleId,
  departmentId,
});

export interface LinkedPerson {
  readonly userId: number;
  readonly linkId: number;
  readonly subject: string;
}

interface Question {
  readonly withGroups: boolean;
  /** How many were asked before. */
  readonly asked: number;
}

let providers = 0;

export function createLinkedPeople(database: FreshDatabase) {
  const { store } = database;
  const stored = createAccessStandIn(store);
  const listed = new Map<string, GroupedPerson>();
  let asked = 0;
  let beforeAnswer: (question: Question) => Promise<unknown> = async () => {};
  let beforeWrite: (n: number, call: Confirmed | Unchecked) => Promise<unknown> = async () => {};
  let written = 0;
  const access: AccessWriter = {
    async give(call, change) {
      written += 1;
      await beforeWrite(written, call);
      return await stored.give(call, change);
    },
    takeAway: stored.takeAway,
  };
  async function answer(withGroups: boolean) {
    asked += 1;
    // What is answered is what was read before something changed.
    const people = [...listed.values()];
    await beforeAnswer({ withGroups, asked: asked - 1 });
    return people;
  }
  const directory = {
    list: () => answer(true),
    findAll: async (subjects: readonly string[], { withGroups }: { withGroups: boolean }) =>
      (await answer(withGroups)).filter(({ subject }) => subjects.includes(subject)),
  };
  const directories: Pick<Directories, 'ask'> = {
    ask: (_provider, question) => question(directory as never),
  };
  const canManage = { ofEverybody: () => {} };
  const common = { store, access, recordChange: createRecordChange(), directories, canManage };
  const changes = createMappingChanges({ ...common, mayDoAll: async () => true });
  const callOf = (id: number, body: object = {}) =>
    ({
      caller: administrator as Caller,
      confirmedAt: 'unchecked' as const,
      ip: '127.0.0.1',
      requestId: 'r',
      params: { id },
      body,
    }) as never;

  return {
    /** Runs while the directory is being asked: what it answers was read before. */
    whileAsked(work: typeof beforeAnswer) {
      asked = 0;
      beforeAnswer = work;
    },
    /** Runs before each write, with its number and by whom it is: of mappings that are applied, the first one stores them. */
    beforeWrite(work: typeof beforeWrite) {
      written = 0;
      beforeWrite = work;
    },

    async addProvider(
      kind: 'ldap' | 'oidc',
      roleSource: RoleSource = 'local',
      mappings: readonly Mapping[] = [],
      more: { readonly recheckMinutes?: number } = {},
    ): Promise<number> {
      providers += 1;
      const key = `provider${providers}`;
      return await store.transaction().execute(async (transaction) => {
        const id = await insertProvider(transaction, {
          key,
          kind,
          name: key,
          settings:
            kind === 'ldap'
              ? { url: 'ldaps://localhost', dialect: 'ldap', bindDn: 'cn=r', baseDn: 'dc=test', ...more }
              : { issuer: 'https://sso.example', clientId: key, redirectUri: `https://a.example/${key}` },
          provisioning: 'created',
          roleId: 2,
          departmentId: 1,
          isDefault: false,
          lifetimeSeconds: null,
        });
        await raiseProviderEpoch(transaction, id, true);
        await setRoleSource(transaction, id, roleSource);
        await replaceMappings(transaction, id, mappings);
        return id;
      });
    },

    /** In the directory, in these groups, and signed in. */
    async addPerson(providerId: number, roleId: number, groups: readonly string[]): Promise<LinkedPerson> {
      const subject = randomUUID();
      const person = await store.transaction().execute(async (transaction) => {
        const { id: userId } = await transaction
          .insertInto('users')
          .values({
            username: subject,
            canonical_username: subject,
            department_id: 1,
            role_id: roleId,
            password_hash: '!',
          })
          .returning('id')
          .executeTakeFirstOrThrow();
        const linkId = await insertLink(transaction, { userId, providerId, subject, name: subject });
        await transaction
          .updateTable('credentials')
          .set({ groups: JSON.stringify(groups) })
          .where('id', '=', linkId)
          .execute();
        return { userId, linkId, subject };
      });
      listed.set(subject, {
        dn: `uid=${subject},dc=test`,
        subject,
        username: subject,
        state: 'active',
        groups,
      });
      const provider = await findProvider(store, { id: providerId });
      await insertSession(store, {
        jti: randomUUID(),
        kid: 'k',
        account: { userId: person.userId, roleKey: 'editor', epoch: 1 },
        proof: {
          method: 'ldap',
          factor: 1,
          provider: { providerId, epoch: provider?.epoch ?? 0, linkId: person.linkId, beganAt: new Date() },
        },
        issuedAt: new Date(),
        expiresAt: new Date(Date.now() + 3_600_000),
      });
      return person;
    },

    changeListed({ subject }: LinkedPerson, changed: Partial<GroupedPerson>) {
      const person = listed.get(subject);
      if (person !== undefined) listed.set(subject, { ...person, ...changed });
    },

    removeListed({ subject }: LinkedPerson) {
      listed.delete(subject);
    },

    async raiseEpoch(providerId: number) {
      await store.transaction().execute((transaction) => raiseProviderEpoch(transaction, providerId, true));
    },

    async setUser({ userId }: LinkedPerson, fields: { role_id?: number; department_id?: number }) {
      await store.updateTable('users').set(fields).where('id', '=', userId).execute();
    },

    async epochOf(id: number): Promise<number | undefined> {
      return (await findProvider(store, { id }))?.epoch;
    },

    async placeOf({ userId }: LinkedPerson) {
      return await store
        .selectFrom('users')
        .select(['role_id as roleId', 'department_id as departmentId'])
        .where('id', '=', userId)
        .executeTakeFirstOrThrow();
    },

    /** Whether a session is left that the user's epoch does not void. */
    async isIn({ userId }: LinkedPerson): Promise<boolean> {
      const found = await store
        .selectFrom('sessions')
        .innerJoin('users', 'users.id', 'sessions.user_id')
        .select('jti')
        .where('users.id', '=', userId)
        .whereRef('users.epoch', '=', 'sessions.epoch')
        .execute();
      return found.length > 0;
    },

    /** Looks at the plan and applies it. */
    async apply(providerId: number, wish: MappingsToSet): Promise<void> {
      const { digest } = await changes.plan(callOf(providerId, wish));
      await changes.apply(callOf(providerId, { ...wish, digest }));
    },

    /** With a separate clock for what is due. */
    recheckWith(now: () => number) {
      const recheck = createRecheck({ ...common, now });
      return {
        sweep: recheck.sweep,
        now: async (id: number) => (await recheck.now(callOf(id), id)).rechecked,
      };
    },
  };
}
