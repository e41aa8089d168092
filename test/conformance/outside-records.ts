// A person and a service account of another department, with records of every kind that name them. Their ids are those that
// the examples of the endpoints use, so that each example is a call about them.
import type { Database } from '../rig/create-database.ts';
import { restoreExampleRecords } from './example-records.ts';

/** In every text about them, and nowhere else. */
export const canary = 'outside-canary';
export const person = 7;
export const serviceAccount = 8;
export const serviceKey = 21;

const records = `
  delete from access_requests;
  delete from temporary_rules;
  update users set password_hash = (select password_hash from users where username = 'carl') where username in ('ada', 'bela');
  -- A record of the audit log is shown to everyone who sees the person who made the change.
  update users set department_id = 7 where username = 'ada';
  delete from mails;
  delete from credentials where user_id in (${person}, ${serviceAccount});
  delete from link_invitations where user_id = ${person};
  insert into providers (id, key, kind, name, enabled, settings) overriding system value
    values (1, 'first', 'oidc', 'First', true, '{}'), (2, 'second', 'oidc', 'Second', true, '{}') on conflict do nothing;
  update providers set provisioning = 'invited' where id = 1;
  update users set username = '${canary}', canonical_username = '${canary}', nick_name = '${canary}', mail = '${canary}@example.com',
      department_id = 7, role_id = 3, enabled = true,
      password_hash = (select password_hash from users where username = 'carl')
    where id = ${person};
  update users set department_id = 7 where id = ${serviceAccount};
  insert into users (id, username, canonical_username, nick_name, department_id, role_id, password_hash, kind) overriding system value
    values (${serviceAccount}, '${canary}-robot', '${canary}-robot', '${canary}', 7, 3, '!', 'service') on conflict do nothing;
  insert into credentials (id, user_id, kind, factor, name, provider_id, subject, public_part, confirmed_at)
    overriding system value values
      (1, ${person}, 'link', 1, '${canary} link', 2, '${canary} subject', null, now()),
      (7, ${person}, 'totp', 2, '${canary} phone', null, null, null, now()),
      (${serviceKey}, ${serviceAccount}, 'key', 1, '${canary} key', null, '${canary}', '{}', now());
  insert into link_invitations (user_id, provider_id, hash, expires_at)
    values (${person}, 1, '\\x00', now() + interval '1 hour');
  update sessions set user_id = ${person}, user_agent = '${canary}', epoch = (select epoch from users where id = ${person})
    where jti = 'yPb3sVQ0R2mXk1uTz9aLdw';
  insert into access_requests (id, user_id, method, path, pattern, reason, seconds) overriding system value
    values (7, ${person}, 'GET', '/api/v1/roles/7', '/api/v1/roles/:id', '${canary}', 28800);
  insert into mails (id, kind, user_id, address, state, ended_at, reason) values
    ('0197f3a0-5c1e-7b2d-9e4f-3a6b8c0d1e2f', 'password_changed', ${person}, '${canary}@example.com', 'dead', now(), '${canary} is unknown'),
    (gen_random_uuid(), 'password_reset', null, 'nobody-${canary}@example.com', 'dead', now(), 'nobody-${canary} is unknown')`;

/** Rows that the service adds get other ids. */
export async function leaveIdsFree({ query }: Database): Promise<void> {
  for (const table of ['users', 'credentials', 'providers', 'access_requests'])
    await query(`alter table ${table} alter column id restart with 1000`);
}

export async function restoreOutsideRecords(database: Database): Promise<void> {
  await restoreExampleRecords(database);
  await database.query(records);
}

/** Into the department of the callers: everything of them is inside the data scope then. */
export async function moveInside({ query }: Database): Promise<void> {
  await query(`update users set department_id = 1 where id in (${person}, ${serviceAccount})`);
}

/** Everything stored about the two, except in the logs. */
export async function readOutside({ query }: Database): Promise<string> {
  const tables = await query<{ name: string }>(`
    select columns.table_name as name from information_schema.columns
    join pg_class on pg_class.oid = format('%I.%I', table_schema, columns.table_name)::regclass
    where table_schema = current_schema() and column_name = 'user_id' and relkind in ('r', 'p') and not relispartition
      and columns.table_name not in ('login_log', 'rule_history')
    order by 1`);
  const parts = [
    `select 'users ' || users::text as row from users where id in (${person}, ${serviceAccount})`,
    ...tables.map(
      ({ name }) =>
        `select '${name} ' || ${name}::text from ${name} where user_id in (${person}, ${serviceAccount})`,
    ),
  ];
  const rows = await query<{ row: string }>(
    `select row from (${parts.join(' union all ')}) as all_rows order by 1`,
  );
  return rows.map(({ row }) => row).join('\n');
}

/** Two records of the audit log about the person: one of the person, and one of a person in the department of the caller. */
export async function addAuditRecords({ query }: Database): Promise<void> {
  for (const [actor, name, values] of [
    [person, canary, { name: canary }],
    [2, 'carl', { enabled: true }],
  ] as const)
    await query(
      `insert into audit_log (id, at, actor_id, actor_name, actor_role, action, target, before, after, request_id, ip)
       values (gen_random_uuid(), now(), $1, $2, 'guest', 'user.update', 'user ${person}', $3, null, 'r', '203.0.113.9')`,
      [actor, name, JSON.stringify(values)],
    );
}
