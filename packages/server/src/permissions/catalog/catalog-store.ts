// SQL of the catalogue.
import type { CatalogRoute } from '@portcullis/contract';
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from '../../cluster/store/cursor.ts';
import { createPage } from '../../cluster/store/page.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { compareRoutes, type RouteChanges, type RouteName } from './compare-routes.ts';
import type { ParsedRoute } from './open-api/parse-open-api.ts';

export interface RouteFilter {
  readonly service?: string | undefined;
  readonly tag?: string | undefined;
  /** What the path or the title contains, in any case. */
  readonly text?: string | undefined;
}

const pageSize = 10_000;
const text = Type.String({ pattern: '^[^\\u0000]*$' });
const cursor = createCursor(Type.Object({ service: text, path: text, method: text }));
type Place = Readonly<Record<'service' | 'path' | 'method', string>>;
const beginning: Place = { service: '', path: '', method: '' };

export async function listRoutes(
  store: Store,
  { after, limit, ...filter }: RouteFilter & { after: string | undefined; limit: number },
) {
  const rows = await selectRoutes(store, filter, cursor.read(after) ?? beginning, limit + 1);
  return createPage(rows, limit, {
    itemOf: (row) => row,
    placeOf: ({ service, path, method }) => ({ service, path, method }),
    cursor,
  });
}

/** Every route, page by page. What is imported meanwhile may be missed. */
export async function* listAllRoutes(store: Store, filter: RouteFilter = {}): AsyncGenerator<CatalogRoute[]> {
  for (let after: Place = beginning; ; ) {
    const rows = await selectRoutes(store, filter, after, pageSize);
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize) return;
    after = last;
  }
}

export async function readRoutes(store: Store, filter: RouteFilter): Promise<CatalogRoute[]> {
  const routes: CatalogRoute[] = [];
  for await (const page of listAllRoutes(store, filter)) routes.push(...page);
  return routes;
}

/** Makes these the routes of the service, and says what that changed. */
export async function replaceRoutes(
  transaction: StoreTransaction,
  service: string,
  routes: readonly ParsedRoute[],
): Promise<RouteChanges> {
  await lockService(transaction, service);
  const changes = await compareWithStored(transaction, service, routes);
  await deleteRoutes(transaction, service, changes.removed);
  await sql`
    insert into catalog (service, path, method, title, tag)
    select ${service}::text, rows.* from unnest(
      ${routes.map(({ path }) => path)}::text[], ${routes.map(({ method }) => method)}::text[],
      ${routes.map(({ title }) => title)}::text[], ${routes.map(({ tag }) => tag)}::text[]) as rows
    on conflict (service, path, method) do update set title = excluded.title, tag = excluded.tag
    where (catalog.title, catalog.tag) is distinct from (excluded.title, excluded.tag)`.execute(transaction);
  return changes;
}

/** What `replaceRoutes` would change. */
export async function compareWithStored(
  store: Store,
  service: string,
  routes: readonly RouteName[],
): Promise<RouteChanges> {
  return compareRoutes(await readRoutes(store, { service }), routes);
}

/** How many routes the service had. */
export async function forgetService(transaction: StoreTransaction, service: string): Promise<number> {
  await lockService(transaction, service);
  const { numDeletedRows } = await transaction
    .deleteFrom('catalog')
    .where('service', '=', service)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Two imports of a service take turns, so that its routes are never a mixture of both. */
async function lockService(transaction: StoreTransaction, service: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`catalog ${service}`}, 0))`.execute(transaction);
}

async function deleteRoutes(
  transaction: StoreTransaction,
  service: string,
  names: readonly RouteName[],
): Promise<void> {
  await sql`
    delete from catalog using unnest(
      ${names.map(({ path }) => path)}::text[], ${names.map(({ method }) => method)}::text[]) as gone (path, method)
    where catalog.service = ${service} and catalog.path = gone.path and catalog.method = gone.method`.execute(
    transaction,
  );
}

async function selectRoutes(
  store: Store,
  { service, tag, text }: RouteFilter,
  after: Place,
  limit: number,
): Promise<CatalogRoute[]> {
  let query = store
    .selectFrom('catalog')
    .select(['service', 'method', 'path', 'title', 'tag'])
    .where(sql<boolean>`(service, path, method) > (${after.service}, ${after.path}, ${after.method})`);
  if (service !== undefined) query = query.where('service', '=', service);
  if (tag !== undefined) query = query.where('tag', '=', tag);
  if (text !== undefined)
    query = query.where(
      sql<boolean>`(strpos(lower(path), lower(${text})) > 0 or strpos(lower(title), lower(${text})) > 0)`,
    );
  return await query.orderBy('service').orderBy('path').orderBy('method').limit(limit).execute();
}
