// Endpoints of the API catalogue: importing, listing and deleting routes, and the coverage report.
import {
  AppError,
  defaultPageLimit,
  deleteRoutesEndpoint,
  importRoutesEndpoint,
  listedLimits,
  listRoutesEndpoint,
  type Route,
  reportRoutesEndpoint,
  route,
} from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { AuditEntry, RecordChange } from '../../logs/audit/record-change.ts';
import { deleteRoutesOfService, listAllRoutes, listRoutes, replaceRoutes } from './catalog-store.ts';
import type { RouteChanges } from './compare-routes.ts';
import { describeImport } from './describe-import.ts';
import { gatherRoutes, type RouteSources } from './gather-routes.ts';
import { parseOpenApi } from './open-api/parse-open-api.ts';
import { type RuleMemory, readRules } from './read-rules.ts';
import { createReport } from './report-routes.ts';
import { listRuledRoles } from './role-rule-store.ts';

interface CatalogRoutesOptions extends Pick<RouteSources, 'endpoints' | 'exclusions'> {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly memory: RuleMemory | undefined;
}

export function catalogRoutes({ store, access, recordChange, ...options }: CatalogRoutesOptions): Route[] {
  const report = createReport();
  return [
    route(listRoutesEndpoint, async ({ query: { after, limit = defaultPageLimit, ...filter } }) => ({
      data: await listRoutes(store, { ...filter, after, limit }),
    })),
    route(reportRoutesEndpoint, async ({ query: { limit = listedLimits.import } }) => {
      const roles = await listRuledRoles(store);
      const enabled = roles.filter((role) => role.enabled);
      return {
        data: await report({
          routes: await gatherRoutes({ ...options, routes: listAllRoutes(store) }),
          rules: await readRules({ store, memory: options.memory, roles }),
          enabledRoleKeys: new Set(enabled.map(({ roleKey }) => roleKey)),
          limit,
        }),
      };
    }),
    route(importRoutesEndpoint, async (call) => {
      const { params, query, body } = call;
      const parsed = parseOpenApi(body, query);
      if ('reason' in parsed) throw new AppError('params_invalid');
      let changes: RouteChanges = { added: [], removed: [], kept: 0 };
      await access.give(call, async (transaction) => {
        changes = await replaceRoutes(transaction, params.service, parsed.routes);
        await recordChange(transaction, call, importEntry(params.service, changes));
        return [];
      });
      return { data: describeImport(parsed, changes) };
    }),
    route(deleteRoutesEndpoint, async (call) => {
      const { service } = call.params;
      let removed = 0;
      await access.give(call, async (transaction) => {
        removed = await deleteRoutesOfService(transaction, service);
        if (removed === 0) throw new AppError('record_not_found');
        const [target, before] = [`service ${service}`, { routes: removed }];
        await recordChange(transaction, call, { action: 'catalog.remove', target, before, after: null });
        return [];
      });
      return { data: { removed } };
    }),
  ];
}

/** Records only the counts: a document can have ten thousand routes. */
function importEntry(service: string, { added, removed, kept }: RouteChanges): AuditEntry {
  const before = { routes: removed.length + kept };
  const after = { routes: added.length + kept, added: added.length, removed: removed.length };
  return { action: 'catalog.import', target: `service ${service}`, before, after };
}
