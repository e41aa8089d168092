// SQL of the API catalogue: the routes of business services, imported from OpenAPI documents.
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
  /** A part of the path or the title; the search ignores case. */
  readonly text?: string | undefined;
}

const pageSize = 10_000;
const text = Type.String({ pattern: '^[^\\u0000]*$' });
const cursor = createCursor(Type.Object({ service: text, path: text, method: text }));
type Position = Readonly<Record<'service' | 'path' | 'method', string>>;
const beginning: Position = { service: '', path: '', method: '' };

export async function listRoutes(
  store: Store,
  { after, limit, ...filter }: RouteFilter & { after: string | undefined; limit: number },
) {
  const rows = await selectRoutes(store, filter, cursor.read(after) ?? beginning, limit + 1);
  return createPage(rows, limit, {
    itemOf: (row) => row,
    positionOf: ({ service, path, method }) => ({ service, path, method }),
    cursor,
  });
}

/** All routes, page by page. Routes that are imported during the iteration can be missing. */
export async function* listAllRoutes(store: Store, filter: RouteFilter = {}): AsyncGenerator<CatalogRoute[]> {
  for (let after: Position = beginning; ; ) {
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

/** Replaces the routes of the service, and returns the changes. */
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

/** Dry run: returns the changes that `replaceRoutes` would make. */
export async function compareWithStored(
  store: Store,
  service: string,
  routes: readonly RouteName[],
): Promise<RouteChanges> {
  return compareRoutes(await readRoutes(store, { service }), routes);
}

/** Deletes the routes of the service, and returns their number. */
export async function deleteRoutesOfService(transaction: StoreTransaction, service: string): Promise<number> {
  await lockService(transaction, service);
  const { numDeletedRows } = await transaction
    .deleteFrom('catalog')
    .where('service', '=', service)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Locks the service until the transaction ends, so that two concurrent imports never leave a mixture of their routes. */
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
  after: Position,
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
