// Endpoints that explain permissions: why the check decides as it does, the callers of a route, the access of a user, and
// the uses of the exclusion list.
import {
  AppError,
  type Caller,
  explainEndpoint,
  listExclusionsEndpoint,
  listUserAccessEndpoint,
  type Route,
  route,
  routeName,
} from '@portcullis/contract';
import { isUserInScope, resolveUserScope } from '../../people/users/user-scope.ts';
import { listAllRoutes } from '../catalog/catalog-store.ts';
import { gatherRoutes } from '../catalog/gather-routes.ts';
import { listUses } from '../exclusions/exclusion-use-store.ts';
import { type CallersOptions, callersRoute } from './callers-route.ts';
import { explainRequest } from './explain-request.ts';
import { listAccess } from './list-access.ts';
import { findRoleSubject, findUserSubject, type Subject } from './subject-store.ts';

export function permissionRoutes(options: CallersOptions): Route[] {
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
    callersRoute(options),
    route(listUserAccessEndpoint, async ({ caller, params }) => {
      const subject = await getSubject(caller, { userId: params.id });
      const routes = await gatherRoutes({ routes: listAllRoutes(store), endpoints, exclusions });
      const access = await listAccess({ subject, routes, snapshot: rules.snapshot });
      return { data: { subject, blockedBy: blockOf(subject), ...access } };
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

/** The reason why every call is blocked, in the order of the checks. */
function blockOf({ userEnabled, roleEnabled, passwordChangeRequired }: Subject) {
  if (userEnabled === false) return 'user_disabled' as const;
  if (!roleEnabled) return 'role_disabled' as const;
  return passwordChangeRequired ? ('password_change_required' as const) : null;
}
