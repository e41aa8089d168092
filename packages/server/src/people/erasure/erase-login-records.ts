// Erases what a person left in the login log, batch by batch. A record is verified first; one that is not as it was written
// is erased too, but gets no seal: an erasure must not vouch for what somebody changed.

import type { Store } from '../../cluster/store/store.ts';
import { type ChainPosition, firstPosition, hashOf } from '../../logs/login-log/chain.ts';
import { attestationOf, withoutPerson } from '../../logs/login-log/erased-row.ts';
import { spooledText } from '../../logs/login-log/login-row.ts';
import { readRejectedRecord } from '../../logs/login-log/rejected-record.ts';
import {
  eraseLoginRecords,
  eraseRejectedRecord,
  findPrevious,
  listDeliveries,
  listRowsOf,
  type Owner,
  type PersonRow,
} from './login-erasure-store.ts';

interface LoginErasure {
  /** Any of them may bind a chain. */
  readonly keys: readonly Buffer[];
  readonly erasure: string;
  readonly userId: number;
  /** What stands in the log for the person's name where there is no account. */
  readonly names: readonly string[];
}

const batchSize = 200;

/** Yields after every batch. */
export async function* eraseLoginLog(store: Store, wanted: LoginErasure): AsyncGenerator<number> {
  const owners: Owner[] = [{ userId: wanted.userId }, ...wanted.names.map((name) => ({ name }))];
  for (const owner of owners) {
    for (let after: string | undefined; ; ) {
      const rows = await listRowsOf(store, owner, { after, most: batchSize });
      if (rows.length === 0) break;
      const sealed = [];
      for (const row of rows) sealed.push({ id: row.id, seal: await seal(store, wanted, row) });
      yield await eraseLoginRecords(store, wanted.userId, sealed);
      after = rows.at(-1)?.id;
    }
  }
  yield await eraseLetters(store, wanted);
}

/** Null where no key binds the record to the one before it. */
async function seal(store: Store, { keys, erasure }: LoginErasure, row: PersonRow): Promise<Buffer | null> {
  const { id, chain, seq, hash } = row;
  if (chain === null || seq === null || hash === null || row.seal !== null) return null;
  const found = seq === 1 ? undefined : await findPrevious(store, { id, chain, seq });
  for (const key of keys) {
    const previous: ChainPosition | undefined = seq === 1 ? firstPosition(key, chain) : found;
    if (previous === undefined || !hashOf(key, previous, row).equals(hash)) continue;
    return attestationOf(key, chain, previous, { ...withoutPerson(row), hash, erasure });
  }
  return null;
}

async function eraseLetters(store: Store, wanted: LoginErasure): Promise<number> {
  let erased = 0;
  for (const { id, hash, raw, seal: found } of await listDeliveries(store)) {
    const rejected = readRejectedRecord(raw, hash);
    if (rejected === undefined || !isOf(wanted, rejected.row)) continue;
    const { row, isWhole } = rejected;
    const placed = { ...row, hash: isWhole ? hash : null, seal: found };
    const without = spooledText(withoutPerson(row));
    await eraseRejectedRecord(store, wanted.userId, {
      id,
      raw: without,
      seal: await seal(store, wanted, placed),
    });
    erased += 1;
  }
  return erased;
}

/** Whether a rejected of the person is left. */
export async function hasRejectedRecord(
  store: Store,
  wanted: Pick<LoginErasure, 'userId' | 'names'>,
): Promise<boolean> {
  return (await listDeliveries(store)).some(({ raw, hash }) => {
    const rejected = readRejectedRecord(raw, hash);
    return rejected !== undefined && isOf(wanted, rejected.row);
  });
}

function isOf(
  { userId, names }: Pick<LoginErasure, 'userId' | 'names'>,
  row: Pick<PersonRow, 'user_id' | 'username'>,
): boolean {
  if (row.user_id !== null) return row.user_id === userId;
  return row.username !== null && names.includes(row.username);
}
