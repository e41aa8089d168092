// Holds up parts of the product in the database, so that windows of a few microseconds stay open for as long as a test
// wants, and drops notifications. The product does not notice either.
import pg from 'pg';
import type { Database } from '../rig/create-database.ts';

/** What hangs while the test holds the lock of that number. */
const gates = { registration: 4711, firstReport: 4712, commit: 4713 } as const;
export type Gate = keyof typeof gates;

/** Triggers that wait at a gate: at a registration, at a first report, at the number of a change. */
export async function installGates(database: Database): Promise<void> {
  const triggers: Record<Gate, string> = {
    registration: 'before insert on instances for each row',
    // The row carries one time twice until it is first renewed.
    firstReport: 'before update on instances for each row when (old.renewed_at = old.started_at)',
    commit: 'after insert on revisions for each row',
  };
  for (const [gate, when] of Object.entries(triggers)) {
    const number = gates[gate as Gate];
    await database.query(
      `create function wait_at_${number}() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock_shared(${number}); return new; end $$`,
    );
    await database.query(`create trigger wait_at_${number} ${when} execute function wait_at_${number}()`);
  }
}

/** Replaces `pg_notify` by a function that the test can switch off: it is found before the function of Postgres. */
export async function installNotificationSwitch(
  database: Database,
): Promise<(areLost: boolean) => Promise<void>> {
  await database.query('create table lost_notifications ()');
  await database.query(
    `create function public.pg_notify(channel text, payload text) returns void language plpgsql as $$
     begin
       -- A start that receives no notification is refused, so only those of revisions are lost.
       if channel <> 'portcullis_revision' or not exists (select from lost_notifications) then
         perform pg_catalog.pg_notify(channel, payload);
       end if;
     end $$`,
  );
  await database.query(`do $$ begin
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
  end $$`);
  return async (areLost) => {
    await database.query(
      areLost ? 'insert into lost_notifications default values' : 'delete from lost_notifications',
    );
  };
}

export interface Holder {
  hold(): Promise<void>;
  /** Whether a transaction waits at the gate. */
  isAwaited(): Promise<boolean>;
  release(): Promise<void>;
  close(): Promise<void>;
}

export async function openHolders(database: Database): Promise<Record<Gate, Holder>> {
  return {
    registration: await openHolder(database, gates.registration),
    firstReport: await openHolder(database, gates.firstReport),
    commit: await openHolder(database, gates.commit),
  };
}

async function openHolder(database: Database, number: number): Promise<Holder> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    hold: async () => void (await client.query('select pg_advisory_lock($1)', [number])),
    release: async () => void (await client.query('select pg_advisory_unlock($1)', [number])),
    async isAwaited() {
      const { rows } = await client.query(
        `select from pg_locks where locktype = 'advisory' and objid = $1 and not granted
         and database = (select oid from pg_database where datname = current_database())`,
        [number],
      );
      return rows.length > 0;
    },
    close: () => client.end(),
  };
}
