// Which caller is allowed to make a change, computed slowly and row by row: every affected person, every row that this person sees
// before and after, every call. It shares nothing with the product.
import { adminId, type Change, type Company, changed, type Person, type Role } from './company.ts';

/** A row of business data: of a department, or of none; with an owner, or without. */
interface Row {
  readonly departmentId: number | null;
  readonly ownerId: number | null;
}

export function referenceMayChange(company: Company, caller: Person, change: Change): boolean {
  if (caller.roleId === adminId) return true;
  const { people, roles, calls, rows } = concernOf(company, change);
  const callerRole = roleOf(company, caller);
  if (roles.some(({ id }) => id === adminId) || people.some(({ roleId }) => roleId === adminId)) return false;
  if (!calls.every((call) => callerRole.calls.includes(call))) return false;
  return rows.every((row) => row.ownerId === caller.id || sees(company, caller, row));
}

interface Concern {
  readonly people: readonly Person[];
  readonly roles: readonly Role[];
  readonly calls: readonly string[];
  readonly rows: readonly Row[];
}

function concernOf(company: Company, change: Change): Concern {
  const nothing: Concern = { people: [], roles: [], calls: [], rows: [] };
  switch (change.kind) {
    case 'role created':
      return { ...nothing, rows: rowsWithoutOwner(company, change) };
    case 'scope changed':
    case 'role touched': {
      const role = get(company.roles, change.roleId);
      return ofRole(company, changed(company, change), role, role.calls);
    }
    case 'rules changed': {
      const calls = [...change.add, ...change.remove];
      return ofRole(company, changed(company, change), get(company.roles, change.roleId), calls);
    }
    case 'person created': {
      const person = { id: -1, roleId: change.roleId, departmentId: change.departmentId };
      const after = { ...company, people: new Map(company.people).set(-1, person) };
      return ofPeople(after, after, [person]);
    }
    case 'role given':
    case 'person moved':
    case 'person touched':
      return ofPeople(company, changed(company, change), [get(company.people, change.personId)]);
    case 'department moved': {
      const after = changed(company, change);
      const viewers = [...company.people.values()].filter(
        (person) => textOf(seenBy(company, person)) !== textOf(seenBy(after, person)),
      );
      const concern = ofPeople(company, after, viewers);
      const from = get(company.departments, change.departmentId);
      const places = [
        { departmentId: from, ownerId: null },
        { departmentId: change.parentId, ownerId: null },
      ];
      const moved = rowsOf(company).filter(({ departmentId }) => {
        for (let at = departmentId; at !== null; at = get(company.departments, at))
          if (at === change.departmentId) return true;
        return false;
      });
      return { ...concern, rows: [...concern.rows, ...places, ...moved] };
    }
    case 'department renamed':
      return { ...nothing, rows: [{ departmentId: change.departmentId, ownerId: null }] };
    case 'department deleted': {
      const choosing = [...company.roles.values()].filter(
        ({ dataScope, departmentIds }) => dataScope === '2' && departmentIds.includes(change.departmentId),
      );
      const parts = choosing.map((role) => ofRole(company, company, role, role.calls));
      return {
        people: parts.flatMap(({ people }) => people),
        roles: choosing,
        calls: parts.flatMap(({ calls }) => calls),
        rows: [{ departmentId: change.departmentId, ownerId: null }, ...parts.flatMap(({ rows }) => rows)],
      };
    }
  }
}

/** A role, and everybody who has it. */
function ofRole(before: Company, after: Company, role: Role, calls: readonly string[]): Concern {
  const holders = [...before.people.values()].filter(({ roleId }) => roleId === role.id);
  const { people, rows } = ofPeople(before, after, holders);
  const shown = [before, after].flatMap((company) => rowsWithoutOwner(company, get(company.roles, role.id)));
  return { people, roles: [role], calls, rows: [...rows, ...shown] };
}

/** People as they are before and after: what they see, they themselves, and all that their roles may. */
function ofPeople(before: Company, after: Company, people: readonly Person[]): Concern {
  const states = people.flatMap(({ id }) =>
    [before, after].map((company) => ({ company, person: get(company.people, id) })),
  );
  const roles = states.map(({ company, person }) => roleOf(company, person));
  return {
    people: states.map(({ person }) => person),
    roles,
    calls: roles.flatMap(({ calls }) => calls),
    rows: states.flatMap(({ company, person }) => [
      { departmentId: person.departmentId, ownerId: person.id },
      ...seenBy(company, person),
    ]),
  };
}

/** The rows that a role shows to any holder: the role can be given to any user at any time. */
function rowsWithoutOwner(
  company: Company,
  { dataScope, departmentIds }: Pick<Role, 'dataScope' | 'departmentIds'>,
): Row[] {
  if (dataScope === '1') return rowsOf(company);
  if (dataScope !== '2') return [];
  return rowsOf(company).filter(
    ({ departmentId }) => departmentId !== null && departmentIds.includes(departmentId),
  );
}

/** Of every department one without an owner, of every person one, and one that is outside of all departments. */
function rowsOf({ departments, people }: Company): Row[] {
  return [
    ...[...departments.keys()].map((departmentId) => ({ departmentId, ownerId: null })),
    ...[...people.values()].map(({ id, departmentId }) => ({ departmentId, ownerId: id })),
    { departmentId: null, ownerId: null },
  ];
}

function seenBy(company: Company, person: Person): Row[] {
  return rowsOf(company).filter((row) => sees(company, person, row));
}

export function sees(company: Company, person: Person, row: Row): boolean {
  const { dataScope, departmentIds } = roleOf(company, person);
  switch (dataScope) {
    case '1':
      return true;
    case '2':
      return row.departmentId !== null && departmentIds.includes(row.departmentId);
    case '3':
      return row.departmentId === person.departmentId;
    case '4': {
      for (let at = row.departmentId; at !== null; at = get(company.departments, at))
        if (at === person.departmentId) return true;
      return false;
    }
    case '5':
      return row.ownerId === person.id;
  }
}

function roleOf(company: Company, { roleId }: Person): Role {
  return get(company.roles, roleId);
}

function get<Value>(map: ReadonlyMap<number, Value>, id: number): Value {
  const value = map.get(id);
  if (value === undefined) throw new Error(`The company has no ${id}.`);
  return value;
}

function textOf(rows: readonly Row[]): string {
  return JSON.stringify(rows);
}
