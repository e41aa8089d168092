// HTTP route of a user's activity: the user's logins, the changes that the user made, and the changes that concern the user. The
// caller's data scope filters each of the two logs.
import {
  AppError,
  type Caller,
  defaultPageLimit,
  listUserActivityEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import { listOfPerson } from '../../logs/audit/person-store.ts';
import { resolveActors } from '../../logs/audit/resolve-actors.ts';
import { withNames } from '../../logs/audit/with-names.ts';
import { cursor, readPage } from '../../logs/login-log/reading/page-store.ts';
import { narrowToScope } from '../../logs/login-log/reading/scope-store.ts';
import { searchOfUser } from '../../logs/login-log/reading/search.ts';
import { findUser } from '../users/user-list-store.ts';
import { isUserInScope, type ListDepartments, resolveUserScope } from '../users/user-scope.ts';
import { mergeLogs } from './merge-logs.ts';

interface ActivityRoutesOptions {
  readonly store: Store;
  readonly listDepartments: ListDepartments;
  readonly now: () => number;
  readonly monotonic: () => number;
}

export function activityRoutes({ store, listDepartments, now, monotonic }: ActivityRoutesOptions): Route[] {
  async function checkVisible(caller: Caller, id: number): Promise<void> {
    const scope = await resolveUserScope(caller, listDepartments);
    const found = await findUser(store, id);
    if (found === undefined || found.isDeleted || !isUserInScope(scope, found.user))
      throw new AppError('record_not_found');
  }

  return [
    route(
      listUserActivityEndpoint,
      async ({ caller, params: { id }, query: { after, limit = defaultPageLimit } }) => {
        await checkVisible(caller, id);
        const search = searchOfUser(id, now());
        const below = cursor.read(after)?.id ?? search.upper;
        const seen = await narrowToScope({ store, listDepartments }, search, caller);
        const actors = await resolveActors(caller, listDepartments);
        const [logins, changes] = await Promise.all([
          readPage(store, seen, { after, limit, monotonic }),
          listOfPerson(store, actors, { userId: id, below, limit: limit + 1 }),
        ]);
        const { items, next } = mergeLogs({
          logins: logins.items,
          loginsEnd: logins.next === null ? undefined : cursor.read(logins.next)?.id,
          changes: await withNames(store, actors, changes),
          limit,
        });
        return { data: { items, next: next === undefined ? null : cursor.write({ id: next }) } };
      },
    ),
  ];
}
