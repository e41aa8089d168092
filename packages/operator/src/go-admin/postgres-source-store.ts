// Reads go-admin from Postgres.
import pg from 'pg';
import {
  interrupted,
  rowsPerPage,
  type Source,
  type SourceQuery,
  type SourceRow,
  unreachable,
} from './source.ts';

export async function openPostgresSource(url: string): Promise<Source> {
  const client = await connect(url).catch((error: unknown) => {
    throw unreachable(error);
  });
  const query = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
    (
      await client.query<Row>(text, values).catch((error: unknown) => {
        throw interrupted(error);
      })
    ).rows;
  await query('begin isolation level repeatable read, read only');
  return {
    kind: 'Postgres',
    async listColumns(table) {
      const rows = await query<{ name: string }>(
        `select column_name as name from information_schema.columns
         where table_schema = any(current_schemas(false)) and table_name = $1`,
        [table],
      );
      return new Set(rows.map(({ name }) => name));
    },
    async *readPages({ table, columns, orderBy }: SourceQuery) {
      const texts = columns.map((column) => `cast(${column} as text) as ${column}`).join(', ');
      const order = orderBy === undefined ? '' : ` order by ${table}.${orderBy}`;
      await query(`declare pages no scroll cursor for select ${texts} from ${table}${order}`);
      for (;;) {
        const rows = await query<SourceRow>(`fetch ${rowsPerPage} from pages`);
        if (rows.length > 0) yield rows;
        if (rows.length < rowsPerPage) break;
      }
      await query('close pages');
    },
    close: () => client.end(),
  };
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    application_name: 'portcullis import',
  });
  // An error of the connection also fails its query. Without a listener it would end the process.
  client.on('error', () => {});
  await client.connect();
  return client;
}
