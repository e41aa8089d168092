// Signed authorization of an erasure: the service checked the caller who began the erasure, and signed the result. A row that was
// written directly into the database has no valid signature, and neither has a receipt of another deployment.
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

/** Distinguishes the account from another one that got the same number after a restore. Reveals nothing about the person. */
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
