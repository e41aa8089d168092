// Routes of the audit log (list and CSV export): a caller sees the caller's own changes, and those of the users in the data scope.
import {
  type AuditFilter,
  type AuditItem,
  auditFields,
  type Caller,
  defaultPageLimit,
  exportAuditEndpoint,
  listAuditEndpoint,
  type Pieces,
  type Route,
  route,
} from '@portcullis/contract';
import { createConcurrencyLimit } from '../../base/limit/concurrency-limit.ts';
import { byteOrderMark, csvLine } from '../../base/values/csv.ts';
import type { Page } from '../../cluster/store/page.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditQuery, listRecords } from './audit-store.ts';
import { type ListDepartments, resolveActors } from './resolve-actors.ts';
import { withNames } from './with-names.ts';

interface AuditRoutesOptions {
  readonly store: Store;
  readonly listDepartments: ListDepartments;
}

const mostExports = 8;
const exportPage = 500;

export function auditRoutes({ store, listDepartments }: AuditRoutesOptions): Route[] {
  const exports = createConcurrencyLimit(mostExports);

  async function read(caller: Caller, query: AuditQuery): Promise<Page<AuditItem>> {
    const actors = await resolveActors(caller, listDepartments);
    const { items, next } = await listRecords(store, actors, query);
    return { items: await withNames(store, actors, items), next };
  }

  /** Reads the data scope again for each page, because it can change meanwhile. */
  async function* exported(filter: AuditFilter, caller: Caller, signal: AbortSignal): Pieces {
    let after: string | null | undefined;
    let header = byteOrderMark + csvLine(auditFields);
    while (after !== null && !signal.aborted) {
      const { items, next }: Page<AuditItem> = await read(caller, { ...filter, after, limit: exportPage });
      yield header + items.map((item) => csvLine(cellsOf(item))).join('');
      header = '';
      after = next;
    }
  }

  return [
    route(listAuditEndpoint, async ({ caller, query: { after, limit = defaultPageLimit, ...filter } }) => ({
      data: await read(caller, { ...filter, after, limit }),
    })),
    route(exportAuditEndpoint, (call) => {
      call.setHeader('content-disposition', 'attachment; filename="audit-log.csv"');
      return exports.hold(() => exported(call.query, call.caller, call.signal));
    }),
  ];
}

function cellsOf(item: AuditItem): (string | number | null)[] {
  const { target, names, before, after } = item;
  const cells = { ...item, targetName: names[target] ?? null, before: jsonOf(before), after: jsonOf(after) };
  return auditFields.map((field) => cells[field]);
}

function jsonOf(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}
