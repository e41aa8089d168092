// A record of the login log that was erased: what is left of it, and the seal that vouches for it. The hash stays, as the
// commitment to what went; whoever adds a seal has verified the record before.
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

/** Binds an erased record to its place, its hash and its erasure, with all that is left of it. */
export function attestationOf(key: ChainKey, chain: string, previous: ChainPosition, row: ErasedRow): Buffer {
  const place = [chain, previous.seq + 1, previous.hash.toString('hex'), row.hash?.toString('hex')];
  const left = recordColumns.map((column) => row[column] ?? null);
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis login log erasure 1', row.erasure, ...place, ...left]))
    .digest();
}

/** Whether somebody says that it was erased: then its seal must fit. */
export function isSaidErased({ erasure, seal }: Pick<ErasedRow, 'erasure' | 'seal'>): boolean {
  return (erasure ?? null) !== null || (seal ?? null) !== null;
}

/** The hash that an erased record had, undefined where its seal does not vouch for it. */
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
