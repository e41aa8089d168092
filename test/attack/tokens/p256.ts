// The numbers of a signature on P-256.

/** The order of the group and the prime of the field. */
export const n = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
export const p = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn;

export function numbersOf(signature: Buffer): { r: bigint; s: bigint } {
  const half = signature.length / 2;
  return { r: numberOf(signature.subarray(0, half)), s: numberOf(signature.subarray(half)) };
}

export function signatureOf(r: bigint, s: bigint): Buffer {
  return Buffer.from([r, s].map((number) => number.toString(16).padStart(64, '0')).join(''), 'hex');
}

/** Of the two signatures that stand for one, (r, s) and (r, n - s), the one with the lower s. */
export function withLowerS(signature: Buffer): Buffer {
  const { r, s } = numbersOf(signature);
  return signatureOf(r, s > n / 2n ? n - s : s);
}

function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${bytes.toString('hex')}`);
}
