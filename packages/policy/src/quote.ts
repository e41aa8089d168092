// Shows text that somebody else wrote inside a sentence: in quotes, on one line, and not endlessly. What cannot
// be seen, such as a zero-width space or a change of direction, is written as its number.
const longest = 80;

/** A text that is known to be harmless, shortened. */
export function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}

export function quote(text: string): string {
  return JSON.stringify(shorten(text)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
