// Privilege escalation check: a caller can give, change, narrow or end something only if the caller is allowed to make every call
// that it concerns, and sees every row that it shows to any user before or after the change. `admin` is allowed to do everything,
// and only `admin` can change `admin`. The check runs in the transaction of the change, before anything is written.
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

/** Compares the calls that roles are allowed to make. The check never asks it about the rules of `admin`. */
export interface CoversRules {
  /** Whether the role is allowed to make every call that the rules allow. */
  mayDo(roleKey: string, rules: readonly RuleText[]): Promise<boolean>;
  /** Whether the role is allowed to make every call that the stored rules of the other role allow. */
  mayDoAll(transaction: StoreTransaction, roleKey: string, otherId: number): Promise<boolean>;
}

/** The fields of a user that decide which callers can manage the user. */
export interface UserState {
  readonly roleId: number;
  readonly departmentId: number;
}

export interface DepartmentMove {
  readonly id: number;
  readonly from: number | null;
  readonly to: number | null;
}

/** Each method throws if the caller cannot manage what the change concerns. */
export interface CanManageCheck {
  /** A new role, which has no holders and no rules. */
  ofNewRole(transaction: StoreTransaction, caller: ManagingCaller, scope: Scope): Promise<void>;
  /** A locked role. `scope`: the data scope after the change. `rules`: the change only adds or removes these rules. */
  ofRole(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    roleId: number,
    change?: { readonly scope?: Scope; readonly rules?: readonly RuleText[] },
  ): Promise<void>;
  /** The states of a user before and after the change. A new user has no id. */
  ofUser(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    userId: number | undefined,
    states: readonly UserState[],
  ): Promise<void>;
  ofDepartment(transaction: StoreTransaction, caller: ManagingCaller, id: number): Promise<void>;
  /** Called under the lock of the department tree. */
  ofMove(transaction: StoreTransaction, caller: ManagingCaller, move: DepartmentMove): Promise<void>;
  /** The deletion of an empty department, which removes it from the data scope of every role. */
  ofDeletion(transaction: StoreTransaction, caller: ManagingCaller, id: number): Promise<void>;
  /** What concerns every user, `admin` included, such as the end of every session: only `admin` can do it. */
  ofEverybody(caller: ManagingCaller): void;
}

export function createCanManageCheck(
  calls: CoversRules,
  store: CanManageStore = canManageStore,
): CanManageCheck {
  /** A caller who sees all rows sees these too, so they are not read. */
  async function checkRows(
    transaction: StoreTransaction,
    caller: ManagingCaller,
    listRows: () => Promise<readonly Rows[]>,
  ): Promise<void> {
    if (caller.dataScope === '1') return;
    await store.holdTree(transaction);
    const rows = await listRows();
    const manageable = await store.readManageableRows(transaction, caller);
    const parents = await store.readParents(transaction, departmentsToClimb(manageable, rows));
    if (!covers(manageable, rows, parents)) refuse();
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

/** Null is the parent of the topmost departments: it stands for all rows. */
function departmentRows(departmentId: number | null): Rows {
  return departmentId === null ? { kind: 'all' } : { kind: 'department', departmentId };
}

function isAdmin({ roleKey }: ManagingCaller): boolean {
  return roleKey === 'admin';
}

function refuse(): never {
  throw new AppError('exceeds_own_permissions');
}
