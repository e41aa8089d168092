// Endpoint that lists the callers of a route: the roles that can call it, by the rules in memory, and the people of those
// roles, by an index. It lists and counts only people in the caller's data scope.
import {
  type CallingPerson,
  type CallingRole,
  callingRolesLimit,
  defaultPageLimit,
  type Endpoint,
  listCallersEndpoint,
  type Route,
  route,
  routeName,
} from '@portcullis/contract';
import type { CurrentRules } from '@portcullis/gate';
import type { Snapshot } from '@portcullis/policy';
import { Type } from 'typebox';
import type { Yielding } from '../../base/values/yielding.ts';
import { createCursor } from '../../cluster/store/cursor.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';
import { adminRoleId } from '../../people/roles/role-store.ts';
import { countHolders } from '../../people/users/holder-count-store.ts';
import { listUsers } from '../../people/users/user-list-store.ts';
import { type ListDepartments, resolveUserScope, type UserScope } from '../../people/users/user-scope.ts';
import { type EnabledRole, listRolesInForce } from './calling-role-store.ts';
import { isCanonicalCall } from './explain-request.ts';
import { findCallable } from './find-callable.ts';
import { findEndpoint } from './find-endpoint.ts';

export interface CallersOptions {
  readonly store: Store;
  readonly endpoints: readonly Endpoint[];
  /** As `METHOD /path`. */
  readonly exclusions: readonly string[];
  readonly rules: Pick<CurrentRules, 'snapshot'>;
  readonly listDepartments: ListDepartments;
  readonly turns: Yielding;
}

interface Called {
  readonly method: string;
  readonly path: string;
}

/** The number of roles that one page searches for people. A page with few people can still have a next page. */
const rolesOfPage = 10;
const cursor = createCursor(
  Type.Object({
    roleId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    after: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
  }),
);

export function callersRoute(options: CallersOptions): Route {
  const { store, endpoints, exclusions, rules, listDepartments, turns } = options;
  return route(
    listCallersEndpoint,
    async ({ caller, query: { after, limit = defaultPageLimit, ...called } }) => {
      const { snapshot } = rules;
      const endpoint = describe(findEndpoint(endpoints, called.method, called.path), exclusions);
      const needsRule = endpoint === null || (endpoint.access === 'permission' && !endpoint.excluded);
      const isCallable = needsRule && isCanonicalCall(standInFor(called));
      const roles = isCallable ? await findRoles(await listRolesInForce(store), called, snapshot, turns) : [];
      const scope = await resolveUserScope(caller, listDepartments);
      const holders = await countHolders(
        store,
        scope,
        roles.map(({ roleId }) => roleId),
      );
      // If all people were counted, skip the roles without people.
      const held = holders.users.more ? roles : roles.filter(({ roleId }) => holders.roleIds.has(roleId));
      return {
        data: {
          endpoint,
          needsRule,
          roles: { count: roles.length, items: roles.slice(0, callingRolesLimit) },
          people: holders.users,
          revision: snapshot.revision,
          ...(await listPeople(store, scope, held, { after, limit })),
        },
      };
    },
  );
}

function describe(endpoint: Endpoint | undefined, exclusions: readonly string[]) {
  if (endpoint === undefined) return null;
  const { method, path, title, access } = endpoint;
  return { method, path, title, access, excluded: exclusions.includes(routeName(endpoint)) };
}

/** Replaces each parameter with a literal segment. */
function standInFor({ method, path }: Called): Called {
  return { method, path: path.replace(/\/:[^/]+/g, '/x') };
}

/** The roles sorted by id, with `admin` last, because it can always call everything. */
async function findRoles(
  roles: readonly EnabledRole[],
  called: Called,
  snapshot: Snapshot,
  turns: Yielding,
): Promise<CallingRole[]> {
  const calling: CallingRole[] = [];
  await turns.filter(roles, (role) => {
    const found = role.roleKey === 'admin' ? undefined : findCallable(snapshot, role.roleKey, called);
    if (found === undefined) return false;
    const { method, path } = found.rule;
    return calling.push({ ...role, rule: { method, path }, reach: found.reach }) > 0;
  });
  const admin = roles.find(({ roleKey }) => roleKey === 'admin');
  return admin === undefined ? calling : [...calling, { ...admin, rule: null, reach: 'all' }];
}

async function listPeople(
  store: Store,
  scope: UserScope,
  roles: readonly CallingRole[],
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Page<CallingPerson>> {
  const position = cursor.read(after);
  const from = position === undefined ? 0 : roles.findIndex((role) => rankOf(role) >= rankOf(position));
  const items: CallingPerson[] = [];
  if (from === -1) return { items, next: null };
  for (const [index, role] of roles.slice(from).entries()) {
    const { roleId } = role;
    if (index === rolesOfPage || items.length === limit)
      return { items, next: cursor.write({ roleId, after: null }) };
    const inner = position?.roleId === roleId ? position.after : null;
    const { items: users, next } = await listUsers(store, scope, {
      roleId,
      enabled: true,
      limit: limit - items.length,
      ...(inner === null ? {} : { after: inner }),
    });
    items.push(...users.map((user) => personOf(user, role)));
    if (next !== null) return { items, next: cursor.write({ roleId, after: next }) };
  }
  return { items, next: null };
}

function personOf(
  { id, username, name, departmentId, departmentName }: Omit<CallingPerson, keyof CallingRole>,
  role: CallingRole,
): CallingPerson {
  return { id, username, name, departmentId, departmentName, ...role };
}

function rankOf({ roleId }: { readonly roleId: number }): number {
  return roleId === adminRoleId ? Number.MAX_SAFE_INTEGER : roleId;
}
