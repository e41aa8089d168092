// Codes that somebody writes down: 80 random bits, each good once. Nobody guesses one, so a plain hash keeps it.
import { createHash } from 'node:crypto';
import { toBase32 } from '../totp/totp.ts';

export function generateRecoveryCode(randomBytes: (size: number) => Buffer): string {
  return toBase32(randomBytes(10)).replace(/(.{4})(?!$)/g, '$1-');
}

/** However it was typed: in small letters, without dashes, with spaces. */
export function hashRecoveryCode(userId: number, code: string): Buffer {
  const letters = code.toUpperCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(`${userId}:${letters}`).digest();
}
