// The tables as Kysely sees them; the migrations are what makes them.
import type { AccessRequestState, HttpMethod } from '@portcullis/contract';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** As `rule_history` keeps it. */
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
    username: string;
    canonical_username: string;
    nick_name: Generated<string>;
    avatar: Generated<string>;
    introduction: Generated<string>;
    /** Null, like the role, only of a deleted user. */
    department_id: ColumnType<number, number, number | null>;
    role_id: ColumnType<number, number, number | null>;
    password_hash: string;
    password_due: Generated<boolean>;
    enabled: Generated<boolean>;
    epoch: Generated<number>;
    epoch_raised_at: Generated<Date | null>;
    deleted_at: Generated<Date | null>;
    revision: GeneratedAlways<number>;
    created_at: GeneratedAlways<Date>;
  };
  /** The database keeps it. */
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
    service: Generated<string | null>;
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
    confirmed_at: Generated<Date | null>;
    used_at: Generated<Date | null>;
    ended_at: Generated<Date | null>;
    created_at: GeneratedAlways<Date>;
  };
  recovery_codes: { user_id: number; hash: Buffer; used_at: Generated<Date | null> };
  enrolment_codes: { user_id: number; hash: Buffer; expires_at: Date };
  login_attempts: {
    handle_hash: Buffer;
    captcha_mac: Buffer;
    user_id: Generated<number | null>;
    epoch: Generated<number | null>;
    passed: Generated<string[]>;
    credential_id: Generated<number | null>;
    tries: Generated<number>;
    expires_at: Date;
  };
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
    chain: string | null;
    seq: number | null;
    hash: Buffer | null;
  };
  login_log_counts: { hour: Date; reason: string; shard: number; n: number };
  login_log_dead_letters: {
    id: string;
    chain: string;
    seq: number;
    hash: Buffer;
    raw: Buffer;
    cause: string;
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
  audit_log_chain: { seq: number; id: string; hash: Buffer; at: Generated<Date | null> };
  audit_log_end: { seq: number; hash: Buffer };
  audit_log_heads: { seq: number; hash: Buffer; at: Generated<Date>; signature: Buffer };
  audit_log_checkpoint: { seq: number; swept_before: Date; digest: Buffer; signature: Buffer };
  exclusion_uses: { entry: string; day: string; n: number };
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
