// The tables as Kysely sees them; the migrations are what makes them.
import type { HttpMethod } from '@portcullis/contract';
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
    created_at: GeneratedAlways<Date>;
  };
  roles: {
    id: Generated<number>;
    role_key: string;
    name: string;
    data_scope: string;
    enabled: Generated<boolean>;
    recorded_from: GeneratedAlways<number>;
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
    created_at: GeneratedAlways<Date>;
  };
  role_departments: { role_id: number; department_id: number };
  rules: { role_id: number; method: string; path: string };
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
  revisions: { n: number; mark: string; changes: string; at: GeneratedAlways<Date> };
  current_revision: { n: number; mark: string; lease_milliseconds: number; settled_in: string };
  instances: {
    id: string;
    version: string;
    mode: string;
    service: Generated<string | null>;
    revision: number;
    started_at: GeneratedAlways<Date>;
    renewed_at: Generated<Date>;
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
  };
  captchas: { id: string; answer_hmac: Buffer; expires_at: Date };
  throttle: { key: Buffer; kind: string; succeeded_at: Date | null; touched_on: Date };
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
  exclusion_uses: { entry: string; day: string; n: number };
}
