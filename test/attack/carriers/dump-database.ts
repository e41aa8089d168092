// The whole content of a database as text, table by table: to search it, or to see that nothing changed.
import type { Database } from '../../rig/create-database.ts';

export async function dumpDatabase(database: Database): Promise<Map<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const dump = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await database.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    dump.set(name, rows.map(({ row }) => row).join('\n'));
  }
  return dump;
}
