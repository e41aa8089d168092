// Inventory of personal data: every column of the database that can hold text or bytes, and whether it can name a person. The code
// of this folder erases those that can. A test compares the list with the database, so every new column must be classified.

/** `erased`: an erasure covers the column. The other kind: the column names no person, or only as a keyed hash. */
export type ColumnKind = 'erased' | 'impersonal';

type Columns = Readonly<Record<string, readonly string[]>>;

const erased: Columns = {
  users: ['username', 'canonical_username', 'nick_name', 'avatar', 'introduction', 'password_hash', 'mail'],
  // A trigger maintains this table, and deletes the words of a deleted user.
  user_words: ['word'],
  sessions: ['ip', 'user_agent', 'provider_session'],
  credentials: ['subject', 'name', 'public_part', 'sealed_secret', 'kind', 'groups'],
  recovery_codes: ['hash'],
  enrolment_codes: ['hash'],
  login_attempts: ['handle_hash', 'captcha_mac', 'passed', 'provider_session'],
  link_invitations: ['hash'],
  link_attempts: ['handle_hash', 'jti'],
  provider_logouts: ['value'],
  mails: ['id', 'kind', 'address', 'facts', 'state', 'reason'],
  password_codes: ['id', 'kind', 'hash'],
  access_requests: [...['method', 'path', 'pattern', 'reason', 'state', 'answered_by', 'note', 'given_path']],
  rule_history: ['username'],
  temporary_rules: ['given_by'],
  devices: ['key', 'account'],
  login_log: [
    ...['username', 'ip', 'user_agent', 'browser', 'os', 'platform', 'location', 'request_id', 'jti'],
  ],
  login_log_dead_letters: ['raw', 'cause'],
  audit_log: ['actor_name', 'before', 'after', 'request_id', 'ip'],
};

const impersonal: Columns = {
  users: ['kind'],
  providers: ['key', 'kind', 'name', 'settings', 'sealed_secret', 'provisioning', 'role_source'],
  provider_mappings: ['group_name'],
  // Says whether `value` (see above) is the provider's id of a session or of a person.
  provider_logouts: ['kind'],
  seen_ids: ['kind', 'id_hash'],
  used_assertions: ['id_hash'],
  mail_counts: ['key'],
  login_log_chains: ['chain', 'first_id', 'id'],
  webhooks: ['name', 'url', 'kinds', 'sealed_secret', 'sealed_previous', 'problem', 'held_by'],
  webhook_places: ['chain', 'id'],
  webhook_letters: ['log', 'record_id', 'kind', 'object', 'state', 'problem'],
  departments: ['name'],
  roles: ['role_key', 'name', 'data_scope'],
  rules: ['method', 'path'],
  rule_history: ['added', 'removed'],
  temporary_rules: ['method', 'path'],
  revisions: ['mark', 'changes', 'moves'],
  current_revision: ['mark', 'settled_in'],
  instances: ['id', 'version', 'mode', 'service', 'guards'],
  revocations: ['jti'],
  keys: ['kid', 'public_jwk', 'sealed_private'],
  sessions: ['jti', 'role_key', 'kid', 'method'],
  captchas: ['id', 'answer_hmac'],
  throttle: ['key', 'kind'],
  login_log: [
    'id',
    'role_key',
    'outcome',
    'reason',
    'instance',
    'method',
    'provider',
    'chain',
    'hash',
    'erasure',
    'seal',
  ],
  login_log_counts: ['reason'],
  login_log_dead_letters: ['id', 'chain', 'hash', 'erasure', 'seal'],
  login_log_heads: ['chain', 'hash', 'signature'],
  catalog: ['service', 'path', 'method', 'title', 'tag'],
  deployment: ['id'],
  audit_log: ['id', 'actor_role', 'action', 'target'],
  audit_log_chain: ['id', 'hash', 'erasure', 'seal'],
  audit_log_end: ['hash'],
  audit_log_heads: ['hash', 'signature'],
  audit_log_checkpoint: ['digest', 'signature'],
  erasures: ['id', 'reference', 'signature'],
  exclusion_uses: ['entry'],
  go_admin_menus: [...['kind', 'name', 'title', 'icon', 'path', 'component', 'permission', 'visible']],
  go_admin_config: ['name', 'value'],
};

export function kindOfColumn(table: string, column: string): ColumnKind | undefined {
  if (erased[table]?.includes(column)) return 'erased';
  return impersonal[table]?.includes(column) ? 'impersonal' : undefined;
}
