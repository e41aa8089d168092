// Types of the database tables for Kysely; the migrations create the tables.
import type {
  AccessRequestState,
  DeliveryState,
  EventLog,
  HttpMethod,
  MailKind,
  MailState,
  ProviderKindName,
  ProvisioningMode,
  RoleSource,
  UserKind,
} from '@portcullis/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** A rule as `rule_history` stores it. */
interface RuleInHistory {
  readonly method: string;
  readonly path: string;
}

export interface Tables {
  departments: {
    id: Generated<number>;
    parent_id: number | null;
    name: string;
    revision: GeneratedAlways<number>;
    created_at: GeneratedAlways<Date>;
  };
  roles: {
    id: Generated<number>;
    role_key: string;
    name: string;
    data_scope: string;
    enabled: Generated<boolean>;
    factor: Generated<number>;
    recorded_from: GeneratedAlways<number>;
    revision: GeneratedAlways<number>;
    created_at: GeneratedAlways<Date>;
  };
  users: {
    id: Generated<number>;
    kind: ColumnType<UserKind, UserKind | undefined, never>;
    username: string;
    canonical_username: string;
    nick_name: Generated<string>;
    avatar: Generated<string>;
    introduction: Generated<string>;
    /** Null only for a deleted user, like the role. */
    department_id: ColumnType<number, number, number | null>;
    role_id: ColumnType<number, number, number | null>;
    password_hash: string;
    password_due: Generated<boolean>;
    /** Maintained by the database: migration 0038 says when a provider decides about an account. */
    decided_by_provider: GeneratedAlways<boolean>;
    mail: Generated<string | null>;
    enabled: Generated<boolean>;
    epoch: Generated<number>;
    epoch_raised_at: Generated<Date | null>;
    deleted_at: Generated<Date | null>;
    revision: GeneratedAlways<number>;
    created_at: GeneratedAlways<Date>;
  };
  /** Maintained by the database. */
  user_words: {
    user_id: GeneratedAlways<number>;
    word: GeneratedAlways<string>;
    department_id: GeneratedAlways<number>;
  };
  role_departments: { role_id: number; department_id: number };
  rules: { role_id: number; method: string; path: string };
  temporary_rules: { role_id: number; method: string; path: string; ends_at: Date; given_by: string };
  access_requests: {
    id: GeneratedAlways<number>;
    user_id: number;
    method: HttpMethod;
    path: string;
    pattern: string;
    reason: string;
    seconds: number;
    asked_at: Generated<Date>;
    revision: GeneratedAlways<number>;
    state: Generated<AccessRequestState>;
    answered_by: Generated<string | null>;
    answered_at: Generated<Date | null>;
    note: Generated<string | null>;
    given_path: Generated<string | null>;
    ends_at: Generated<Date | null>;
  };
  rule_history: {
    role_id: number;
    revision: number;
    at: GeneratedAlways<Date>;
    user_id: number;
    username: string;
    added: ColumnType<RuleInHistory[], string, never>;
    removed: ColumnType<RuleInHistory[], string, never>;
    rolled_back_to: number | null;
  };
  revisions: {
    n: number;
    mark: string;
    changes: string;
    moves: Generated<string>;
    at: GeneratedAlways<Date>;
  };
  current_revision: {
    n: number;
    mark: string;
    lease_milliseconds: number;
    settled_in: string;
    history_lost_at: Date | null;
  };
  instances: {
    id: string;
    version: string;
    mode: string;
    revision: number;
    started_at: GeneratedAlways<Date>;
    renewed_at: Generated<Date>;
    guards: Generated<Record<string, number>>;
  };
  revocations: { jti: string; user_id: number; expires_at: Date; created_at: GeneratedAlways<Date> };
  keys: {
    kid: string;
    dev: boolean;
    public_jwk: string;
    sealed_private: Buffer | null;
    signing: boolean;
    deactivated_at: Generated<Date | null>;
    retired_at: Generated<Date | null>;
    created_at: GeneratedAlways<Date>;
  };
  sessions: {
    jti: string;
    user_id: number;
    role_key: string;
    kid: string;
    epoch: number;
    ip: string | null;
    user_agent: string | null;
    issued_at: Date;
    expires_at: Date;
    method: Generated<string>;
    credential_id: Generated<number | null>;
    factor: Generated<number>;
    provider_id: Generated<number | null>;
    provider_epoch: Generated<number | null>;
    provider_session: Generated<string | null>;
    link_id: Generated<number | null>;
    began_at: Generated<Date | null>;
  };
  credentials: {
    id: GeneratedAlways<number>;
    user_id: number;
    kind: string;
    factor: number;
    subject: Generated<string | null>;
    name: Generated<string>;
    public_part: ColumnType<unknown, string | null | undefined, string>;
    sealed_secret: Generated<Buffer | null>;
    counter: Generated<number>;
    provider_id: Generated<number | null>;
    groups: ColumnType<unknown, string | null | undefined, string | null>;
    confirmed_at: Generated<Date | null>;
    used_at: Generated<Date | null>;
    ended_at: Generated<Date | null>;
    created_at: GeneratedAlways<Date>;
  };
  used_assertions: { id_hash: Buffer; expires_at: Date };
  recovery_codes: { user_id: number; hash: Buffer; used_at: Generated<Date | null> };
  enrolment_codes: { user_id: number; hash: Buffer; expires_at: Date };
  login_attempts: {
    handle_hash: Buffer;
    captcha_mac: Buffer;
    user_id: Generated<number | null>;
    epoch: Generated<number | null>;
    passed: Generated<string[]>;
    credential_id: Generated<number | null>;
    provider_id: Generated<number | null>;
    provider_epoch: Generated<number | null>;
    provider_session: Generated<string | null>;
    link_id: Generated<number | null>;
    began_at: GeneratedAlways<Date>;
    tries: Generated<number>;
    expires_at: Date;
  };
  providers: {
    id: GeneratedAlways<number>;
    key: string;
    kind: ProviderKindName;
    name: string;
    enabled: Generated<boolean>;
    settings: ColumnType<unknown, string, string>;
    sealed_secret: Generated<Buffer | null>;
    provisioning: Generated<ProvisioningMode>;
    role_source: Generated<RoleSource>;
    role_id: Generated<number | null>;
    department_id: Generated<number | null>;
    is_default: Generated<boolean>;
    lifetime_seconds: Generated<number | null>;
    epoch: Generated<number>;
    settings_epoch: GeneratedAlways<number>;
    revision: GeneratedAlways<number>;
    created_at: GeneratedAlways<Date>;
  };
  provider_mappings: {
    provider_id: number;
    position: number;
    group_name: string;
    role_id: number;
    department_id: number | null;
  };
  link_invitations: { user_id: number; provider_id: number; hash: Buffer; expires_at: Date };
  link_attempts: { handle_hash: Buffer; user_id: number; provider_id: number; jti: string; expires_at: Date };
  provider_logouts: {
    provider_id: number;
    kind: 'session' | 'subject' | 'unnamed';
    value: string;
    ended_at: Date;
    expires_at: Date;
  };
  seen_ids: { kind: string; id_hash: Buffer; expires_at: Date };
  mails: {
    id: Generated<string>;
    kind: MailKind;
    user_id: Generated<number | null>;
    address: Generated<string | null>;
    facts: ColumnType<Readonly<Record<string, unknown>>, string | undefined, string>;
    state: Generated<MailState>;
    tries: Generated<number>;
    reason: Generated<string | null>;
    created_at: GeneratedAlways<Date>;
    next_at: Generated<Date>;
    ended_at: Generated<Date | null>;
  };
  password_codes: {
    id: string;
    user_id: number;
    kind: 'reset' | 'invitation';
    hash: Buffer;
    tries: Generated<number>;
    expires_at: Date;
  };
  mail_counts: { key: Buffer; day: Generated<Date>; n: Generated<number> };
  captchas: { id: string; answer_hmac: Buffer; expires_at: Date };
  throttle: { key: Buffer; kind: string; succeeded_at: Date | null; touched_on: Date };
  devices: { key: Buffer; account: Buffer; used_at: Date };
  login_log: {
    id: string;
    at: Date;
    username: string | null;
    user_id: number | null;
    role_key: string | null;
    outcome: string;
    reason: string;
    ip: string | null;
    user_agent: string | null;
    browser: string | null;
    os: string | null;
    platform: string | null;
    location: string | null;
    request_id: string;
    jti: string | null;
    instance: string;
    method: string | null;
    credential_id: number | null;
    provider: string | null;
    chain: string | null;
    seq: number | null;
    hash: Buffer | null;
    erasure: string | null;
    seal: Buffer | null;
  };
  login_log_counts: { hour: Date; reason: string; shard: number; n: number };
  login_log_dead_letters: {
    id: string;
    chain: string;
    seq: number;
    hash: Buffer;
    raw: Buffer;
    cause: string;
    erasure: Generated<string | null>;
    seal: Generated<Buffer | null>;
  };
  login_log_heads: {
    chain: string;
    seq: number;
    hash: Buffer;
    checkpoint: Generated<boolean>;
    at: Generated<Date>;
    signature: Buffer;
  };
  catalog: { service: string; path: string; method: HttpMethod; title: string; tag: string | null };
  deployment: { id: GeneratedAlways<string> };
  audit_log: {
    id: string;
    at: Date;
    actor_id: number;
    actor_name: string;
    actor_role: string;
    action: string;
    target: string;
    before: ColumnType<unknown, string | null, never>;
    after: ColumnType<unknown, string | null, never>;
    request_id: string;
    ip: string;
  };
  audit_log_chain: {
    seq: number;
    id: string;
    hash: Buffer;
    at: Generated<Date | null>;
    erasure: Generated<string | null>;
    seal: Generated<Buffer | null>;
  };
  audit_log_end: { seq: number; hash: Buffer };
  audit_log_heads: { seq: number; hash: Buffer; at: Generated<Date>; signature: Buffer };
  audit_log_checkpoint: { seq: number; swept_before: Date; digest: Buffer; signature: Buffer };
  erasures: {
    id: string;
    user_id: number;
    reference: Buffer;
    at: Date;
    signature: Buffer;
    login_records: Generated<number>;
    audit_records: Generated<number>;
    other_rows: Generated<number>;
    unsealed: Generated<number>;
    finished_at: Generated<Date | null>;
  };
  exclusion_uses: { entry: string; day: string; n: number };
  login_log_chains: { chain: string; first_seq: number; first_id: string; seq: number; id: string };
  webhooks: {
    id: GeneratedAlways<number>;
    name: string;
    url: string;
    kinds: string[];
    enabled: Generated<boolean>;
    sealed_secret: Buffer;
    sealed_previous: Generated<Buffer | null>;
    previous_until: Generated<Date | null>;
    revision: Generated<number>;
    audit_seq: number;
    delivered: Generated<number>;
    failed: Generated<number>;
    skipped: Generated<number>;
    gone: Generated<number>;
    failures_in_row: Generated<number>;
    rest_until: Generated<Date | null>;
    problem: Generated<string | null>;
    delivered_at: Generated<Date | null>;
    ended_at: Generated<Date | null>;
    created_at: GeneratedAlways<Date>;
    held_by: Generated<string | null>;
    held_until: Generated<Date | null>;
    held_revision: Generated<number | null>;
  };
  webhook_places: { hook_id: number; chain: string; seq: number; id: string };
  webhook_letters: {
    n: GeneratedAlways<number>;
    hook_id: number;
    log: EventLog;
    record_id: string;
    kind: string;
    object: string;
    recorded_at: Date;
    state: DeliveryState;
    tries: Generated<number>;
    next_at: Generated<Date>;
    problem: Generated<string | null>;
  };
  go_admin_menus: {
    id: number;
    parent_id: number;
    kind: 'M' | 'C' | 'F';
    name: string;
    title: string;
    icon: string;
    path: string;
    component: string;
    permission: string;
    visible: string;
    no_cache: boolean;
    sort: number;
  };
  go_admin_role_menus: { role_id: number; menu_id: number };
  go_admin_config: { name: string; value: string };
}
