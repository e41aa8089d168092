// Streams a long result in pages through a database cursor, inside a transaction.
import { type RawBuilder, sql } from 'kysely';
import type { StoreTransaction } from './store.ts';

const pageSize = 10_000;

/** Fetches the next page while the caller works on the current one. */
export async function* readPages<Row>(
  transaction: StoreTransaction,
  cursor: string,
  query: RawBuilder<unknown>,
): AsyncGenerator<Row[]> {
  const name = sql.id(cursor);
  await sql`declare ${name} no scroll cursor for ${query}`.execute(transaction);
  const fetchPage = () => sql<Row>`fetch ${sql.lit(pageSize)} from ${name}`.execute(transaction);
  for (let next = fetchPage(); ; ) {
    const { rows } = await next;
    if (rows.length === 0) break;
    next = fetchPage();
    next.catch(() => {});
    yield rows;
  }
  await sql`close ${name}`.execute(transaction);
}
