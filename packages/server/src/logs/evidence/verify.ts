// Verifies both logs in their current state, and collects their signed heads.

import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { signAuditEnd } from '../audit/sign-audit-head.ts';
import { type AuditFindings, verifyAuditLog } from '../audit/verify-audit.ts';
import { signLink } from '../login-log/chain.ts';
import { readHeads, type StoredHead } from './head-store.ts';
import { type KeptHeads, writeKeptHeads } from './kept-heads.ts';
import { createVerifier, type Findings } from './verifier.ts';
import { countUnchained, inSnapshot, readRows } from './verify-store.ts';

type Keys = readonly [Buffer, ...Buffer[]];

interface VerifyOptions {
  readonly keys: Keys;
  readonly kept?: KeptHeads | undefined;
  /** Called from time to time with the number of verified records. */
  readonly onProgress?: (records: number) => void;
}

export async function verifyLoginLog(store: Store, options: VerifyOptions): Promise<Findings> {
  return await inSnapshot(store, (transaction) => verifyLoginRecords(transaction, options));
}

export async function verifyLoginRecords(
  transaction: StoreTransaction,
  { keys, kept, onProgress }: VerifyOptions,
): Promise<Findings> {
  const verifier = createVerifier(keys, kept);
  for await (const heads of readHeads(transaction)) for (const head of heads) verifier.takeHead(head);
  let records = 0;
  for await (const rows of readRows(transaction)) {
    for (const row of rows) verifier.takeRow(row);
    records += rows.length;
    onProgress?.(records);
  }
  return verifier.finish();
}

export async function verifyAudit(
  store: Store,
  { keys, kept, onProgress }: VerifyOptions,
): Promise<AuditFindings> {
  return await inSnapshot(store, async (transaction) => {
    const deployment = await findDeployment(transaction);
    return await verifyAuditLog(transaction, { keys, deployment, kept: kept?.audit ?? [], onProgress });
  });
}

interface CollectedHeads {
  /** The newest signed position of each chain. */
  readonly heads: readonly StoredHead[];
  readonly unchained: number;
  /** Heads that none of the keys signed. */
  readonly strange: number;
}

export async function collectHeads(store: Store, keys: readonly Buffer[]): Promise<CollectedHeads> {
  return await inSnapshot(store, async (transaction) => {
    const newest = new Map<string, StoredHead>();
    let strange = 0;
    for await (const heads of readHeads(transaction))
      for (const head of heads)
        if (isSigned(keys, head)) newest.set(head.chain, head);
        else strange += 1;
    return { heads: [...newest.values()], unchained: await countUnchained(transaction), strange };
  });
}

interface WrittenHeads {
  readonly text: string;
  /** As in `CollectedHeads`. */
  readonly strange: number;
  /** Changes when one of the logs has grown. */
  readonly reached: string;
}

/** Writes how far both logs reach now, as a text to keep elsewhere. The head of the audit log is also signed in the database. */
export async function writeHeads(store: Store, keys: Keys, now: Date): Promise<WrittenHeads> {
  const deployment = await findDeployment(store);
  const audit = await signAuditEnd(store, { keys, deployment });
  const { heads, unchained, strange } = await collectHeads(store, keys);
  const ends = [audit, ...heads].map(({ hash }) => hash.toString('hex'));
  return {
    text: writeKeptHeads(keys[0], { deployment, unchained, heads, audit }, now),
    strange,
    reached: ends.join(' '),
  };
}

function isSigned(keys: readonly Buffer[], { chain, checkpoint, signature, ...link }: StoredHead): boolean {
  const kind = checkpoint ? 'checkpoint' : 'head';
  return keys.some((key) => signLink(key, chain, link, kind).equals(signature));
}
