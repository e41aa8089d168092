// What the product's check reads of a directory, answered from a company in memory.
import type { CoversRules } from '../../../packages/server/src/people/roles/can-manage/can-manage-check.ts';
import type { CanManageStore } from '../../../packages/server/src/people/roles/can-manage/can-manage-store.ts';
import { type Company, isInside } from './company.ts';

/** The product hands its transaction through; here it is the company. */
const companyOf = (transaction: unknown) => transaction as Company;

export const roleKeyOf = (roleId: number) => (roleId === 1 ? 'admin' : `role-${roleId}`);

export const callsInMemory = (company: Company): CoversRules => {
  const callsOf = (roleKey: string) =>
    [...company.roles.values()].find(({ id }) => roleKeyOf(id) === roleKey)?.calls ?? [];
  return {
    mayDo: async (roleKey, rules) => rules.every(({ path }) => callsOf(roleKey).includes(path)),
    mayDoAll: async (_, roleKey, otherId) =>
      (company.roles.get(otherId)?.calls ?? []).every((call) => callsOf(roleKey).includes(call)),
  };
};

export const storeInMemory: CanManageStore = {
  holdTree: async () => {},
  holdRoles: async (transaction, ids) => {
    const roles = await Promise.all(ids.map((id) => storeInMemory.findRole(transaction, id)));
    return new Map(roles.flatMap((role) => (role === undefined ? [] : [[role.id, role]])));
  },
  async findRole(transaction, id) {
    const role = companyOf(transaction).roles.get(id);
    if (role === undefined) return undefined;
    const { dataScope, departmentIds } = role;
    const shown = { roleKey: roleKeyOf(id), name: '', enabled: true, createdAt: '', revision: 1 };
    return { id, ...shown, dataScope, departmentIds: [...departmentIds] };
  },
  async readManageableRows(transaction, { userId, roleId, dataScope }) {
    const { people, roles, departments } = companyOf(transaction);
    const own = people.get(userId)?.departmentId ?? 0;
    if (dataScope === '1') return { kind: 'all' };
    if (dataScope === '4') return { kind: 'below', departmentId: own };
    if (dataScope === '5') return { kind: 'own' };
    const departmentIds = new Set(dataScope === '3' ? [own] : roles.get(roleId)?.departmentIds);
    const gaps = [...departments].flatMap(([id, parentId]) =>
      parentId !== null && departmentIds.has(parentId) && !departmentIds.has(id) ? [parentId] : [],
    );
    return { kind: 'departments', departmentIds, gaps };
  },
  readOwnDepartment: async (transaction, userId) => companyOf(transaction).people.get(userId)?.departmentId,
  async listHolderDepartments(transaction, { roleId, exceptUserId }) {
    const holders = [...companyOf(transaction).people.values()].filter(
      (person) => person.roleId === roleId && person.id !== exceptUserId,
    );
    return [...new Set(holders.map(({ departmentId }) => departmentId))];
  },
  async readParents(transaction, ids) {
    const { departments } = companyOf(transaction);
    return new Map([...departments].filter(([id]) => ids.some((below) => isInside(departments, below, id))));
  },
  async listViewersFrom(transaction, ids) {
    const { people, roles } = companyOf(transaction);
    const viewers = [...people.values()].filter(
      ({ roleId, departmentId }) => roles.get(roleId)?.dataScope === '4' && ids.includes(departmentId),
    );
    return viewers.map(({ roleId, departmentId }) => ({ roleId, departmentId }));
  },
  listRolesThatChose: async (transaction, departmentId) =>
    [...companyOf(transaction).roles.values()].flatMap((role) =>
      role.dataScope === '2' && role.departmentIds.includes(departmentId) ? [role.id] : [],
    ),
};
