// Signs the head of the audit log, after a check that the log continues what was signed before.
import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { type AuditChainPosition, signAuditLink } from './audit-chain.ts';
import {
  type AuditHead,
  deleteAuditHeadsBefore,
  findLink,
  insertAuditHead,
  listAuditHeads,
  readEnd,
} from './chain-store.ts';

/** One of this many heads is signed with these keys, unless an attacker inserted others. */
const fewHeads = 100;
const mostHeads = 1_000_000;

interface SignOptions {
  /** The first key signs. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  readonly deployment: string;
}

export class AuditLogRewritten extends Error {
  constructor(seq: number) {
    super(`The audit log is another one than was signed up to record ${seq}. Run \`portcullis log verify\`.`);
    this.name = 'AuditLogRewritten';
  }
}

/**
 * Signs the end of the audit log, and returns it. Rejects when the log does not continue the position that was signed before, or
 * `known`.
 */
export async function signAuditEnd(
  store: Store,
  { keys, deployment }: SignOptions,
  known?: AuditChainPosition,
): Promise<AuditChainPosition> {
  const signed = (await listAuditHeads(store, fewHeads)).find((head) =>
    keys.some((key) => signAuditLink(key, deployment, head).equals(head.signature)),
  );
  for (const link of [signed, known]) if (link !== undefined) await expectLink(store, link);
  const end = await readEnd(store);
  if (end === undefined) throw new AuditLogRewritten(0);
  await expectLink(store, end);
  if (end.seq > (signed?.seq ?? 0))
    await insertAuditHead(store, { ...end, signature: signAuditLink(keys[0], deployment, end) });
  return end;
}

async function expectLink(store: Store, { seq, hash }: AuditChainPosition): Promise<void> {
  if (seq === 0) return;
  const found = await findLink(store, seq);
  if (found?.hash.equals(hash) !== true) throw new AuditLogRewritten(seq);
}

/** Remembers the signed position, in case an attacker deletes the head. */
export function createAuditSigner(store: Store, options: SignOptions): () => Promise<void> {
  let known: AuditChainPosition | undefined;
  return async () => {
    known = await signAuditEnd(store, options, known);
  };
}

/** Deletes the heads before the newest one, unless a head has no valid signature. Returns the number of deleted heads. */
export async function dropOlderAuditHeads(store: Store, keys: readonly Buffer[]): Promise<number> {
  const deployment = await findDeployment(store);
  const heads = await listAuditHeads(store, mostHeads);
  const [newest] = heads;
  const isSigned = (head: AuditHead) =>
    keys.some((key) => signAuditLink(key, deployment, head).equals(head.signature));
  return newest !== undefined && heads.every(isSigned) ? await deleteAuditHeadsBefore(store, newest.seq) : 0;
}
