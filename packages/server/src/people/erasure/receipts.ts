// Receipts of erasures: creates, lists, parses and verifies them. Receipts are kept outside the database, and repeat the erasures
// after a backup is restored.
import type { ErasureReceipt } from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import { type Static, Type } from 'typebox';
import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { isSignedErasureAuthorization, referenceOf } from './erasure-authorization.ts';
import { type Account, findRecord, listErasures, type StoredErasure } from './erasure-store.ts';

export async function describeErasure(store: Store, erasure: StoredErasure): Promise<ErasureReceipt> {
  const record = await findRecord(store, erasure);
  return {
    erasure: erasure.id,
    deployment: await findDeployment(store),
    userId: erasure.userId,
    reference: erasure.reference.toString('hex'),
    at: erasure.at.toISOString(),
    finishedAt: erasure.finishedAt?.toISOString() ?? null,
    loginRecords: erasure.loginRecords,
    auditRecords: erasure.auditRecords,
    otherRows: erasure.otherRows,
    unsealed: erasure.unsealed,
    auditId: record?.id ?? null,
    auditSeq: record?.seq ?? null,
    signature: erasure.signature.toString('hex'),
  };
}

const page = 500;
const lowestId = '00000000-0000-0000-0000-000000000000';

/** The receipts of all erasures. */
export async function* listReceipts(store: Store): AsyncGenerator<ErasureReceipt> {
  for (let after = lowestId; ; ) {
    const erasures = await listErasures(store, { after, most: page });
    for (const erasure of erasures) yield await describeErasure(store, erasure);
    const last = erasures.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

/** The fields of a receipt that are needed to erase again. */
const Kept = Type.Object({
  erasure: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  deployment: Type.String(),
  userId: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  reference: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  at: Type.String({ pattern: '^[0-9T:.-]{23}Z$' }),
  signature: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type KeptReceipt = Static<typeof Kept>;

/** Reads one receipt per line, or one JSON text with a receipt or a list. Undefined if the text contains anything else. */
export function parseReceipts(text: string): KeptReceipt[] | undefined {
  const isReceipt = compileSchema(Kept);
  const found = (parse(text) ??
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map(parse)) as unknown;
  const receipts = Array.isArray(found) ? found : [found];
  return receipts.every((one): one is KeptReceipt => isReceipt(one)) ? receipts : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether this deployment issued the receipt. */
export function isOwnReceipt(keys: readonly Buffer[], deployment: string, receipt: KeptReceipt): boolean {
  const authorization = {
    id: receipt.erasure,
    userId: receipt.userId,
    reference: Buffer.from(receipt.reference, 'hex'),
    at: new Date(receipt.at),
    signature: Buffer.from(receipt.signature, 'hex'),
  };
  return receipt.deployment === deployment && isSignedErasureAuthorization(keys, deployment, authorization);
}

/** Whether the account is the one that was erased, and not another one that got the same number. */
export function isOfAccount(
  keys: readonly Buffer[],
  { deployment, reference }: KeptReceipt,
  account: Account,
): boolean {
  return keys.some((key) => referenceOf(key, deployment, account).toString('hex') === reference);
}
