// Nobody changes what is beyond themselves, in either direction: who gives, changes, narrows or ends something may make
// every call that it concerns, and sees every row that anybody sees by it before or after. `admin` may do everything, and
// nobody else touches `admin`. It is asked in the transaction of the change, before anything is written.
import { AppError, type Caller, type RoleDetail } from '@portcullis/contract';
import type { StoreTransaction } from '../../../cluster/store/store.ts';
import { adminRoleId } from '../role-store.ts';
import {
  covers,
  departmentsToClimb,
  findChangedAncestors,
  type Rows,
  rowsOfPeople,
  rowsOfSelf,
  type Scope,
} from './can-manage.ts';
import { type CanManageStore, canManageStore } from './can-manage-store.ts';

export type ManagingCaller = Pick<Caller, 'userId' | 'roleId' | 'roleKey' | 'dataScope'>;

interface RuleText {
  readonly method: string;
  readonly path: string;
}

/** What the rules say; of the rules of `admin`, nothing is asked. */
export interface CoversRules {
  /** Whether the role may make every call that the rules allow. */
  mayDo(roleKey: string, rules: readonly RuleText[]): Promise<boolean>;
  /** Whether the role may make every call that the other one may, by its rules as they are stored. */
  mayDoAll(transaction: StoreTransaction, roleKey: string, otherId: number): Promise<boolean>;
}

/** What decides about a user. */
export interface UserState {
  readonly roleId: number;
  readonly departmentId: number;
}

export interface DepartmentMove {
  readonly id: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** Each throws where the change reaches further than the caller. */
export interface CanManageCheck {
  /** A role that nobody has yet, without rules. */
  ofNewRole(transaction: StoreTransaction, caller: ManagingCaller, scope: Scope): Promise<void>;
  /** A locked role: its scope becomes another one, or only these rules are added and removed, or it ends. */
  ofRole(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    roleId: number,
    change?: { readonly scope?: Scope; readonly rules?: readonly RuleText[] },
  ): Promise<void>;
  /** A user as it is and as it will be; one that is new has no id. */
  ofUser(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    userId: number | undefined,
    states: readonly UserState[],
  ): Promise<void>;
  ofDepartment(transaction: StoreTransaction, caller: ManagingCaller, id: number): Promise<void>;
  /** While the tree is locked. */
  ofMove(transaction: StoreTransaction, caller: ManagingCaller, move: DepartmentMove): Promise<void>;
  /** An empty department: it leaves the choice of every role. */
  ofDeletion(transaction: StoreTransaction, caller: ManagingCaller, id: number): Promise<void>;
  /** What ends every session, also those of `admin`. */
  ofEverybody(caller: ManagingCaller): void;
}

export function createCanManageCheck(
  calls: CoversRules,
  store: CanManageStore = canManageStore,
): CanManageCheck {
  /** Whoever sees all rows sees these, and they are not asked for. */
  async function checkRows(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    listRows: () => Promise<readonly Rows[]>,
  ): Promise<void> {
    if (caller.dataScope === '1') return;
    await store.holdTree(transaction);
    const rows = await listRows();
    const reach = await store.readReach(transaction, caller);
    const parents = await store.readParents(transaction, departmentsToClimb(reach, rows));
    if (!covers(reach, rows, parents)) refuse();
  }

  async function checkRoles(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    roleIds: readonly number[],
  ): Promise<void> {
    for (const id of new Set(roleIds)) {
      if (id === adminRoleId) refuse();
      if (id !== caller.roleId && !(await calls.mayDoAll(transaction, caller.roleKey, id))) refuse();
    }
  }

  async function checkRole(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    role: RoleDetail,
    { scope, rules }: { readonly scope?: Scope; readonly rules?: readonly RuleText[] } = {},
  ): Promise<void> {
    if (role.id === adminRoleId) refuse();
    if (rules === undefined) await checkRoles(transaction, caller, [role.id]);
    else if (!(await calls.mayDo(caller.roleKey, rules))) refuse();
    const scopes = scope === undefined ? [role] : [role, scope];
    const holders = { roleId: role.id, exceptUserId: caller.userId };
    await checkRows(transaction, caller, async () => {
      const departmentIds = await store.listHolderDepartments(transaction, holders);
      const ofOthers = scopes.flatMap((each) => rowsOfPeople(each, departmentIds));
      if (role.id !== caller.roleId) return ofOthers;
      const ownId = (await store.readOwnDepartment(transaction, caller.userId)) ?? refuse();
      return [...ofOthers, ...scopes.flatMap((each) => rowsOfSelf(each, ownId))];
    });
  }

  return {
    async ofNewRole(transaction, caller, scope) {
      if (!isAdmin(caller)) await checkRows(transaction, caller, async () => rowsOfPeople(scope, []));
    },

    async ofRole(transaction, caller, roleId, change) {
      if (isAdmin(caller)) return;
      const role = (await store.holdRoles(transaction, [roleId])).get(roleId) ?? refuse();
      await checkRole(transaction, caller, role, change);
    },

    async ofUser(transaction, caller, userId, states) {
      if (isAdmin(caller)) return;
      const roles = await store.holdRoles(
        transaction,
        states.map(({ roleId }) => roleId),
      );
      await checkRoles(
        transaction,
        caller,
        states.map(({ roleId }) => roleId),
      );
      const rowsOf = (role: RoleDetail, departmentId: number) =>
        userId === caller.userId ? rowsOfSelf(role, departmentId) : rowsOfPeople(role, [departmentId]);
      await checkRows(transaction, caller, async () =>
        states.flatMap(({ roleId, departmentId }) => rowsOf(roles.get(roleId) ?? refuse(), departmentId)),
      );
    },

    async ofDepartment(transaction, caller, id) {
      if (!isAdmin(caller)) await checkRows(transaction, caller, async () => [departmentRows(id)]);
    },

    async ofMove(transaction, caller, { id, from, to }) {
      if (isAdmin(caller)) return;
      const ends = [from, to];
      const parents = await store.readParents(
        transaction,
        ends.filter((end) => end !== null),
      );
      const viewers = await store.listViewersFrom(transaction, findChangedAncestors(from, to, parents));
      await checkRoles(
        transaction,
        caller,
        viewers.map(({ roleId }) => roleId),
      );
      await checkRows(transaction, caller, async () => [
        { kind: 'below', departmentId: id },
        ...ends.map(departmentRows),
        ...viewers.map(({ departmentId }) => ({ kind: 'below', departmentId }) as const),
      ]);
    },

    async ofDeletion(transaction, caller, id) {
      if (isAdmin(caller)) return;
      await checkRows(transaction, caller, async () => [departmentRows(id)]);
      for (const roleId of await store.listRolesThatChose(transaction, id))
        await checkRole(transaction, caller, (await store.findRole(transaction, roleId)) ?? refuse());
    },

    ofEverybody(caller) {
      if (!isAdmin(caller)) refuse();
    },
  };
}

/** Above those at the top are all rows. */
function departmentRows(departmentId: number | null): Rows {
  return departmentId === null ? { kind: 'all' } : { kind: 'department', departmentId };
}

function isAdmin({ roleKey }: ManagingCaller): boolean {
  return roleKey === 'admin';
}

function refuse(): never {
  throw new AppError('beyond_reach');
}
