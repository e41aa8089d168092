// Endpoint of the access matrix: a page of roles with their access to all known routes.
import {
  defaultPageLimit,
  type MatrixRole,
  matrixEndpoint,
  matrixRoutesLimit,
  ownServiceName,
  type Route,
  route,
} from '@portcullis/contract';
import type { Page } from '../../../cluster/store/page.ts';
import type { Store } from '../../../cluster/store/store.ts';
import { listAllRoutes } from '../catalog-store.ts';
import { gatherRoutes, type RouteSources } from '../gather-routes.ts';
import { type RuleMemory, readRules } from '../read-rules.ts';
import { listTemporaryRulesOfRoles, readRuleRevisions } from './matrix-store.ts';
import { createRowCache } from './row-cache.ts';

interface MatrixOptions extends Pick<RouteSources, 'endpoints' | 'exclusions'> {
  readonly store: Store;
  readonly memory: RuleMemory | undefined;
  readonly listRoles: (
    query: PageQuery,
  ) => Promise<Page<Omit<MatrixRole, 'revision' | 'temporary' | 'cells'>>>;
}

interface PageQuery {
  readonly after: string | undefined;
  readonly limit: number;
}

export function matrixRoute({ store, memory, listRoles, endpoints, exclusions }: MatrixOptions): Route {
  const buildMatrix = createRowCache();
  return route(matrixEndpoint, async ({ query: { after, limit = defaultPageLimit, service } }) => {
    const isOursWanted = service === undefined || service === ownServiceName;
    const roles = await listRoles({ after, limit });
    const gathering = gatherRoutes({
      routes: listAllRoutes(store, { service }),
      endpoints: isOursWanted ? endpoints : [],
      exclusions,
    });
    const [known, temporaryOf, revisions] = await Promise.all([
      gathering,
      listTemporaryRulesOfRoles(store, roles.items),
      // Read the revisions before the rules: after a change in between, the revision is outdated, and a draft that is
      // based on it is refused (optimistic locking).
      readRuleRevisions(store, roles.items),
    ]);
    const routes = known.slice(0, matrixRoutesLimit);
    const { cells, complete } = await buildMatrix({
      routes,
      roleKeys: roles.items.map(({ roleKey }) => roleKey),
      rules: await readRules({
        store,
        memory,
        roles: roles.items.map(({ id, roleKey }) => ({ id, roleKey, revision: revisions.get(id) })),
      }),
    });
    const items = roles.items.flatMap(({ id, roleKey, name, enabled }, index): MatrixRole[] => {
      const revision = revisions.get(id);
      // Omit a role that was deleted meanwhile.
      if (revision === undefined) return [];
      const temporary = temporaryOf.get(id) ?? [];
      return [{ id, roleKey, name, enabled, revision, temporary, cells: cells[index] ?? '' }];
    });
    return { data: { routes: { count: known.length, items: routes }, items, next: roles.next, complete } };
  });
}
