// What happened to a person and what the person did, as far as the caller's data scope shows it in each of the two logs.
import {
  AppError,
  type Caller,
  defaultPageLimit,
  listUserActivityEndpoint,
  type Route,
  route,
} from '@portcullis/contract';
import { listOfPerson } from '../audit/person-store.ts';
import { resolveActors } from '../audit/resolve-actors.ts';
import { withNames } from '../audit/with-names.ts';
import { findUser } from '../directory/users/user-list-store.ts';
import { isUserInScope, type ListDepartments, resolveUserScope } from '../directory/users/user-scope.ts';
import { cursor, readPage } from '../login-log/reading/page-store.ts';
import { narrowToScope } from '../login-log/reading/scope-store.ts';
import { searchOfUser } from '../login-log/reading/search.ts';
import type { Store } from '../store/store.ts';
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
