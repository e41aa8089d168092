// Nobody gives what is beyond themselves: a role, or a data scope, is given by whoever may do and see at least as much.
// Only `admin` gives `admin`, and `admin` gives everything.
import type { Caller, DataScope } from '@portcullis/contract';
import type { Store } from '../../store/store.ts';
import { findRole, listRoleDepartments } from './role-store.ts';

export type Giver = Pick<Caller, 'roleId' | 'roleKey' | 'dataScope'>;

/** A data scope, with the departments of scope 2. */
export interface Scope {
  readonly dataScope: DataScope;
  readonly departmentIds: readonly number[];
}

/** What each scope contains. Chosen departments are in no scope but all rows and a choice that has them all. */
const contained: Readonly<Record<DataScope, readonly DataScope[]>> = {
  '1': ['1', '2', '3', '4', '5'],
  '2': ['2', '5'],
  '3': ['3', '5'],
  '4': ['3', '4', '5'],
  '5': ['5'],
};

export async function mayGiveScope(store: Store, giver: Giver, scope: Scope): Promise<boolean> {
  if (giver.roleKey === 'admin') return true;
  if (!contained[giver.dataScope].includes(scope.dataScope)) return false;
  if (giver.dataScope !== '2' || scope.dataScope !== '2') return true;
  const own = new Set(await listRoleDepartments(store, giver.roleId));
  return scope.departmentIds.every((id) => own.has(id));
}

/** Whether everything that the second role may call, the first may call too. */
export type MayDoAll = (giverKey: string, roleKey: string) => boolean;

export type MayGive = (giver: Giver, roleId: number) => Promise<boolean>;

/** For whoever gives a role to a user. An unknown role is given by `admin` alone, who then learns that it is unknown. */
export function createMayGive({ store, mayDoAll }: { store: Store; mayDoAll: MayDoAll }): MayGive {
  return async (giver, roleId) => {
    if (giver.roleKey === 'admin') return true;
    const role = await findRole(store, roleId);
    if (role === undefined || role.roleKey === 'admin') return false;
    return mayDoAll(giver.roleKey, role.roleKey) && (await mayGiveScope(store, giver, role));
  };
}

/** Whether the giver may change the role at all: one that sees no more than the giver does. */
export async function mayTouchRole(store: Store, giver: Giver, roleId: number): Promise<boolean> {
  if (giver.roleKey === 'admin') return true;
  const role = await findRole(store, roleId);
  return role !== undefined && role.roleKey !== 'admin' && (await mayGiveScope(store, giver, role));
}
