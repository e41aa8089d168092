// The catalogue over HTTP: importing, listing and forgetting routes, and the report on how the rules cover them.
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
import type { AuditEntry, RecordChange } from '../audit/record-change.ts';
import type { Store } from '../store/store.ts';
import { forgetService, listAllRoutes, listRoutes, replaceRoutes } from './catalog-store.ts';
import type { RouteChanges } from './compare-routes.ts';
import { describeImport } from './describe-import.ts';
import type { RouteSources } from './gather-routes.ts';
import { parseOpenApi } from './open-api/parse-open-api.ts';
import { type ReportInput, reportRoutes } from './report-routes.ts';

interface CatalogRoutesOptions extends Pick<RouteSources, 'endpoints' | 'exclusions'> {
  readonly store: Store;
  readonly recordChange: RecordChange;
  readonly listRules: () => ReportInput['rules'];
  readonly listEnabledRoles: () => Promise<readonly { readonly roleKey: string }[]>;
}

export function catalogRoutes({ store, recordChange, ...options }: CatalogRoutesOptions): Route[] {
  return [
    route(listRoutesEndpoint, async ({ query: { after, limit = defaultPageLimit, ...filter } }) => ({
      data: await listRoutes(store, { ...filter, after, limit }),
    })),
    route(reportRoutesEndpoint, async ({ query: { limit = listedLimits.import } }) => {
      const enabled = await options.listEnabledRoles();
      return {
        data: await reportRoutes({
          ...options,
          routes: listAllRoutes(store),
          rules: options.listRules(),
          enabledRoleKeys: new Set(enabled.map(({ roleKey }) => roleKey)),
          limit,
        }),
      };
    }),
    route(importRoutesEndpoint, async (call) => {
      const { params, query, body } = call;
      const parsed = parseOpenApi(body, query);
      if ('reason' in parsed) throw new AppError('params_invalid');
      const changes = await replaceRoutes(store, params.service, parsed.routes, (transaction, changed) =>
        recordChange(transaction, call, importEntry(params.service, changed)),
      );
      return { data: describeImport(parsed, changes) };
    }),
    route(deleteRoutesEndpoint, async (call) => {
      const { service } = call.params;
      const target = `service ${service}`;
      const removed = await forgetService(store, service, (transaction, routes) =>
        recordChange(transaction, call, {
          action: 'catalog.remove',
          target,
          before: { routes },
          after: null,
        }),
      );
      if (removed === 0) throw new AppError('record_not_found');
      return { data: { removed } };
    }),
  ];
}

/** The numbers alone: a document can have ten thousand routes. */
function importEntry(service: string, { added, removed, kept }: RouteChanges): AuditEntry {
  const before = { routes: removed.length + kept };
  const after = { routes: added.length + kept, added: added.length, removed: removed.length };
  return { action: 'catalog.import', target: `service ${service}`, before, after };
}
