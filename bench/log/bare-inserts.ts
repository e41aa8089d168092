// The baseline of the login log benchmark: inserts the same rows with one prepared statement of
// many rows, and nothing else.
import pg from 'pg';
import type { ChainedRow } from '../../packages/server/src/logs/login-log/login-row.ts';

const rowsAStatement = 1000;

/** The seconds until all rows are in the table. */
export async function insertAll(url: string, rows: readonly ChainedRow[]): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const startedAt = performance.now();
    for (let first = 0; first < rows.length; first += rowsAStatement) {
      const some = rows.slice(first, first + rowsAStatement);
      await client.query({
        name: `insert ${some.length}`,
        text: statementFor(some),
        values: some.flatMap((row) => Object.values(row)),
      });
    }
    return (performance.now() - startedAt) / 1000;
  } finally {
    await client.end();
  }
}

function statementFor(rows: readonly ChainedRow[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const places = rows.map((_, row) => {
    return `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`;
  });
  return `insert into login_log (${columns}) values ${places}`;
}
