// SQL of the list of instances, in pages.
import { sql } from 'kysely';
import { Type } from 'typebox';
import { createCursor } from './store/cursor.ts';
import { createPage } from './store/page.ts';
import type { Store } from './store/store.ts';

const cursor = createCursor(
  Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' }),
);

/** The lease is the longest one of all instances, because a change waits for that. */
export async function listInstances(store: Store, query: { after: string | undefined; limit: number }) {
  const after = cursor.read(query.after);
  const rows = await store
    .selectFrom(['instances', 'current_revision'])
    .select(['instances.id', 'version', 'mode', 'revision', 'guards', 'started_at', 'renewed_at'])
    .select(sql<Date>`renewed_at + make_interval(secs => lease_milliseconds / 1000.0)`.as('lease_ends_at'))
    .$if(after !== undefined, (select) => select.where('instances.id', '>', after ?? ''))
    .orderBy('instances.id')
    .limit(query.limit + 1)
    .execute();
  return createPage(rows, query.limit, { itemOf, positionOf: ({ id }) => id, cursor });
}

interface InstanceRow {
  readonly id: string;
  readonly version: string;
  readonly mode: string;
  readonly revision: number;
  readonly guards: Record<string, number>;
  readonly started_at: Date;
  readonly renewed_at: Date;
  readonly lease_ends_at: Date;
}

function itemOf({ id, version, mode, revision, guards, started_at, renewed_at, lease_ends_at }: InstanceRow) {
  return {
    id,
    version,
    mode,
    revision,
    guards: Object.entries(guards).map(([service, count]) => ({ service, count })),
    startedAt: started_at.toISOString(),
    renewedAt: renewed_at.toISOString(),
    leaseEndsAt: lease_ends_at.toISOString(),
  };
}
