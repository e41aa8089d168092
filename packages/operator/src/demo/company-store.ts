// SQL of the demo's first data.

import { findDeployment } from '@portcullis/server/cluster/store/deployment.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { firstAuditPosition } from '@portcullis/server/logs/audit/audit-chain.ts';
import { sql } from 'kysely';
import { departments, people, roles } from './company.ts';

interface Hashes {
  readonly administrator: string;
  /** Of everybody else: one hash takes as long as all the rest. */
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
 * Tables that come from the package were made in another run of Postgres. No instance ran there, so nothing that one
 * enforced was lost with it.
 */
export async function adoptTables(store: Store): Promise<void> {
  await sql`update current_revision set settled_in = database_incarnation()`.execute(store);
  await sql`update deployment set id = gen_random_uuid()`.execute(store);
  // The chain of the audit log, which has no record yet, begins with the deployment's id.
  const { seq, hash } = firstAuditPosition(await findDeployment(store));
  await store.updateTable('audit_log_end').set({ hash }).where('seq', '=', seq).execute();
}

/** The month before this one has its table too, as it has in a service that has run for a while. */
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
