// Looks in a text for what must not be there, in every way in which it could be written.

export interface Needles {
  readonly handles: readonly string[];
  /** In base32. */
  readonly secrets: readonly string[];
  /** Recovery codes and enrolment codes, with their dashes. */
  readonly codes: readonly string[];
  /** Codes of an app: six digits that stand for themselves. */
  readonly used: readonly string[];
}

/** Those that are there. */
export function findLeaks(text: string, { handles, secrets, codes, used }: Needles): string[] {
  const lower = text.toLowerCase();
  const isThere = (needle: string, bytes: Buffer) =>
    [
      needle,
      bytes.toString('hex'),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
    ].some((written) => lower.includes(written.toLowerCase()));
  return [
    ...handles.filter((handle) => isThere(handle, Buffer.from(handle, 'base64url'))),
    ...secrets.filter((secret) => isThere(secret, fromBase32(secret))),
    ...codes.filter((code) => {
      const letters = code.replaceAll('-', '');
      return isThere(code, fromBase32(letters)) || lower.includes(letters.toLowerCase());
    }),
    ...used.filter((code) => new RegExp(`(?<![\\w.])${code}(?!\\w)`).test(text)),
  ];
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
