// The catalogue over HTTP: importing, listing and forgetting routes, and the report on how the rules cover them.
import {
  AppError,
  defaultPageLimit,
  type deleteRoutesEndpoint,
  type Handler,
  type importRoutesEndpoint,
  listedLimits,
  type listRoutesEndpoint,
  type reportRoutesEndpoint,
} from '@portcullis/contract';
import type { AuditEntry, RecordChange } from '../audit/record-change.ts';
import type { Store } from '../store/store.ts';
import { forgetService, listAllRoutes, listRoutes, replaceRoutes } from './catalog-store.ts';
import type { RouteChanges } from './compare-routes.ts';
import { describeImport } from './describe-import.ts';
import type { RouteSources } from './gather-routes.ts';
import { parseOpenApi } from './open-api/parse-open-api.ts';
import { type ReportInput, reportRoutes } from './report-routes.ts';

export interface CatalogRoutes {
  readonly list: Handler<typeof listRoutesEndpoint>;
  readonly report: Handler<typeof reportRoutesEndpoint>;
  readonly import: Handler<typeof importRoutesEndpoint>;
  readonly delete: Handler<typeof deleteRoutesEndpoint>;
}

interface CatalogRoutesOptions extends Pick<RouteSources, 'endpoints' | 'exclusions'> {
  readonly store: Store;
  readonly recordChange: RecordChange;
  readonly listRules: () => ReportInput['rules'];
  readonly listEnabledRoles: () => Promise<readonly { readonly roleKey: string }[]>;
}

export function createCatalogRoutes({
  store,
  recordChange,
  ...options
}: CatalogRoutesOptions): CatalogRoutes {
  return {
    list: async ({ query: { after, limit = defaultPageLimit, ...filter } }) => ({
      data: await listRoutes(store, { ...filter, after, limit }),
    }),
    report: async ({ query: { limit = listedLimits.import } }) => {
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
    },
    import: async (call) => {
      const { params, query, body } = call;
      const parsed = parseOpenApi(body, query);
      if ('reason' in parsed) throw new AppError('params_invalid');
      const changes = await replaceRoutes(store, params.service, parsed.routes, (transaction, changed) =>
        recordChange(transaction, call, importEntry(params.service, changed)),
      );
      return { data: describeImport(parsed, changes) };
    },
    delete: async (call) => {
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
    },
  };
}

/** The numbers alone: a document can have ten thousand routes. */
function importEntry(service: string, { added, removed, kept }: RouteChanges): AuditEntry {
  const before = { routes: removed.length + kept };
  const after = { routes: added.length + kept, added: added.length, removed: removed.length };
  return { action: 'catalog.import', target: `service ${service}`, before, after };
}
