// A record as the table and the spool hold it. Its JSON text goes from the spool into the table as it is.
import type { LoginRecord } from './login-record.ts';

/** The columns that a record fills. */
export interface LoginRow {
  readonly id: string;
  /** ISO 8601, in milliseconds. */
  readonly at: string;
  readonly username: string | null;
  readonly user_id: number | null;
  readonly role_key: string | null;
  readonly outcome: string;
  readonly reason: string;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly browser: string | null;
  readonly os: string | null;
  readonly platform: string | null;
  readonly location: string | null;
  readonly request_id: string;
  readonly jti: string | null;
  readonly instance: string;
  /** Null in records of earlier versions, and where it cannot be told. */
  readonly method?: string | null;
  readonly credential_id?: number | null;
  readonly provider?: string | null;
}

/** A row with its place in a chain. */
export interface ChainedRow extends LoginRow {
  readonly chain: string;
  readonly seq: number;
  /** As Postgres writes bytes: `\x` and hexadecimal digits. */
  readonly hash: string;
}

/** In the order in which they are bound into the chain. */
const firstColumns: readonly (keyof LoginRow)[] = [
  'id',
  'at',
  'username',
  'user_id',
  'role_key',
  'outcome',
  'reason',
  'ip',
  'user_agent',
  'browser',
  'os',
  'platform',
  'location',
  'request_id',
  'jti',
  'instance',
];
/** As versions added them, one after the other. */
const laterColumns = [['method', 'credential_id'], ['provider']] as const;

/** All that a record has of its own. */
export const recordColumns: readonly (keyof LoginRow)[] = [...firstColumns, ...laterColumns.flat()];

/** A record without some of these is bound as the version before them binds it: whoever takes them away changes what is bound. */
export function boundColumnsOf(row: LoginRow): readonly (keyof LoginRow)[] {
  const last = laterColumns.findLastIndex((added) => added.some((column) => (row[column] ?? null) !== null));
  return [...firstColumns, ...laterColumns.slice(0, last + 1).flat()];
}

/** In the order in which they are spooled. */
const chainedColumns: (keyof ChainedRow)[] = [...recordColumns, 'chain', 'seq', 'hash'];

/** As a record is spooled, and put aside: to the byte. */
export function spooledText(row: ChainedRow): Buffer {
  return Buffer.from(JSON.stringify(row, chainedColumns));
}

export function rowOf(record: LoginRecord): LoginRow {
  return {
    id: record.id,
    at: record.at.toISOString(),
    username: record.username ?? null,
    user_id: record.userId ?? null,
    role_key: record.roleKey ?? null,
    outcome: record.outcome,
    reason: record.reason,
    ip: record.ip,
    user_agent: record.userAgent ?? null,
    browser: record.browser ?? null,
    os: record.os ?? null,
    platform: record.platform ?? null,
    location: record.location ?? null,
    request_id: record.requestId,
    jti: record.jti ?? null,
    instance: record.instance,
    method: record.method ?? null,
    credential_id: record.credentialId ?? null,
    provider: record.provider ?? null,
  };
}
