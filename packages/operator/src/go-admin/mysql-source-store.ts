// Reads go-admin from MySQL or MariaDB. The driver is an optional peer dependency, because only
// imports from MySQL need it.
import type { Connection, ConnectionOptions } from 'mysql2';
import {
  interrupted,
  rowsPerPage,
  type Source,
  SourceFailure,
  type SourceQuery,
  type SourceRow,
  unreachable,
} from './source.ts';

export async function openMysqlSource(url: URL): Promise<Source> {
  const connection = await connect(url);
  const query = async (text: string, values: string[] = []): Promise<SourceRow[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<SourceRow[]>();
    connection.query(text, values, (error, rows) =>
      error === null ? resolve(rows as unknown as SourceRow[]) : reject(interrupted(error)),
    );
    return await promise;
  };
  await query('set session transaction isolation level repeatable read');
  await query('start transaction with consistent snapshot, read only');
  return {
    kind: 'MySQL',
    async listColumns(table) {
      const rows = await query(
        `select column_name as name from information_schema.columns
         where table_schema = database() and table_name = ?`,
        [table],
      );
      return new Set(rows.flatMap(({ name }) => name ?? []));
    },
    async *readPages({ table, columns, orderBy }: SourceQuery) {
      const texts = columns.map((column) => `cast(${column} as char) as ${column}`).join(', ');
      const order = orderBy === undefined ? '' : ` order by ${table}.${orderBy}`;
      const rows = connection.query(`select ${texts} from ${table}${order}`).stream({ highWaterMark: 1000 });
      let page: SourceRow[] = [];
      try {
        for await (const row of rows as AsyncIterable<SourceRow>) {
          page.push(row);
          if (page.length < rowsPerPage) continue;
          yield page;
          page = [];
        }
      } catch (error) {
        throw interrupted(error);
      }
      if (page.length > 0) yield page;
    },
    // Destroys the connection without a quit command: in the middle of a result the server would
    // first send the rest of it.
    close: async () => connection.destroy(),
  };
}

async function connect(url: URL): Promise<Connection> {
  const { createConnection } = await loadDriver();
  const { promise, resolve, reject } = Promise.withResolvers<Connection>();
  const connection = createConnection(optionsOf(url));
  // An error of the connection also fails its query. Without a listener it would end the process.
  connection.on('error', () => {});
  connection.connect((error) => (error === null ? resolve(connection) : reject(unreachable(error))));
  return await promise;
}

async function loadDriver(): Promise<typeof import('mysql2')> {
  try {
    return (await import('mysql2')).default;
  } catch (error) {
    throw new SourceFailure('MySQL needs its driver. Run `npm install mysql2`, then the import again.', {
      cause: error,
    });
  }
}

/** `?ssl=true` verifies the server's certificate, as a browser does. */
function optionsOf(url: URL): ConnectionOptions {
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(url.port || 3306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    charset: 'utf8mb4',
    connectTimeout: 10_000,
    ...(url.searchParams.get('ssl') === 'true' ? { ssl: { rejectUnauthorized: true } } : {}),
  };
}
