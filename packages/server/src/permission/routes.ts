// Looking at the permission check: why it decides as it does, and what skips it.
import {
  AppError,
  type Caller,
  type Endpoint,
  explainEndpoint,
  listExclusionsEndpoint,
  type Route,
  route,
  routeName,
} from '@portcullis/contract';
import type { CurrentRules } from '@portcullis/gate';
import { isUserInScope, type ListDepartments, resolveUserScope } from '../directory/users/user-scope.ts';
import type { Store } from '../store/store.ts';
import { listUses } from './exclusion-use-store.ts';
import { explainRequest } from './explain-request.ts';
import { findRoleSubject, findUserSubject, type Subject } from './subject-store.ts';

interface PermissionRoutesOptions {
  readonly store: Store;
  readonly endpoints: readonly Endpoint[];
  /** As `METHOD /path`. */
  readonly exclusions: readonly string[];
  readonly rules: Pick<CurrentRules, 'snapshot'>;
  readonly listDepartments: ListDepartments;
}

export function permissionRoutes(options: PermissionRoutesOptions): Route[] {
  const { store, endpoints, exclusions, rules, listDepartments } = options;

  async function findUser(caller: Caller, userId: number): Promise<Subject | undefined> {
    const user = await findUserSubject(store, userId);
    if (user === undefined) return undefined;
    const scope = await resolveUserScope(caller, listDepartments);
    return isUserInScope(scope, { id: userId, departmentId: user.departmentId }) ? user.subject : undefined;
  }
  async function getSubject(caller: Caller, asked: { roleKey?: string; userId?: number }): Promise<Subject> {
    const { roleKey, userId } = asked;
    if ((roleKey === undefined) === (userId === undefined)) throw new AppError('params_invalid');
    const subject =
      userId === undefined ? await findRoleSubject(store, roleKey ?? '') : await findUser(caller, userId);
    if (subject === undefined) throw new AppError('record_not_found');
    return subject;
  }

  return [
    route(explainEndpoint, async ({ caller, query: { method, path, ...asked } }) => {
      const subject = await getSubject(caller, asked);
      const { snapshot } = rules;
      return { data: explainRequest({ subject, method, path, endpoints, exclusions, snapshot }) };
    }),
    route(listExclusionsEndpoint, async () => {
      const counted = Map.groupBy(await listUses(store), ({ entry }) => entry);
      const listed = endpoints.filter((endpoint) => exclusions.includes(routeName(endpoint)));
      const items = listed.map(({ method, path, title, access }) => {
        const days = (counted.get(routeName({ method, path })) ?? []).map(({ day, uses }) => ({ day, uses }));
        return { method, path, title, access, uses: days.reduce((sum, { uses }) => sum + uses, 0), days };
      });
      return { data: { items } };
    }),
  ];
}
