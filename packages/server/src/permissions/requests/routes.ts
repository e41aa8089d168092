// Endpoints of access requests: create and withdraw for every signed-in user, list and decide for approvers.
import {
  type AccessRequest,
  AppError,
  createAccessRequestEndpoint,
  decideAccessRequestEndpoint,
  defaultPageLimit,
  listAccessRequestsEndpoint,
  listOwnAccessRequestsEndpoint,
  type Route,
  route,
  routeName,
  withdrawAccessRequestEndpoint,
} from '@portcullis/contract';
import { createTokenBuckets } from '../../base/values/token-buckets.ts';
import { answerWrite } from '../../cluster/answer-write.ts';
import { countHolders } from '../../people/users/holder-count-store.ts';
import { resolveUserScope, type UserScope } from '../../people/users/user-scope.ts';
import { type AccessRequestOptions, createAccessRequestChanges } from './access-request-changes.ts';
import { findCatalogTitles, listOpenRequests, listOwnRequests } from './access-request-store.ts';

interface AccessRequestRoutesOptions extends AccessRequestOptions {
  readonly now: () => number;
}

/** The rate limit for each person: a burst of 20, then one a minute. Every change of a request creates an audit record. */
const asksOfPerson = { burst: 20, perSecond: 1 / 60 };

export function accessRequestRoutes({ now, ...options }: AccessRequestRoutesOptions): Route[] {
  const { store, endpoints, listDepartments } = options;
  const changes = createAccessRequestChanges(options);
  const buckets = createTokenBuckets<number>({ ...asksOfPerson, now });
  const ownTitles = endpoints.map((endpoint) => [routeName(endpoint), endpoint.title] as const);

  function spend(userId: number): void {
    const retryAfterSeconds = buckets.take(userId);
    if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
  }

  async function withTitles<Item extends { readonly method: string; readonly pattern: string }>(
    items: readonly Item[],
  ): Promise<(Item & { title: string })[]> {
    const imported = await findCatalogTitles(store, [...new Set(items.map(({ pattern }) => pattern))]);
    const titles = new Map([...imported.map((each) => [routeName(each), each.title] as const), ...ownTitles]);
    return items.map((item) => ({
      ...item,
      title: titles.get(routeName({ method: item.method, path: item.pattern })) ?? '',
    }));
  }

  async function countByRole(scope: UserScope, roleIds: readonly number[]) {
    const counts = new Map<number, AccessRequest['holders']>();
    for (const id of new Set(roleIds)) counts.set(id, (await countHolders(store, scope, [id])).users);
    return counts;
  }

  return [
    route(createAccessRequestEndpoint, async (call) => {
      spend(call.caller.userId);
      return { data: { id: await changes.create(call) } };
    }),
    route(listOwnAccessRequestsEndpoint, async ({ caller }) => ({
      data: { items: await withTitles(await listOwnRequests(store, caller.userId)) },
    })),
    route(withdrawAccessRequestEndpoint, (call) => answerWrite(call, changes.withdraw(call))),
    route(listAccessRequestsEndpoint, async ({ caller, query: { after, limit = defaultPageLimit } }) => {
      const scope = await resolveUserScope(caller, listDepartments);
      const { items, next } = await listOpenRequests(store, scope, { callerId: caller.userId, after, limit });
      const titled = await withTitles(items);
      const holders = await countByRole(
        scope,
        items.map(({ roleId }) => roleId),
      );
      const noHolders = { count: 0, more: false };
      return {
        data: {
          items: titled.map((item) => ({ ...item, holders: holders.get(item.roleId) ?? noHolders })),
          next,
        },
      };
    }),
    route(decideAccessRequestEndpoint, (call) => answerWrite(call, changes.decide(call))),
  ];
}
