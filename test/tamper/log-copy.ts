// A copy of the log as it was written: tamperings choose their targets from it, and their changes
// are undone from it.
import type pg from 'pg';

export interface Place {
  readonly id: string;
  readonly chain: string;
  readonly seq: number;
  /** Whether it is a rejected record. */
  readonly isRejected: boolean;
}

/** What the database holds of a chain. */
export interface ChainPlaces {
  readonly chain: string;
  readonly places: readonly Place[];
  readonly checkpoint: number | undefined;
  readonly head: number | undefined;
}

const tables = { login_log: 'id', login_log_dead_letters: 'id', login_log_heads: 'chain, seq, checkpoint' };

export async function copyLog(client: pg.Client): Promise<ChainPlaces[]> {
  for (const table of Object.keys(tables))
    await client.query(`create table pristine_${table} as table ${table}`);
  const { rows: places } = await client.query<Place>(`
    select id, chain, seq::int, false as "isRejected" from login_log where chain is not null
    union all select id, chain, seq::int, true from login_log_dead_letters order by chain, seq`);
  const { rows: heads } = await client.query<{ chain: string; seq: number; checkpoint: boolean }>(
    'select chain, seq::int, checkpoint from login_log_heads order by seq',
  );
  const byChain = Map.groupBy(places, ({ chain }) => chain);
  // A chain whose records were all rejected has no row to tamper with.
  const tangible = [...byChain].filter(([, own]) => own.some(({ isRejected }) => !isRejected));
  return tangible.map(([chain, own]) => {
    const signed = heads.filter((head) => head.chain === chain);
    return {
      chain,
      places: own,
      checkpoint: signed.findLast(({ checkpoint }) => checkpoint)?.seq,
      head: signed.findLast(({ checkpoint }) => !checkpoint)?.seq,
    };
  });
}

export async function undo(client: pg.Client): Promise<void> {
  for (const [table, key] of Object.entries(tables)) {
    const same = key
      .split(', ')
      .map((column) => `was.${column} = is_now.${column}`)
      .join(' and ');
    await client.query(`
      delete from ${table} is_now where not exists (
        select from pristine_${table} was where ${same} and was.* is not distinct from is_now.*)`);
    await client.query(`insert into ${table} select * from pristine_${table} on conflict do nothing`);
  }
}
