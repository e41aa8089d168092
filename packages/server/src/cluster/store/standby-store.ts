// SQL of the standbys: which ones are synchronous, so that a commit waits for them, as the server reports it.
import { sql } from 'kysely';
import type { Store } from './store.ts';

export interface Standbys {
  readonly synchronousCommit: string;
  readonly synchronousStandbyNames: string;
  /** All connected standbys, synchronous or not. */
  readonly standbys: number;
  /** Those that a commit waits for; null when the role is not allowed to see it. */
  readonly synchronousStandbys: number | null;
  /** Those that the list names, also when others come before them; null likewise. */
  readonly listedStandbys: number | null;
  /** Patroni lists another standby when one is lost. */
  readonly hasPatroni: boolean;
}

/** For this role in this database, because a setting can be changed for either. */
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

/** The number of standbys that have a change before its call returns. */
export function countSynchronous(found: Standbys): number {
  const { synchronousCommit, synchronousStandbyNames, standbys, synchronousStandbys } = found;
  if (synchronousStandbyNames === '' || ['off', 'local'].includes(synchronousCommit)) return 0;
  return synchronousStandbys ?? standbys;
}

/** Whether the loss of one standby makes every change wait. */
export function hasNoneToSpare({ standbys, listedStandbys, hasPatroni, ...found }: Standbys): boolean {
  const [, needed = '1'] = /^\s*(?:(?:first|any)\s+)?(\d+)\s*\(/i.exec(found.synchronousStandbyNames) ?? [];
  return (hasPatroni ? standbys : (listedStandbys ?? standbys)) <= Number(needed);
}
