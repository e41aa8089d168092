// Every column of the schema that holds a time: rows that expire by it, with how long they are kept after it, or the reason
// why no background job deletes rows by it.

export interface Expiry {
  readonly table: string;
  readonly column: string;
  /** An interval of Postgres. */
  readonly keptFor: string;
  /** Whether the job compares the day and not the time; so it does with columns that hold a day. */
  readonly byDay?: true;
  /** Which rows expire by this column; all of them without it. */
  readonly where?: string;
  /** A row with this time; `n` differs from row to row. */
  readonly insert: (at: string, n: number) => string;
}

/** The ids of the records that the rows refer to. */
export const seeded = { user: 501, otherUser: 502, provider: 601, role: 701 } as const;
const { user, otherUser, provider, role } = seeded;

export const seed = `
  insert into departments (id, name) overriding system value values (801, 'Sweeping');
  insert into roles (id, role_key, name, data_scope) overriding system value values (${role}, 'sweeper', 'Sweeper', '5');
  insert into users (id, username, canonical_username, department_id, role_id, password_hash) overriding system value
    values (${user}, 'mei', 'mei', 801, ${role}, ''), (${otherUser}, 'kim', 'kim', 801, ${role}, '');
  insert into providers (id, key, kind, name, enabled, settings) overriding system value
    values (${provider}, 'elsewhere', 'oidc', 'Elsewhere', true, '{}')`;

const userOf = (n: number) => (n % 2 === 0 ? user : otherUser);
const bytesOf = (n: number) => `decode(md5('${n}'), 'hex')`;

export const expiries: readonly Expiry[] = [
  {
    table: 'captchas',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) =>
      `insert into captchas (id, answer_hmac, expires_at) values ('captcha ${n}', ${bytesOf(n)}, ${at})`,
  },
  {
    table: 'login_attempts',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) =>
      `insert into login_attempts (handle_hash, captcha_mac, expires_at) values (${bytesOf(n)}, '', ${at})`,
  },
  {
    table: 'link_attempts',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) => `insert into link_attempts (handle_hash, user_id, provider_id, jti, expires_at)
      values (${bytesOf(n)}, ${user}, ${provider}, 'jti', ${at})`,
  },
  {
    table: 'link_invitations',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) => `insert into link_invitations (user_id, provider_id, hash, expires_at)
      values (${userOf(n)}, ${provider}, ${bytesOf(n)}, ${at})`,
  },
  {
    table: 'provider_logouts',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) => `insert into provider_logouts (provider_id, kind, value, ended_at, expires_at)
      values (${provider}, 'subject', 'subject ${n}', ${at}, ${at})`,
  },
  {
    table: 'seen_ids',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) =>
      `insert into seen_ids (kind, id_hash, expires_at) values ('logout', ${bytesOf(n)}, ${at})`,
  },
  {
    table: 'used_assertions',
    column: 'expires_at',
    keptFor: '1 hour',
    insert: (at, n) => `insert into used_assertions (id_hash, expires_at) values (${bytesOf(n)}, ${at})`,
  },
  {
    table: 'password_codes',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) => `insert into password_codes (id, user_id, kind, hash, expires_at)
      values (gen_random_uuid(), ${userOf(n)}, 'reset', ${bytesOf(n)}, ${at})`,
  },
  {
    table: 'mail_counts',
    column: 'day',
    keptFor: '2 days',
    insert: (at, n) => `insert into mail_counts (key, day) values (${bytesOf(n)}, ${at})`,
  },
  {
    table: 'mails',
    column: 'ended_at',
    keptFor: '30 days',
    insert: (at) => `insert into mails (kind, user_id, state, ended_at, created_at)
      values ('password_changed', ${user}, 'sent', ${at}, ${at})`,
  },
  {
    table: 'mails',
    column: 'created_at',
    where: `state = 'queued'`,
    // Without a server for mail.
    keptFor: '1 day',
    insert: (at) =>
      `insert into mails (kind, user_id, created_at) values ('password_changed', ${user}, ${at})`,
  },
  {
    table: 'enrolment_codes',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) =>
      `insert into enrolment_codes (user_id, hash, expires_at) values (${userOf(n)}, ${bytesOf(n)}, ${at})`,
  },
  {
    table: 'credentials',
    column: 'created_at',
    where: 'confirmed_at is null',
    keptFor: '24 hours',
    insert: (at) =>
      `insert into credentials (user_id, kind, factor, created_at) values (${user}, 'totp', 2, ${at})`,
  },
  {
    table: 'access_requests',
    column: 'asked_at',
    keptFor: '90 days',
    insert: (
      at,
      n,
    ) => `insert into access_requests (user_id, method, path, pattern, reason, seconds, asked_at)
      values (${user}, 'GET', '/${n}', '/${n}', '', 60, ${at})`,
  },
  {
    table: 'temporary_rules',
    column: 'ends_at',
    keptFor: '0',
    insert: (at, n) => `insert into temporary_rules (role_id, path, method, ends_at, given_by)
      values (${role}, '/${n}', 'GET', ${at}, 'mei')`,
  },
  {
    table: 'sessions',
    column: 'expires_at',
    keptFor: '0',
    insert: (at, n) => `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at)
      values ('jti ${n}', ${user}, 'sweeper', 'kid', 1, now(), ${at})`,
  },
  {
    table: 'revocations',
    column: 'expires_at',
    keptFor: '1 minute',
    insert: (at, n) =>
      `insert into revocations (jti, user_id, expires_at) values ('ended ${n}', ${user}, ${at})`,
  },
  {
    table: 'revisions',
    column: 'at',
    where: `changes = '[]'`,
    keptFor: '1 day',
    // Made anew it would have to fit into the history, which the service follows.
    insert: (at, n) => `update revisions set at = ${at} where n = (
      select n from revisions where changes = '[]' and n < (select n from current_revision)
      order by n offset ${n % 2} limit 1)`,
  },
  {
    table: 'throttle',
    column: 'touched_on',
    where: 'succeeded_at is null',
    keptFor: '3 days',
    insert: (at, n) => `insert into throttle (key, kind, touched_on) values (${bytesOf(n)}, 'pair', ${at})`,
  },
  {
    table: 'throttle',
    column: 'touched_on',
    where: 'succeeded_at is not null',
    keptFor: '91 days',
    insert: (at, n) => `insert into throttle (key, kind, touched_on, succeeded_at)
      values (${bytesOf(n)}, 'network', ${at}, ${at})`,
  },
  {
    table: 'devices',
    column: 'used_at',
    keptFor: '91 days',
    byDay: true,
    insert: (at, n) =>
      `insert into devices (key, account, used_at) values (${bytesOf(n)}, ${bytesOf(n)}, ${at})`,
  },
];

const happened = 'it tells when something happened to a row that stays';
const logged = 'records of the logs stay until the operator sweeps them, so that every sweep can be signed';
const counted = 'the row itself expires by another column';

/** As `table.column`. */
export const lasting: Readonly<Record<string, string>> = {
  'access_requests.answered_at': counted,
  'access_requests.ends_at':
    'the end of the temporary rule; the request itself is kept as long as all others',
  'audit_log.at': logged,
  'audit_log_chain.at': logged,
  'audit_log_checkpoint.swept_before': logged,
  'audit_log_heads.at': logged,
  'credentials.confirmed_at': happened,
  'credentials.ended_at':
    'an ended credential stays, so that its subject and its counter are never used again',
  'credentials.used_at': happened,
  'current_revision.history_lost_at': 'a latch: `portcullis recover` opens it',
  'departments.created_at': happened,
  'devices.failed_at': counted,
  'devices.lapses_at': counted,
  'erasures.at': 'a receipt stays',
  'erasures.finished_at': 'a receipt stays',
  'exclusion_uses.day': 'the next use that is counted deletes the days that no page shows',
  'instances.renewed_at': 'the barrier of the next change removes the row of a silent instance',
  'instances.started_at': happened,
  'keys.created_at': happened,
  'keys.deactivated_at': happened,
  'keys.retired_at': 'a retired key stays known, so that its id is refused for good',
  'login_attempts.began_at': counted,
  'login_log.at': logged,
  'login_log_counts.hour': logged,
  'login_log_heads.at': logged,
  'mails.next_at': counted,
  'provider_logouts.ended_at': counted,
  'providers.created_at': happened,
  'recovery_codes.used_at': 'a used code stays until its owner makes new codes',
  'revocations.created_at': counted,
  'roles.created_at': happened,
  'rule_history.at': 'the history of rules stays',
  'sessions.began_at': counted,
  'sessions.issued_at': counted,
  'throttle.failed_at': counted,
  'throttle.lapses_at': counted,
  'throttle.succeeded_at': counted,
  'users.created_at': happened,
  'users.deleted_at': 'a deleted user stays for the logs; an erasure removes the name',
  'users.epoch_raised_at': happened,
  'webhook_letters.next_at': 'an event waits until it is delivered, skipped, or its webhook is deleted',
  'webhook_letters.recorded_at': 'an event waits until it is delivered, skipped, or its webhook is deleted',
  'webhooks.created_at': happened,
  'webhooks.delivered_at': happened,
  'webhooks.ended_at': happened,
  'webhooks.held_until': 'a lease on the webhook, which stays',
  'webhooks.previous_until': 'the deliverer compares it with the clock before it signs',
  'webhooks.rest_until': happened,
};
