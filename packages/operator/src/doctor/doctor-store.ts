// SQL of `portcullis doctor`. It only reads.

import { servicePrivileges } from '@portcullis/server/cluster/store/service-role.ts';
import { readStandbys, type Standbys } from '@portcullis/server/cluster/store/standby-store.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { adminRoleId } from '@portcullis/server/people/roles/role-store.ts';
import { sql } from 'kysely';

export interface ServerFacts extends Standbys {
  readonly version: string;
  readonly versionNumber: number;
  readonly role: string;
  readonly tls: string | null;
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly isReadOnly: boolean;
  readonly isInRecovery: boolean;
  /** The number of connections that roles without superuser rights can open. */
  readonly connectionLimit: number;
  /** Connections of other programs. */
  readonly foreignConnections: number;
}

/** Reads the settings as this role in this database has them: a setting can be changed for either. */
export async function readServerFacts(store: Store): Promise<ServerFacts> {
  const { rows } = await sql<Omit<ServerFacts, keyof Standbys>>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int as "versionNumber",
      current_user as role,
      (select ssl.version from pg_stat_ssl as ssl where ssl.pid = pg_backend_pid()) as tls,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites",
      current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      pg_is_in_recovery() as "isInRecovery",
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        - coalesce(current_setting('reserved_connections', true)::int, 0) as "connectionLimit",
      (select count(*) from pg_stat_activity
        where datid is not null and application_name <> 'portcullis') as "foreignConnections"
  `.execute(store);
  const [facts] = rows;
  if (facts === undefined) throw new Error('Postgres answered with nothing.');
  return { ...facts, ...(await readStandbys(store)) };
}

/** Milliseconds since 1970. */
export async function readClock(store: Store): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as at
  `.execute(store);
  return rows[0]?.at ?? Number.NaN;
}

/** The names of all executed migrations, including those that this program does not know. */
export async function listExecutedMigrations(store: Store): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(
    store,
  );
  return rows.map(({ name }) => name);
}

/** The privileges that the service needs and this connection's role does not have, such as `update on users`. */
export async function listMissingPrivileges(store: Store): Promise<string[]> {
  const needed = Object.entries(servicePrivileges).flatMap(([table, privileges]) =>
    privileges.map((privilege) => ({ table, privilege })),
  );
  const { rows } = await sql<{ name: string }>`
    select needed.privilege || ' on ' || needed.name as name
    from unnest(
      ${needed.map(({ table }) => table)}::text[], ${needed.map(({ privilege }) => privilege)}::text[]
    ) as needed (name, privilege)
    where not has_table_privilege(needed.name, needed.privilege)
  `.execute(store);
  return rows.map(({ name }) => name);
}

/** The current revision, and the time since when an instance has reported lost history. */
export async function readHistoryState(store: Store): Promise<{ n: number; lostAt: Date | null }> {
  return await store
    .selectFrom('current_revision')
    .select(['n', 'history_lost_at as lostAt'])
    .executeTakeFirstOrThrow();
}

export interface InstanceFacts {
  readonly version: string;
  readonly mode: string;
  readonly isStale: boolean;
  readonly isBehind: boolean;
}

const mostInstances = 10_000;

export async function readInstances(store: Store): Promise<InstanceFacts[]> {
  return await store
    .selectFrom(['instances', 'current_revision'])
    .select([
      'version',
      'mode',
      sql<boolean>`renewed_at + make_interval(secs => lease_milliseconds / 1000.0) < now()`.as('isStale'),
      sql<boolean>`revision < n`.as('isBehind'),
    ])
    .limit(mostInstances)
    .execute();
}

export interface AdministratorFacts {
  readonly users: number;
  /** Administrators who can log in. */
  readonly able: number;
  /** Some of the administrators whose password another person assigned. */
  readonly due: readonly string[];
}

export async function readAdministrators(store: Store): Promise<AdministratorFacts> {
  const { rows } = await sql<AdministratorFacts>`
    with able as (
      select username, password_due from users join roles on roles.id = users.role_id
      where roles.id = ${adminRoleId} and roles.enabled and users.enabled and deleted_at is null
    )
    select (select count(*) from users where deleted_at is null) as users,
      (select count(*) from able) as able,
      array(select username from able where password_due order by username limit 5) as due
  `.execute(store);
  return rows[0] ?? { users: 0, able: 0, due: [] };
}

export interface KeyFacts {
  /** The key that signs. */
  readonly kid: string | null;
  /** All keys of the mode, in every state. */
  readonly keys: number;
}

export async function readKeys(store: Store, dev: boolean): Promise<KeyFacts> {
  const { rows } = await sql<KeyFacts>`
    select max(kid) filter (where signing and retired_at is null) as kid, count(*) as keys
    from keys where dev = ${dev}
  `.execute(store);
  return rows[0] ?? { kid: null, keys: 0 };
}

export interface SealedSecret {
  readonly id: number;
  readonly userId: number;
  readonly username: string;
  readonly sealed: Buffer;
}

const secretsInBatch = 10_000;

/** The encrypted secrets of all confirmed authenticator apps. */
export async function* readSealedSecrets(store: Store): AsyncGenerator<SealedSecret> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { rows }: { rows: SealedSecret[] } = await sql<SealedSecret>`
      select credentials.id, user_id as "userId", username, sealed_secret as sealed
      from credentials join users on users.id = user_id
      where credentials.kind = 'totp' and confirmed_at is not null and ended_at is null and credentials.id > ${after}
      order by credentials.id limit ${secretsInBatch}
    `.execute(store);
    yield* rows;
    after = rows.at(-1)?.id;
  }
}

/** The keys of roles that require this factor or a stronger one. */
export async function listRolesDemanding(store: Store, factor: number): Promise<string[]> {
  const rows = await store
    .selectFrom('roles')
    .select('role_key')
    .where('factor', '>=', factor)
    .where('enabled', '=', true)
    .orderBy('role_key')
    .execute();
  return rows.map(({ role_key }) => role_key);
}

/** The number of users who can log in, whose role requires a second factor, and who have no factor. */
export async function countUsersWithout(store: Store): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from users join roles on roles.id = users.role_id
    where roles.factor > 1 and roles.enabled and users.enabled and deleted_at is null and not exists (
      select from credentials where user_id = users.id and confirmed_at is not null and ended_at is null
    )
  `.execute(store);
  return rows[0]?.n ?? 0;
}

export interface MonthFacts {
  readonly hasThisMonth: boolean;
  readonly ahead: number;
}

export async function readMonths(store: Store): Promise<MonthFacts> {
  const { rows } = await sql<MonthFacts>`
    with months as (
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'login_log'::regclass and relname ~ '^login_log_[0-9]{4}_[0-9]{2}$'
    ), this_month as (select to_char(now() at time zone 'UTC', '"login_log_"YYYY_MM') as name)
    select coalesce(bool_or(months.name = this_month.name), false) as "hasThisMonth",
      count(*) filter (where months.name > this_month.name) as ahead
    from months, this_month
  `.execute(store);
  return rows[0] ?? { hasThisMonth: false, ahead: 0 };
}

export async function countDeadLetters(store: Store): Promise<number> {
  const { count } = await store
    .selectFrom('login_log_dead_letters')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export async function countDeadMails(store: Store): Promise<{ dead: number; late: number }> {
  const { rows } = await sql<{ dead: number; late: number }>`
    select count(*) filter (where state = 'dead' and ended_at > now() - interval '7 days')::int as dead,
      count(*) filter (where state = 'queued' and created_at < now() - interval '1 hour')::int as late
    from mails`.execute(store);
  return rows[0] ?? { dead: 0, late: 0 };
}
