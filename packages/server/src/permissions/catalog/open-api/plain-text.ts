// Sanitizes untrusted text from a document before it is stored and shown: one line, with a maximum length. Invisible
// characters, such as control characters or a change of direction, become a space.

/**
 * The text is cut to this multiple of its maximum length first, so that a text of megabytes costs no more than a short
 * one.
 */
const inspectedFactor = 4;

export function plainText(text: string, most: number): string {
  const plain = text
    .slice(0, most * inspectedFactor)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return [...plain].slice(0, most).join('');
}
