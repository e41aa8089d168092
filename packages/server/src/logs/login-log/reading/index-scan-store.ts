// SQL of index scans over the login log, newest records first. The time of a scan must follow from its length alone, so it does
// not depend on what the planner believes to be rare or common.
import { type RawBuilder, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../../cluster/store/store.ts';
import type { AnyOf, Column, IdRange } from './search.ts';

/** Reads this many of the newest rows of a range. */
export type IndexScan = (range: IdRange, count: number, columns: RawBuilder<unknown>) => RawBuilder<unknown>;

/** Forces plans that read in the order of an index and never sort. */
export async function withIndexScans<T>(
  store: Store,
  work: (transaction: StoreTransaction) => Promise<T>,
): Promise<T> {
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      await sql`select set_config(name, 'off', true)
        from unnest(array['enable_sort', 'enable_incremental_sort', 'enable_seqscan', 'enable_bitmapscan', 'jit']) as name
        `.execute(transaction);
      return await work(transaction);
    });
}

export const isInRange = ({ lower, upper }: IdRange) => sql`id < ${upper}::uuid and id >= ${lower}::uuid`;

export const scanIds: IndexScan = (range, count, columns) => sql`
  select ${columns} from login_log where ${isInRange(range)} order by id desc limit ${count}`;

export function scanAnyOf({ column, values }: AnyOf): IndexScan {
  if (values.length === 1) return scanValue(column, sql`${values[0]}::${typeOf(column)}`);
  const ofValue = scanValue(column, sql`wanted.value`);
  return (range, count, columns) => sql`
    select found.* from unnest(${values}::${typeOf(column)}[]) as wanted (value)
    cross join lateral (${ofValue(range, count, columns)}) as found
    order by found.id desc limit ${count}`;
}

/**
 * An `=` would remove the first column of the index from the sort order, and the ids alone have an index too: along that one,
 * Postgres would search millions of rows for a value that did not occur lately.
 */
const scanValue = (column: Column, value: RawBuilder<unknown>): IndexScan => {
  const name = sql.ref(column);
  const bucket = buckets[column];
  const begins = (start: RawBuilder<unknown>, wanted: RawBuilder<unknown>) =>
    sql`${start} = any(array[${wanted}])`;
  const fits =
    bucket === undefined
      ? begins(name, value)
      : sql`${begins(bucket(name), bucket(value))} and ${name} = ${value}`;
  return (range, count, columns) => sql`
    select ${columns} from login_log where ${fits} and ${isInRange(range)}
    order by ${bucket?.(name) ?? name} desc, id desc limit ${count}`;
};

/** Buckets of values with which an index begins (0004-login-log.sql); the other indexes begin with the value. */
const buckets: { readonly [C in Column]?: (value: RawBuilder<unknown>) => RawBuilder<unknown> } = {
  username: (value) => sql`(hashtextextended(${value}, 0) & 1023)`,
  user_id: (value) => sql`(${value} & 1023)`,
};

export const isAnyOf = ({ column, values }: AnyOf) =>
  sql`${sql.ref(column)} = any(${values}::${typeOf(column)}[])`;

function typeOf(column: Column): RawBuilder<unknown> {
  switch (column) {
    case 'ip':
      return sql.raw('inet');
    case 'user_id':
      return sql.raw('bigint');
    default:
      return sql.raw('text');
  }
}
