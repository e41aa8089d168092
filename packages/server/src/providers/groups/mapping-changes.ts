// How groups become roles: shown first, on the directory as it is, and applied only where that changes exactly what was
// shown. The mappings are stored under the lock that no session by the provider is stored beside; then people move and are
// locked out, batch by batch, and the call returns when that is in force. What a call that was cut off left is done by the
// next look at the directory, and by every login.
import {
  AppError,
  type applyMappingsEndpoint,
  type Call,
  type planMappingsEndpoint,
  type RoleSource,
} from '@portcullis/contract';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { ReachCheck } from '../../directory/reach/reach-check.ts';
import { adminRoleId } from '../../directory/roles/role-store.ts';
import { changeUser, lockUser, setUserRole } from '../../directory/users/user-access-store.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import type { Directories } from '../ldap/directories.ts';
import { endLinksOfNow } from '../ldap/recheck-store.ts';
import {
  findProvider,
  lockProvider,
  lockProviderRow,
  raiseProviderEpoch,
  type StoredProvider,
} from '../provider-store.ts';
import { areSound, type Mapping } from './map-groups.ts';
import { listMappings, replaceMappings, setRoleSource } from './mapping-store.ts';
import { digestOf, type Effect, type KnownPerson, type PlannedUser, planRoles } from './plan-roles.ts';
import { hasOtherAdministrator, listLinkedUsers, type MovedUser, moveUsers } from './plan-store.ts';

interface MappingChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly reach: Pick<ReachCheck, 'ofEverybody'>;
  readonly directories: Pick<Directories, 'ask'>;
  /** Whether the one role may make every call that the other may. */
  readonly mayDoAll: (roleId: number, otherId: number) => Promise<boolean>;
}

export interface Wish {
  readonly roleSource: RoleSource;
  readonly mappings: readonly Mapping[];
}

type People = ReadonlyMap<string, KnownPerson>;

export type MappingChanges = ReturnType<typeof createMappingChanges>;

const peopleInBatch = 500;
/** What follows from what is stored asks nobody: the caller's own session may be among what ends. */
const service = { confirmedAt: 'unchecked' } as const;

export function createMappingChanges(options: MappingChangesOptions) {
  const { store, access, recordChange, reach, directories, mayDoAll } = options;

  async function getProvider(id: number): Promise<StoredProvider> {
    const provider = await findProvider(store, { id });
    if (provider === undefined) throw new AppError('record_not_found');
    return provider;
  }

  /** Of a directory, everybody as they are now; of another provider, what it said of each at the last login. */
  async function readPeople(provider: StoredProvider, { roleSource }: Wish): Promise<People> {
    if (roleSource !== 'always') return new Map();
    if (provider.kind === 'ldap') {
      const all = await directories.ask(provider, ({ list }) => list());
      return new Map(
        all.map(({ subject, state, groups }) => [subject, { isActive: state === 'active', groups }]),
      );
    }
    const linked = await listLinkedUsers(store, provider.id);
    return new Map(linked.map(({ subject, groups }) => [subject, { isActive: true, groups: groups ?? [] }]));
  }

  async function plan(from: Store, provider: StoredProvider, wish: Wish, people: People) {
    if (!areSound(provider.kind, wish.mappings)) throw new AppError('provider_settings_wrong');
    const wanted = { ...wish, kind: provider.kind };
    const users = await listLinkedUsers(from, provider.id);
    const planned = planRoles(wanted, users, people);
    return { users, planned, digest: digestOf(wanted, provider, planned) };
  }

  /** Those who are no administrators of use any more. */
  async function keepsAdministrator(from: Store, planned: readonly PlannedUser[]): Promise<boolean> {
    const lost = planned.filter(
      ({ user, after }) => user.roleId === adminRoleId && after?.roleId !== adminRoleId,
    );
    return (
      lost.length === 0 ||
      (await hasOtherAdministrator(
        from,
        lost.map(({ user }) => user.userId),
      ))
    );
  }

  /** Each two roles are compared once. */
  function createCompare(): (before: number, after: number) => Promise<Effect> {
    const known = new Map<string, Promise<Effect>>();
    const compare = async (before: number, after: number): Promise<Effect> => {
      const [gains, loses] = await Promise.all([mayDoAll(after, before), mayDoAll(before, after)]);
      if (gains === loses) return 'changes';
      return gains ? 'gains' : 'loses';
    };
    return (before, after) => {
      const key = `${before} ${after}`;
      const found = known.get(key) ?? compare(before, after);
      known.set(key, found);
      return found;
    };
  }

  async function describe(planned: readonly PlannedUser[]) {
    const compare = createCompare();
    return await Promise.all(
      planned.map(async ({ user, because, after }) => ({
        userId: user.userId,
        username: user.username,
        effect: after === null ? ('locked_out' as const) : await compare(user.roleId, after.roleId),
        because,
        before: { roleId: user.roleId, departmentId: user.departmentId },
        after,
      })),
    );
  }

  /** Under the lock, what was shown is computed once more. */
  async function storeMappings(
    call: AuditedCall,
    id: number,
    wish: Wish & { readonly digest: string },
    people: People,
  ) {
    let planned: readonly PlannedUser[] = [];
    await access.give(call, async (transaction) => {
      await lockProvider(transaction, id);
      const provider = await lockProviderRow(transaction, id);
      if (provider === undefined) throw new AppError('record_not_found');
      const now = await plan(transaction, provider, wish, people);
      if (now.digest !== wish.digest) throw new AppError('plan_changed');
      if (!(await keepsAdministrator(transaction, now.planned))) throw new AppError('conflict');
      planned = now.planned;
      const before = { roleSource: provider.roleSource, mappings: await listMappings(transaction, id) };
      const after = { roleSource: wish.roleSource, mappings: wish.mappings };
      await replaceMappings(transaction, id, wish.mappings);
      await setRoleSource(transaction, id, wish.roleSource);
      // A login that was settled by the mappings before is not stored any more.
      await raiseProviderEpoch(transaction, id, provider.enabled);
      const entry = { action: 'provider.mappings', target: `provider ${id}`, before, after };
      await recordChange(transaction, call, entry);
      return [];
    });
    return planned;
  }

  async function move(transaction: StoreTransaction, call: AuditedCall, moved: readonly MovedUser[]) {
    const { ids, changes } = await moveUsers(transaction, moved);
    for (const { userId, before, after } of moved)
      if (ids.has(userId))
        await recordChange(transaction, call, {
          action: 'user.role',
          target: `user ${userId}`,
          before,
          after,
        });
    return changes;
  }

  /** One at a time, so that of two each sees whether the other is still there. */
  async function demote(call: AuditedCall, { userId, before, after }: MovedUser): Promise<void> {
    await access.give(service, async (transaction) => {
      const user = await lockUser(transaction, userId);
      if (user.roleId !== before.roleId || user.departmentId !== before.departmentId) return [];
      const fields = { name: user.name, departmentId: after.departmentId };
      const moves = await changeUser(transaction, user, fields);
      const changes = [...moves, ...(await setUserRole(transaction, user, after.roleId))];
      await recordChange(transaction, call, { action: 'user.role', target: `user ${userId}`, before, after });
      return changes;
    });
  }

  async function carryOut(call: AuditedCall, id: number, planned: readonly PlannedUser[]): Promise<void> {
    const moved = planned.flatMap(({ user, after }): MovedUser[] =>
      after === null ? [] : [{ userId: user.userId, before: placeOf(user), after }],
    );
    const isDemoted = ({ before, after }: MovedUser) =>
      before.roleId === adminRoleId && after.roleId !== adminRoleId;
    for (const each of moved.filter(isDemoted)) await demote(call, each);
    for (const batch of batchesOf(moved.filter((each) => !isDemoted(each))))
      await access.give(service, (transaction) => move(transaction, call, batch));
    const out = planned.flatMap(({ user, after }) => (after === null ? [user] : []));
    for (const batch of batchesOf(out)) {
      const links = batch.map(({ linkId, subject }) => ({ id: linkId, subject }));
      await access.give(service, (transaction) => endLinksOfNow(transaction, id, links));
    }
  }

  return {
    async list(id: number): Promise<Wish> {
      const { roleSource } = await getProvider(id);
      return { roleSource, mappings: await listMappings(store, id) };
    },

    async plan(call: Call<typeof planMappingsEndpoint>) {
      reach.ofEverybody(call.caller);
      const provider = await getProvider(call.params.id);
      const people = await readPeople(provider, call.body);
      const { users, planned, digest } = await plan(store, provider, call.body, people);
      const [changes, keeps] = await Promise.all([describe(planned), keepsAdministrator(store, planned)]);
      return { digest, people: users.length, keepsAdministrator: keeps, changes };
    },

    /** Resolves with the revision when it is in force. */
    async apply(call: Call<typeof applyMappingsEndpoint>): Promise<number> {
      const { id } = call.params;
      reach.ofEverybody(call.caller);
      const provider = await getProvider(id);
      const people = await readPeople(provider, call.body);
      const planned = await storeMappings(call, id, call.body, people);
      await carryOut(call, id, planned);
      return await access.takeAway(service, async () => []);
    },
  };
}

function placeOf({ roleId, departmentId }: { readonly roleId: number; readonly departmentId: number }) {
  return { roleId, departmentId };
}

function* batchesOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += peopleInBatch) yield all.slice(from, from + peopleInBatch);
}
