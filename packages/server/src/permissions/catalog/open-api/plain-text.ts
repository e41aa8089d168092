// Text from a document that somebody else wrote, made fit to be stored and shown: one line, and not endless. What cannot
// be seen, such as a control character or a change of direction, becomes a space.

/** Cut before it is looked at, so that a text of megabytes costs what a short one does. */
const looked = 4;

export function plainText(text: string, most: number): string {
  const plain = text
    .slice(0, most * looked)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return [...plain].slice(0, most).join('');
}
