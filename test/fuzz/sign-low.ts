// Signs as the service signs. With (r, s) also (r, n - s) is an ES256 signature of the same text; of the two only the
// one with the smaller s is ever issued, so that a token has one text.
import { type KeyObject, sign } from 'node:crypto';

/** The order of P-256. */
export const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

export const numberOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);
export const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');

/** The content with its signature behind it. */
export function signLow(content: string, privateKey: KeyObject): string {
  const signature = sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const s = numberOf(signature.subarray(32));
  const low = s > order / 2n ? Buffer.concat([signature.subarray(0, 32), bytesOf(order - s)]) : signature;
  return `${content}.${low.toString('base64url')}`;
}
