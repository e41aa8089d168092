// Signature malleability (low-s rule): for an ECDSA signature (r, s), (r, n - s) is valid too, and anyone can compute it.
// Only the lower s is accepted, so that each token has exactly one text.

/** Half of the order of P-256, rounded down. */
const half = Buffer.from('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8', 'hex');
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** Takes the 64 bytes of r and s. */
export function hasCanonicalSignature(signature: Buffer): boolean {
  return signature.length === 64 && signature.compare(half, 0, 32, 32, 64) <= 0;
}

/** Returns the same token with the lower s. */
export function toCanonicalSignature(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(at), 'base64url');
  if (hasCanonicalSignature(signature)) return token;
  const s = order - BigInt(`0x${signature.toString('hex', 32)}`);
  signature.write(s.toString(16).padStart(64, '0'), 32, 'hex');
  return token.slice(0, at) + signature.toString('base64url');
}
