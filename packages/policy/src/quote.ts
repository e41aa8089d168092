// Escapes untrusted text for messages: in quotes, on one line, and shortened. Invisible characters, such as a zero-width
// space or a change of direction, are written as their code point.
const longest = 80;

/** Shortens a text that needs no escaping. */
export function shorten(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}

export function quote(text: string): string {
  return JSON.stringify(shorten(text)).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
}
