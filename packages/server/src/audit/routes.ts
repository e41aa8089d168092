// Reading the audit log: the caller's own changes, and those of whom the caller's data scope reaches.
import { type Caller, defaultPageLimit, listAuditEndpoint, type Route, route } from '@portcullis/contract';
import type { Store } from '../store/store.ts';
import { type Actors, listRecords } from './audit-store.ts';

interface AuditRoutesOptions {
  readonly store: Store;
  /** Those of the caller's data scope; undefined where it is not one of departments. */
  readonly listDepartments: (caller: Caller) => Promise<readonly number[] | undefined>;
}

export function auditRoutes({ store, listDepartments }: AuditRoutesOptions): Route[] {
  async function actorsOf(caller: Caller): Promise<Actors> {
    if (caller.dataScope === '1') return 'all';
    return { userId: caller.userId, departments: (await listDepartments(caller)) ?? [] };
  }
  return [
    route(listAuditEndpoint, async ({ caller, query: { after, limit = defaultPageLimit, ...filter } }) => ({
      data: await listRecords(store, await actorsOf(caller), { ...filter, after, limit }),
    })),
  ];
}
