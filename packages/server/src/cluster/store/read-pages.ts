// Reads a long result page by page, inside a transaction.
import { type RawBuilder, sql } from 'kysely';
import type { StoreTransaction } from './store.ts';

const pageSize = 10_000;

/** The next page is fetched while the one before it is worked on. */
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
