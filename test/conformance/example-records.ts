// The records that the examples of the endpoints name, as they were before any call: each example then changes something.
import type { Database } from '../rig/create-database.ts';

const statements = `
  insert into roles (id, role_key, name, data_scope) values (7, 'writer', 'Writer', '5') on conflict do nothing;
  update roles set name = 'Writer', data_scope = '5', enabled = false, factor = 1 where id = 7;
  delete from rules where role_id = 7;
  insert into departments (id, name) values (7, 'Branch') on conflict do nothing;
  update departments set name = 'Branch', parent_id = null where id = 7;
  delete from erasures where user_id = 7;
  update users set username = 'otto', canonical_username = 'otto', nick_name = 'Otto', department_id = 1, role_id = 6, enabled = false, deleted_at = null, mail = null where id = 7;
  delete from users where username = 'mei';
  delete from roles where role_key = 'editor';
  insert into catalog (service, path, method, title) values ('orders', '/orders', 'GET', '') on conflict do nothing;
  delete from revocations where jti = 'yPb3sVQ0R2mXk1uTz9aLdw';
  insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at)
    select 'yPb3sVQ0R2mXk1uTz9aLdw', users.id, 'clerk', kid, users.epoch, now(), now() + interval '1 hour' from keys, users
    where signing and username = 'carl'
    on conflict (jti) do update set kid = excluded.kid, epoch = excluded.epoch;
  delete from webhooks;
  insert into webhooks (id, name, url, enabled, sealed_secret, audit_seq) overriding system value
    values (7, 'SIEM', 'https://siem.example.com', false, '', 0);
  insert into webhook_letters (n, hook_id, log, record_id, kind, object, recorded_at, state) overriding system value
    values (7, 7, 'audit', gen_random_uuid(), 'user.create', 'user 7', now(), 'dead')`;

/** In one statement, which takes a tenth of the time. */
export async function restoreExampleRecords({ query }: Database): Promise<void> {
  await query(statements);
}
