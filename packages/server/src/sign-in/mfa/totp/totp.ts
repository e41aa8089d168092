// Time-based one-time passwords (TOTP, RFC 6238): SHA-1, six digits, 30 seconds, as every authenticator app supports them.
import { createHmac, timingSafeEqual } from 'node:crypto';

const stepSeconds = 30;
const digits = 6;
/** How many steps a clock can be ahead or behind. */
const drift = 1;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** As many bytes as its HMAC has. */
export const totpSecretBytes = 20;

export function stepAt(milliseconds: number): number {
  return Math.floor(milliseconds / 1000 / stepSeconds);
}

export function codeAt(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hmac = createHmac('sha1', secret).update(counter).digest();
  const offset = (hmac.at(-1) ?? 0) & 0x0f;
  const number = hmac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** The time step of a code; undefined if it belongs to no step that can still be used. */
export function findStep(
  secret: Buffer,
  code: string,
  { now, after }: { readonly now: number; readonly after: number },
): number | undefined {
  const current = stepAt(now);
  let found: number | undefined;
  for (let step = current - drift; step <= current + drift; step += 1)
    if (isSame(codeAt(secret, step), code) && step > after) found = step;
  return found;
}

function isSame(one: string, other: string): boolean {
  const [ours, sent] = [Buffer.from(one), Buffer.from(other)];
  return ours.length === sent.length && timingSafeEqual(ours, sent);
}

/** Base32 without padding, as authenticator apps read it. */
export function toBase32(bytes: Buffer): string {
  let bits = 0;
  let held = 0;
  let text = '';
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** The `otpauth` URI that an authenticator app reads from the QR code. */
export function totpUri(secret: Buffer, issuer: string, username: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(username)}`;
  const query = new URLSearchParams({ secret: toBase32(secret), issuer });
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}
