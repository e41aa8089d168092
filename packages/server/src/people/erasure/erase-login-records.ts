// Erases a person's data in the login log, batch by batch. Each record is first verified against the hash chain. A record that was
// changed is erased too, but gets no attestation (column `seal`): an erasure must not make a changed record look valid.

import type { Store } from '../../cluster/store/store.ts';
import { type ChainPosition, firstPosition, hashOf } from '../../logs/login-log/chain.ts';
import { attestationOf, withoutPerson } from '../../logs/login-log/erased-row.ts';
import { spooledText } from '../../logs/login-log/login-row.ts';
import { readRejectedRecord } from '../../logs/login-log/rejected-record.ts';
import {
  eraseLoginRecords,
  eraseRejectedRecord,
  findPrevious,
  listRejectedRecords,
  listRowsOf,
  type Owner,
  type PersonRow,
} from './login-erasure-store.ts';

interface LoginErasure {
  /** The log can have been chained with any of these keys. */
  readonly keys: readonly Buffer[];
  readonly erasure: string;
  readonly userId: number;
  /** How the log can contain the person's name in attempts without an account. */
  readonly names: readonly string[];
}

const batchSize = 200;

/** Yields the number of erased records after every batch. */
export async function* eraseLoginLog(store: Store, wanted: LoginErasure): AsyncGenerator<number> {
  const owners: Owner[] = [{ userId: wanted.userId }, ...wanted.names.map((name) => ({ name }))];
  for (const owner of owners) {
    for (let after: string | undefined; ; ) {
      const rows = await listRowsOf(store, owner, { after, most: batchSize });
      if (rows.length === 0) break;
      const sealed = [];
      for (const row of rows) sealed.push({ id: row.id, seal: await attest(store, wanted, row) });
      yield await eraseLoginRecords(store, wanted.userId, sealed);
      after = rows.at(-1)?.id;
    }
  }
  yield await eraseRejectedRecords(store, wanted);
}

/** The attestation; null if no key verifies the record against the previous one. */
async function attest(store: Store, { keys, erasure }: LoginErasure, row: PersonRow): Promise<Buffer | null> {
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

async function eraseRejectedRecords(store: Store, wanted: LoginErasure): Promise<number> {
  let erased = 0;
  for (const { id, hash, raw, seal: found } of await listRejectedRecords(store)) {
    const rejected = readRejectedRecord(raw, hash);
    if (rejected === undefined || !isOf(wanted, rejected.row)) continue;
    const { row, isWhole } = rejected;
    const chained = { ...row, hash: isWhole ? hash : null, seal: found };
    const without = spooledText(withoutPerson(row));
    const seal = await attest(store, wanted, chained);
    await eraseRejectedRecord(store, wanted.userId, { id, raw: without, seal });
    erased += 1;
  }
  return erased;
}

/** Whether a rejected record of the person is left. */
export async function hasRejectedRecord(
  store: Store,
  wanted: Pick<LoginErasure, 'userId' | 'names'>,
): Promise<boolean> {
  return (await listRejectedRecords(store)).some(({ raw, hash }) => {
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
