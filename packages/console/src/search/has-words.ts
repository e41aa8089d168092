/**
 * Whether every typed word is a prefix of a word in the text. Chinese has no word boundaries, so
 * Chinese text matches anywhere.
 */
export function hasWords(text: string, typed: string): boolean {
  const given = text.toLowerCase();
  const words = given.split(/[^\p{L}\p{N}]+/u);
  return typed
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .every((part) =>
      /\p{Script=Han}/u.test(part) ? given.includes(part) : words.some((word) => word.startsWith(part)),
    );
}
