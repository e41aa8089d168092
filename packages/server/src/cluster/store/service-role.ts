// Database privileges of the service's role (least privilege): what the service needs. In the login log and the audit log it can
// only add records, and erase people.
import { sql } from 'kysely';
import { StartRefusal } from '../../base/values/start-refusal.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

type Privilege = 'select' | 'insert' | 'update' | 'delete';

const everything = ['select', 'insert', 'update', 'delete'] as const;
const addTo = ['select', 'insert'] as const;
const read = ['select'] as const;

export const servicePrivileges: Readonly<Record<keyof Tables, readonly Privilege[]>> = {
  departments: everything,
  roles: everything,
  users: everything,
  // Written by the database.
  user_words: read,
  role_departments: everything,
  rules: everything,
  rule_history: addTo,
  temporary_rules: everything,
  access_requests: everything,
  revisions: everything,
  current_revision: everything,
  instances: everything,
  revocations: everything,
  keys: everything,
  sessions: everything,
  credentials: everything,
  recovery_codes: everything,
  enrolment_codes: everything,
  login_attempts: everything,
  providers: everything,
  provider_mappings: everything,
  link_invitations: everything,
  link_attempts: everything,
  provider_logouts: everything,
  seen_ids: everything,
  used_assertions: everything,
  mails: everything,
  password_codes: everything,
  mail_counts: everything,
  captchas: everything,
  throttle: everything,
  devices: everything,
  login_log: addTo,
  login_log_counts: ['select', 'insert', 'update'],
  login_log_dead_letters: addTo,
  login_log_heads: addTo,
  catalog: everything,
  deployment: read,
  audit_log: addTo,
  // The database adds the records of these two.
  audit_log_chain: read,
  audit_log_end: read,
  audit_log_heads: addTo,
  audit_log_checkpoint: read,
  erasures: ['select', 'insert', 'update'],
  exclusion_uses: everything,
  // Written by the database.
  login_log_chains: read,
  webhooks: everything,
  webhook_places: everything,
  webhook_letters: everything,
  go_admin_menus: everything,
  go_admin_role_menus: everything,
  go_admin_config: everything,
};

/** Functions that overwrite the log records of a person who is being erased, and nothing else in the logs. */
const serviceFunctions = [
  'erase_login_records(bigint, uuid[], bytea[])',
  'erase_dead_letter(bigint, uuid, bytea, bytea)',
  'erase_audit_records(bigint, uuid[], bytea[])',
  'erase_rule_history(bigint)',
];

/** Tables of the migrator's own state. */
const migratorTables = ['kysely_migration', 'kysely_migration_lock', 'user_words_fill'];

/**
 * Grants the role what the service needs, and revokes everything else. Refuses a role that could still change the login log or
 * the audit log.
 */
export async function grantServiceRole(store: Store, role: string): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    const { rows } = await sql`select from pg_roles where rolname = ${role}`.execute(transaction);
    if (rows.length === 0)
      throw new StartRefusal([`The database has no role ${role}. Create it with \`createuser ${role}\`.`]);
    const { rows: parts } = await sql<{ name: string }>`
      select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
      where inhparent = 'login_log'::regclass
    `.execute(transaction);
    const grantee = sql.id(role);
    const tables = [...Object.keys(servicePrivileges), ...migratorTables];
    for (const table of [...tables, ...parts.map(({ name }) => name)])
      await sql`revoke all on ${sql.table(table)} from ${grantee}`.execute(transaction);
    const { rows: schemas } = await sql<{ name: string }>`select current_schema() as name`.execute(
      transaction,
    );
    for (const { name } of schemas)
      await sql`grant usage on schema ${sql.id(name)} to ${grantee}`.execute(transaction);
    for (const [table, privileges] of [
      ...Object.entries(servicePrivileges),
      ...migratorTables.map((table) => [table, read] as const),
    ])
      await sql`grant ${sql.raw(privileges.join(', '))} on ${sql.table(table)} to ${grantee}`.execute(
        transaction,
      );
    for (const name of serviceFunctions)
      await sql`grant execute on function ${sql.raw(name)} to ${grantee}`.execute(transaction);
    if (await mayRoleChangeLoginLog(transaction, role))
      throw new StartRefusal([
        `The role ${role} can still change the login log or the audit log: it owns the tables, is a superuser, or is a member of such a role. Run \`portcullis migrate\` with another role than the role of the service.`,
      ]);
  });
}

/** Whether the role of this connection can do more to the login log or the audit log than add records. */
export async function mayChangeLoginLog(store: Store): Promise<boolean> {
  const { rows } = await sql<{ role: string }>`select current_user as role`.execute(store);
  return await mayRoleChangeLoginLog(store, rows[0]?.role ?? '');
}

async function mayRoleChangeLoginLog(store: Store, role: string): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select bool_or(has_table_privilege(${role}, pg_class.oid, 'update, delete, truncate')) as may
    from pg_class
    where oid in ('login_log'::regclass, 'login_log_dead_letters'::regclass, 'login_log_heads'::regclass, 'audit_log'::regclass,
      'audit_log_chain'::regclass, 'audit_log_end'::regclass, 'audit_log_heads'::regclass,
      'audit_log_checkpoint'::regclass)
      or oid in (select inhrelid from pg_inherits where inhparent = 'login_log'::regclass)
  `.execute(store);
  return rows[0]?.may === true;
}
