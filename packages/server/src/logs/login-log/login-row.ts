// A login record as the table and the spool hold it. Its JSON text is copied unchanged from the spool into the table.
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
  /** Null in records of earlier versions, and when it is unknown. */
  readonly method?: string | null;
  readonly credential_id?: number | null;
  readonly provider?: string | null;
}

/** A row with its position in a chain. */
export interface ChainedRow extends LoginRow {
  readonly chain: string;
  readonly seq: number;
  /** As Postgres writes bytes: `\x` and hexadecimal digits. */
  readonly hash: string;
}

/** In the order in which the chain binds them. */
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
/** The columns that later versions added, in their order. */
const laterColumns = [['method', 'credential_id'], ['provider']] as const;

/** All columns of the content of a record. */
export const recordColumns: readonly (keyof LoginRow)[] = [...firstColumns, ...laterColumns.flat()];

/**
 * A record without values in the later columns is hashed as the earlier version did. To remove such values changes what is
 * hashed.
 */
export function boundColumnsOf(row: LoginRow): readonly (keyof LoginRow)[] {
  const last = laterColumns.findLastIndex((added) => added.some((column) => (row[column] ?? null) !== null));
  return [...firstColumns, ...laterColumns.slice(0, last + 1).flat()];
}

/** In the order in which they are spooled. */
const chainedColumns: (keyof ChainedRow)[] = [...recordColumns, 'chain', 'seq', 'hash'];

/** The text of a record in the spool and in a dead letter, byte for byte. */
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
