// Which standbys a commit waits for, as the server says it.
import { sql } from 'kysely';
import type { Store } from './store.ts';

export interface Standbys {
  readonly synchronousCommit: string;
  readonly synchronousStandbyNames: string;
  /** Those that are connected, whatever they are to the primary. */
  readonly standbys: number;
  /** Of those, the ones that a commit waits for; null where the role may not see it. */
  readonly synchronousStandbys: number | null;
  /** Of those, the ones that the list names, also where others come before them; null likewise. */
  readonly listedStandbys: number | null;
  /** Patroni puts another standby into the list where one is lost. */
  readonly hasPatroni: boolean;
}

/** As this role in this database has them: a setting may be changed for either. */
export async function readStandbys(store: Store): Promise<Standbys> {
  const { rows } = await sql<Standbys>`
    select current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('synchronous_standby_names') as "synchronousStandbyNames",
      count(*) as standbys,
      case when bool_or(sync_state is null) then null
        else count(*) filter (where sync_state in ('sync', 'quorum')) end as "synchronousStandbys",
      case when bool_or(sync_state is null) then null
        else count(*) filter (where sync_state <> 'async') end as "listedStandbys",
      exists (select from pg_stat_activity where application_name like 'Patroni%') as "hasPatroni"
    from pg_stat_replication
  `.execute(store);
  const [standbys] = rows;
  if (standbys === undefined) throw new Error('Postgres answered with nothing.');
  return standbys;
}

/** How many have a change before its call returns. */
export function countSynchronous(found: Standbys): number {
  const { synchronousCommit, synchronousStandbyNames, standbys, synchronousStandbys } = found;
  if (synchronousStandbyNames === '' || ['off', 'local'].includes(synchronousCommit)) return 0;
  return synchronousStandbys ?? standbys;
}

/** Whether the loss of one of them makes every change wait. */
export function hasNoneToSpare({ standbys, listedStandbys, hasPatroni, ...found }: Standbys): boolean {
  const [, needed = '1'] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(found.synchronousStandbyNames) ?? [];
  return (hasPatroni ? standbys : (listedStandbys ?? standbys)) <= Number(needed);
}
