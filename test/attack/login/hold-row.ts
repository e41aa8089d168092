// Holds the row of a user against everybody who would change it, until it is changed here.
import pg from 'pg';
import type { Database } from '../../rig/create-database.ts';

export interface HeldRow {
  /** How many of the server's connections wait for a lock. */
  countWaiting(): Promise<number>;
  /** Stores this hash and lets go. */
  update(passwordHash: string): Promise<void>;
}

export async function holdRow(database: Database, username: string): Promise<HeldRow> {
  const connection = new pg.Client({ connectionString: database.url });
  await connection.connect();
  await connection.query('begin');
  await connection.query('select from users where username = $1 for update', [username]);
  return {
    async countWaiting() {
      const [row] = await database.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
         where datname = current_database() and application_name = 'portcullis' and wait_event_type = 'Lock'`,
      );
      return row?.count ?? 0;
    },
    async update(passwordHash) {
      await connection.query('update users set password_hash = $2 where username = $1', [
        username,
        passwordHash,
      ]);
      await connection.query('commit');
      await connection.end();
    },
  };
}
