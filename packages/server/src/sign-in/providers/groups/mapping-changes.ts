// Changes the mappings from groups to roles (group mapping): `plan` shows which users would change, and `apply` works only
// when the plan under the lock still equals the plan that was shown. The mappings are stored under the lock of the provider, so no
// session by the provider is stored meanwhile. Then users are moved and locked out in batches, and the call returns when every
// instance enforces that. The next recheck of a directory, and every login, completes a call that was cut off.
import {
  AppError,
  type applyMappingsEndpoint,
  type Call,
  type planMappingsEndpoint,
  type RoleSource,
} from '@portcullis/contract';
import type { AccessWriter } from '../../../cluster/access-writer.ts';
import type { Store } from '../../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../../logs/audit/record-change.ts';
import type { CanManageCheck } from '../../../people/roles/can-manage/can-manage-check.ts';
import { adminRoleId } from '../../../people/roles/role-store.ts';
import { requireOtherAdministrator } from '../../../people/users/last-admin-store.ts';
import type { Directories } from '../ldap/directories.ts';
import { endLinksOfNow } from '../ldap/recheck-store.ts';
import {
  findProvider,
  lockProvider,
  lockProviderEpoch,
  lockProviderRow,
  raiseProviderEpoch,
  type StoredProvider,
} from '../provider-store.ts';
import { type CoversRole, describePlan } from './describe-plan.ts';
import { areMappingsValid, type Mapping } from './map-groups.ts';
import { listMappings, replaceMappings, setRoleSource } from './mapping-store.ts';
import {
  digestOf,
  type KnownPerson,
  type LinkedUser,
  type PlannedUser,
  planRoles,
  type Wanted,
} from './plan-roles.ts';
import {
  hasOtherAdministrator,
  listLinkedUsers,
  lockLinkedUsers,
  type MovedUser,
  moveUsers,
  type StoredUser,
} from './plan-store.ts';

interface MappingChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  readonly directories: Pick<Directories, 'ask'>;
  readonly mayDoAll: CoversRole;
}

export interface MappingsToSet {
  readonly roleSource: RoleSource;
  readonly mappings: readonly Mapping[];
}

type People = ReadonlyMap<string, KnownPerson>;
/** The people of a directory; undefined for another kind of provider, whose people cannot be listed. */
type Read = People | undefined;

interface Known {
  /** The epoch of the provider when its people were read. */
  readonly epoch: number;
  readonly read: Read;
}

interface Decided {
  readonly provider: StoredProvider;
  readonly wanted: Wanted;
  readonly read: Read;
}

export type MappingChanges = ReturnType<typeof createMappingChanges>;

const peopleInBatch = 500;
/** A further round is for people or a provider that changed during the round before. */
const mostRounds = 10;
/** Changes that follow from the stored mappings run without a caller check: they may end the caller's own session. */
const service = { confirmedAt: 'unchecked' } as const;

export function createMappingChanges(options: MappingChangesOptions) {
  const { store, access, recordChange, canManage, directories, mayDoAll } = options;

  async function getProvider(id: number): Promise<StoredProvider> {
    const provider = await findProvider(store, { id });
    if (provider === undefined) throw new AppError('record_not_found');
    return provider;
  }

  /** Reads everybody from a directory. For another kind of provider, the groups of each last login are stored with the links. */
  async function readPeople(provider: StoredProvider, roleSource: RoleSource): Promise<Read> {
    if (provider.kind !== 'ldap') return undefined;
    if (roleSource !== 'every_login') return new Map();
    const all = await directories.ask(provider, ({ list }) => list());
    return new Map(
      all.map(({ subject, state, groups }) => {
        const readable = typeof groups === 'string' ? undefined : groups;
        return [subject, { isActive: state === 'active', groups: readable }];
      }),
    );
  }

  async function plan(from: Store, provider: StoredProvider, wish: MappingsToSet, read: Read) {
    if (!areMappingsValid(provider.kind, wish.mappings)) throw new AppError('provider_settings_wrong');
    const wanted = { ...wish, kind: provider.kind };
    const users = await listLinkedUsers(from, provider.id);
    const planned = planRoles(wanted, users, peopleOf(read, users));
    return { users, planned, digest: digestOf(wanted, provider, planned) };
  }

  /** Whether an administrator remains after the plan. */
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

  /** Stores the mappings, when the plan under the lock has the digest that was shown. */
  async function storeMappings(
    call: AuditedCall,
    id: number,
    wish: MappingsToSet & { readonly digest: string },
    read: Read,
  ): Promise<void> {
    await access.give(call, async (transaction) => {
      await lockProvider(transaction, id);
      const provider = await lockProviderRow(transaction, id);
      if (provider === undefined) throw new AppError('record_not_found');
      const now = await plan(transaction, provider, wish, read);
      if (now.digest !== wish.digest) throw new AppError('plan_changed');
      if (!(await keepsAdministrator(transaction, now.planned))) throw new AppError('conflict');
      const before = { roleSource: provider.roleSource, mappings: await listMappings(transaction, id) };
      const after = { roleSource: wish.roleSource, mappings: wish.mappings };
      await replaceMappings(transaction, id, wish.mappings);
      await setRoleSource(transaction, id, wish.roleSource);
      // Refuses logins under way that used the earlier mappings.
      await raiseProviderEpoch(transaction, id, provider.enabled);
      const entry = { action: 'provider.mappings', target: `provider ${id}`, before, after };
      await recordChange(transaction, call, entry);
      return [];
    });
  }

  /**
   * Moves and locks out people until the stored mappings change no user. The people that were read are valid while the provider's
   * epoch stays the same: another call that raises it may have read newer data, and moved people by that data.
   */
  async function carryOut(call: AuditedCall, id: number, known: Known): Promise<void> {
    let { epoch, read } = known;
    const ended = new Set<number>();
    for (let round = 0; round < mostRounds; round += 1) {
      const provider = await getProvider(id);
      if (provider.epoch !== epoch) read = await readPeople(provider, provider.roleSource);
      epoch = provider.epoch;
      const { kind, roleSource } = provider;
      const wanted = { kind, roleSource, mappings: await listMappings(store, id) };
      const users = await listLinkedUsers(store, id);
      const planned = planRoles(wanted, users, peopleOf(read, users));
      const left = planned.filter(({ user, after }) => after !== null || !ended.has(user.linkId));
      if (left.length === 0) return;
      // Administrators one at a time: each check must see whether the previous one has left the role.
      const batches = [...batchesOf(left.filter((each) => !isDemoted(each)))];
      const alone = left.filter(isDemoted).map((each) => [each]);
      try {
        for (const batch of [...batches, ...alone]) {
          const out = await carryOutBatch(call, { provider, wanted, read }, batch);
          for (const linkId of out) ended.add(linkId);
        }
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'provider_refused') throw error;
      }
    }
    throw new AppError('unavailable');
  }

  /** Plans each user again under the lock of the user's row, and moves the user from the current role. Returns the links that were ended. */
  async function carryOutBatch(
    call: AuditedCall,
    { provider, wanted, read }: Decided,
    batch: readonly PlannedUser[],
  ): Promise<number[]> {
    let out: readonly LinkedUser[] = [];
    await access.give(service, async (transaction) => {
      const users = await lockLinkedUsers(
        transaction,
        batch.map(({ user }) => user.linkId),
      );
      await lockProviderEpoch(transaction, provider);
      const planned = planRoles(wanted, users, peopleOf(read, users));
      const moved = planned.filter((each) => batch.length === 1 || !isDemoted(each)).flatMap(moveOf);
      out = planned.flatMap(({ user, after }) => (after === null ? [user] : []));
      for (const each of planned)
        if (batch.length === 1 && isDemoted(each))
          await requireOtherAdministrator(transaction, each.user.userId);
      const changes = await moveUsers(transaction, moved);
      for (const { userId, before, after } of moved) {
        const entry = { action: 'user.role', target: `user ${userId}`, before, after };
        await recordChange(transaction, call, entry);
      }
      const links = out.map(({ linkId, subject }) => ({ id: linkId, subject }));
      return [...changes, ...(await endLinksOfNow(transaction, provider.id, links))];
    });
    return out.map(({ linkId }) => linkId);
  }

  return {
    async list(id: number): Promise<MappingsToSet> {
      const { roleSource } = await getProvider(id);
      return { roleSource, mappings: await listMappings(store, id) };
    },

    async plan(call: Call<typeof planMappingsEndpoint>) {
      canManage.ofEverybody(call.caller);
      const provider = await getProvider(call.params.id);
      const read = await readPeople(provider, call.body.roleSource);
      const { users, planned, digest } = await plan(store, provider, call.body, read);
      const [changes, keeps] = await Promise.all([
        describePlan(planned, mayDoAll),
        keepsAdministrator(store, planned),
      ]);
      return { digest, people: users.length, keepsAdministrator: keeps, changes };
    },

    /** Resolves with the revision when every instance enforces the mappings. */
    async apply(call: Call<typeof applyMappingsEndpoint>): Promise<number> {
      const { id } = call.params;
      canManage.ofEverybody(call.caller);
      const provider = await getProvider(id);
      const read = await readPeople(provider, call.body.roleSource);
      await storeMappings(call, id, call.body, read);
      // The epoch is this one, unless others raised it since the people were read.
      await carryOut(call, id, { epoch: provider.epoch + 1, read });
      return await access.takeAway(service, async () => []);
    },
  };
}

/** The people that were read, or the groups that the provider named at each last login. */
function peopleOf(read: Read, users: readonly StoredUser[]): People {
  return (
    read ??
    new Map(users.map(({ subject, groups }) => [subject, { isActive: true, groups: groups ?? undefined }]))
  );
}

function isDemoted({ user, after }: PlannedUser): boolean {
  return user.roleId === adminRoleId && after !== null && after.roleId !== adminRoleId;
}

function moveOf({ user, after }: PlannedUser): MovedUser[] {
  const { userId, roleId, departmentId } = user;
  return after === null ? [] : [{ userId, before: { roleId, departmentId }, after }];
}

function* batchesOf<T>(all: readonly T[]): Generator<T[]> {
  for (let from = 0; from < all.length; from += peopleInBatch) yield all.slice(from, from + peopleInBatch);
}
