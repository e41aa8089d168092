// SQL that inserts the demo data.

import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { firstAuditPosition } from '@portcullis/server/logs/audit/audit-chain.ts';
import { sql } from 'kysely';
import { departments, people, roles } from './company.ts';

interface Hashes {
  readonly administrator: string;
  /** The password hash of all other users: one hash takes as long as all the other inserts. */
  readonly others: string;
}

export async function insertCompany(store: Store, hashes: Hashes): Promise<void> {
  await store.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('departments')
      .values(departments.map(({ id, name, parentId }) => ({ id, name, parent_id: parentId })))
      .execute();
    await transaction
      .insertInto('roles')
      .values(
        roles.map(({ id, key, name, dataScope }) => ({ id, role_key: key, name, data_scope: dataScope })),
      )
      .execute();
    await transaction
      .insertInto('users')
      .values(
        people.map((person) => ({
          id: person.id,
          username: person.username,
          canonical_username: person.username,
          nick_name: person.name,
          department_id: person.departmentId,
          role_id: roles.find(({ key }) => key === person.role)?.id ?? 0,
          password_hash: person.role === 'admin' ? hashes.administrator : hashes.others,
          enabled: person.isEnabled ?? true,
        })),
      )
      .execute();
    for (const table of ['departments', 'roles', 'users'])
      await sql`alter table ${sql.table(table)} alter column id restart with 1000`.execute(transaction);
  });
}

/**
 * Claims a data folder that was prepared when the package was built, in another run of Postgres. No instance ran on it,
 * so its history lost no enforced change.
 */
export async function adoptTables(store: Store): Promise<void> {
  await sql`update current_revision set settled_in = database_incarnation()`.execute(store);
  await sql`update deployment set id = gen_random_uuid()`.execute(store);
  // The first position of the audit log's hash chain depends on the id of the deployment. The log has no record yet.
  const { seq, hash } = firstAuditPosition(await findDeployment(store));
  await store.updateTable('audit_log_end').set({ hash }).where('seq', '=', seq).execute();
}

/** Creates the partition of the previous month, which a service that has run for a month would have. */
export async function makeLastMonth(store: Store): Promise<void> {
  await sql`
    do $$
    declare
      this_month timestamp := date_trunc('month', now() at time zone 'UTC');
      last_month timestamp := this_month - interval '1 month';
    begin
      execute format(
        'create table if not exists %I partition of login_log for values from (%L) to (%L)',
        'login_log_' || to_char(last_month, 'YYYY_MM'),
        uuid_v7_bound(last_month at time zone 'UTC'), uuid_v7_bound(this_month at time zone 'UTC'));
    end
    $$
  `.execute(store);
}
