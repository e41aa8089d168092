// Erased records of the login log: what is left of a record, and the seal (HMAC) that attests it. The hash stays as the
// commitment to the erased content; the code that adds a seal has verified the record before.
import { createHmac } from 'node:crypto';
import type { ChainKey, ChainPosition } from './chain.ts';
import { type LoginRow, recordColumns } from './login-row.ts';

export const erasedText = '[erased]';

/** As `erase_login_records` overwrites them (0032-erasure.sql). */
const erasedColumns = {
  username: erasedText,
  ip: null,
  user_agent: null,
  browser: null,
  os: null,
  platform: null,
  location: null,
  request_id: erasedText,
  jti: null,
} as const satisfies Partial<LoginRow>;

export function withoutPerson<Row extends LoginRow>(row: Row): Row {
  return { ...row, ...erasedColumns };
}

interface ErasedRow extends LoginRow {
  readonly hash: Buffer | null;
  readonly erasure?: string | null;
  readonly seal?: Buffer | null;
}

/** The seal of an erased record: binds its position, its hash, its erasure and all that is left of it. */
export function attestationOf(key: ChainKey, chain: string, previous: ChainPosition, row: ErasedRow): Buffer {
  const place = [chain, previous.seq + 1, previous.hash.toString('hex'), row.hash?.toString('hex')];
  const left = recordColumns.map((column) => row[column] ?? null);
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis login log erasure 1', row.erasure, ...place, ...left]))
    .digest();
}

/** Whether the record claims to be erased: then its seal must fit. */
export function isMarkedErased({ erasure, seal }: Pick<ErasedRow, 'erasure' | 'seal'>): boolean {
  return (erasure ?? null) !== null || (seal ?? null) !== null;
}

/** The hash that an erased record had; undefined when its seal does not fit. */
export function hashOfErased(
  key: ChainKey,
  chain: string,
  previous: ChainPosition,
  row: ErasedRow,
): Buffer | undefined {
  const { hash, seal } = row;
  if (hash === null || seal === null || seal === undefined) return undefined;
  return attestationOf(key, chain, previous, row).equals(seal) ? hash : undefined;
}
