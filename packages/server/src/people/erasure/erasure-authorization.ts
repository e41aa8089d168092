// What allows an erasure to go on: whoever began it was asked whether they may, and the service signed that. A row that
// somebody with rights in the database adds has no such signature, and a receipt from elsewhere has none either.
import { createHmac } from 'node:crypto';

export interface ErasureAuthorization {
  readonly id: string;
  readonly userId: number;
  readonly reference: Buffer;
  readonly at: Date;
}

export interface SignedErasureAuthorization extends ErasureAuthorization {
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

export function signErasureAuthorization(
  key: Buffer,
  deployment: string,
  authorization: ErasureAuthorization,
): Buffer {
  const { id, userId, reference, at } = authorization;
  const values = [deployment, id, userId, reference.toString('hex'), at.toISOString()];
  return createHmac('sha256', key)
    .update(JSON.stringify(['portcullis erasure 1', ...values]))
    .digest();
}

export function isSignedErasureAuthorization(
  keys: readonly Buffer[],
  deployment: string,
  authorization: SignedErasureAuthorization,
): boolean {
  return keys.some((key) =>
    signErasureAuthorization(key, deployment, authorization).equals(authorization.signature),
  );
}
