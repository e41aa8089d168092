// What allows an erasure to go on: whoever began it was asked whether they may, and the service signed that. A row that
// somebody with rights in the database adds has no such signature, and a receipt from elsewhere has none either.
import { createHmac } from 'node:crypto';

export interface Mandate {
  readonly id: string;
  readonly userId: number;
  readonly reference: Buffer;
  readonly at: Date;
}

export interface SignedMandate extends Mandate {
  readonly signature: Buffer;
}

const referenceBytes = 16;

/** Tells the account from another one that was given its number after a restore; it says nothing of the person. */
export function referenceOf(
  key: Buffer,
  deployment: string,
  account: { readonly userId: number; readonly createdAt: string },
): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis person 1', deployment, account.userId, account.createdAt]))
    .digest()
    .subarray(0, referenceBytes);
}

export function signMandate(key: Buffer, deployment: string, mandate: Mandate): Buffer {
  const { id, userId, reference, at } = mandate;
  const values = [deployment, id, userId, reference.toString('hex'), at.toISOString()];
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis erasure 1', ...values]))
    .digest();
}

export function isSignedMandate(
  keys: readonly Buffer[],
  deployment: string,
  mandate: SignedMandate,
): boolean {
  return keys.some((key) => signMandate(key, deployment, mandate).equals(mandate.signature));
}
