// Small random companies: departments, roles, people, and requested changes.
import { type DataScope, dataScopes } from '@portcullis/contract';
import type { Random } from '../random.ts';

export interface Role {
  readonly id: number;
  readonly dataScope: DataScope;
  /** Of scope 2. */
  readonly departmentIds: readonly number[];
  readonly calls: readonly string[];
}

export interface Person {
  readonly id: number;
  readonly roleId: number;
  readonly departmentId: number;
}

export interface Company {
  /** Each with its parent. */
  readonly departments: ReadonlyMap<number, number | null>;
  readonly roles: ReadonlyMap<number, Role>;
  readonly people: ReadonlyMap<number, Person>;
}

export type Scope = Pick<Role, 'dataScope' | 'departmentIds'>;

export type Change =
  | ({ readonly kind: 'role created' } & Scope)
  | ({ readonly kind: 'scope changed'; readonly roleId: number } & Scope)
  /** Renamed, disabled, enabled or deleted. */
  | { readonly kind: 'role touched'; readonly roleId: number }
  | {
      readonly kind: 'rules changed';
      readonly roleId: number;
      readonly add: readonly string[];
      readonly remove: readonly string[];
    }
  | { readonly kind: 'person created'; readonly roleId: number; readonly departmentId: number }
  | { readonly kind: 'role given'; readonly personId: number; readonly roleId: number }
  | { readonly kind: 'person moved'; readonly personId: number; readonly departmentId: number }
  /** Renamed, disabled, enabled, deleted, given another password, or logged out. */
  | { readonly kind: 'person touched'; readonly personId: number }
  | { readonly kind: 'department moved'; readonly departmentId: number; readonly parentId: number | null }
  | { readonly kind: 'department renamed'; readonly departmentId: number }
  | { readonly kind: 'department deleted'; readonly departmentId: number };

export const adminId = 1;
const allCalls = ['a', 'b', 'c', 'd'];

export function randomCompany(random: Random): Company {
  const departments = new Map<number, number | null>();
  for (let id = 1; id <= 2 + random.below(7); id++)
    departments.set(id, id === 1 || random.once(6) ? null : 1 + random.below(id - 1));
  const roles = new Map<number, Role>([
    [adminId, { id: adminId, dataScope: '1', departmentIds: [], calls: [] }],
  ]);
  for (let id = 2; id <= 3 + random.below(4); id++)
    roles.set(id, { id, ...randomScope(random, departments), calls: randomCalls(random) });
  const people = new Map<number, Person>();
  for (let id = 1; id <= 2 + random.below(7); id++)
    people.set(id, {
      id,
      roleId: random.once(12) ? adminId : 2 + random.below(roles.size - 1),
      departmentId: pickKey(random, departments),
    });
  return { departments, roles, people };
}

/** More of them than not, so that many changes are within the reach of a person. */
function randomCalls(random: Random): string[] {
  return random.once(3) ? allCalls : allCalls.filter(() => random.below(3) > 0);
}

export function randomScope(random: Random, departments: Company['departments']): Scope {
  const dataScope = random.pick(dataScopes);
  if (dataScope !== '2') return { dataScope, departmentIds: [] };
  const share = random.pick([2, 2, 6]);
  return { dataScope, departmentIds: [...departments.keys()].filter(() => !random.once(share)) };
}

export function randomChange(random: Random, { departments, roles, people }: Company): Change {
  const roleId = pickKey(random, roles);
  const departmentId = pickKey(random, departments);
  const personId = pickKey(random, people);
  switch (random.below(11)) {
    case 0:
      return { kind: 'role created', ...randomScope(random, departments) };
    case 1:
      return { kind: 'scope changed', roleId, ...randomScope(random, departments) };
    case 2:
      return { kind: 'role touched', roleId };
    case 3: {
      const some = () => allCalls.filter(() => random.once(4));
      const add = some();
      return { kind: 'rules changed', roleId, add, remove: some().filter((call) => !add.includes(call)) };
    }
    case 4:
      return { kind: 'person created', roleId, departmentId };
    case 5:
      return { kind: 'role given', personId, roleId };
    case 6:
      return { kind: 'person moved', personId, departmentId };
    case 7:
      return { kind: 'person touched', personId };
    case 8: {
      const outside = [...departments.keys()].filter((id) => !isInside(departments, id, departmentId));
      const parentId = outside.length === 0 || random.once(6) ? null : random.pick(outside);
      return { kind: 'department moved', departmentId, parentId };
    }
    case 9:
      return { kind: 'department renamed', departmentId };
    default:
      return { kind: 'department deleted', departmentId };
  }
}

/** Whether the first is the second, or is below it. */
export function isInside(departments: Company['departments'], id: number, outerId: number): boolean {
  for (let at: number | null = id; at !== null; at = departments.get(at) ?? null)
    if (at === outerId) return true;
  return false;
}

export function pickKey(random: Random, map: ReadonlyMap<number, unknown>): number {
  return random.pick([...map.keys()]);
}

/** What the company is after the change, as far as the change says. */
export function changed(company: Company, change: Change): Company {
  const { departments, roles, people } = company;
  switch (change.kind) {
    case 'scope changed': {
      const { dataScope, departmentIds } = change;
      return { ...company, roles: withField(roles, change.roleId, { dataScope, departmentIds }) };
    }
    case 'rules changed': {
      const calls = (roles.get(change.roleId)?.calls ?? []).filter((call) => !change.remove.includes(call));
      return {
        ...company,
        roles: withField(roles, change.roleId, { calls: [...new Set([...calls, ...change.add])] }),
      };
    }
    case 'role given':
      return { ...company, people: withField(people, change.personId, { roleId: change.roleId }) };
    case 'person moved':
      return {
        ...company,
        people: withField(people, change.personId, { departmentId: change.departmentId }),
      };
    case 'department moved':
      return { ...company, departments: new Map(departments).set(change.departmentId, change.parentId) };
    default:
      return company;
  }
}

function withField<Value>(map: ReadonlyMap<number, Value>, id: number, fields: Partial<Value>) {
  const value = map.get(id);
  return value === undefined ? map : new Map(map).set(id, { ...value, ...fields });
}
