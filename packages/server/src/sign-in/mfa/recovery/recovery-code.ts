// Recovery codes, made to be written down: 80 random bits, each valid once. Brute force is infeasible, so a plain hash is stored.
import { createHash } from 'node:crypto';
import { toBase32 } from '../totp/totp.ts';

export function generateRecoveryCode(randomBytes: (size: number) => Buffer): string {
  return toBase32(randomBytes(10)).replace(/(.{4})(?!$)/g, '$1-');
}

/** Accepts every spelling: in lower case, without dashes, with spaces. */
export function hashRecoveryCode(userId: number, code: string): Buffer {
  const letters = code.toUpperCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(`${userId}:${letters}`).digest();
}
