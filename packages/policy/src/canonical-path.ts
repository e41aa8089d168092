// Path canonicalization check: decides which paths a parameter or `*` can match. It accepts only paths that every server
// behind us interprets in the same way. Literals need no check, because the grammar of rules has no ambiguous character.

/** A longer path is denied, so that the time of a decision is bounded. */
export const longestPath = 4096;

const slash = 47;
const percent = 37;
const dot = 46;

const unreserved = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';
// RFC 3986, section 3.3, without ";", because some servers end a segment at it.
const segmentCharacters = `${unreserved}!$&'()*+,=:@%`;

const allowedCodes = new Uint8Array(128);
for (const character of segmentCharacters) allowedCodes[character.charCodeAt(0)] = 1;

/** Whether the path is canonical from `from` on, where a segment starts. A slash at the very end is canonical. */
export function isCanonical(path: string, from: number): boolean {
  let start = from;
  for (let i = from; i < path.length; i++) {
    const code = path.charCodeAt(i);
    if (code === slash) {
      if (i === start || isDots(path, start, i)) return false;
      start = i + 1;
    } else if (allowedCodes[code] !== 1 || (code === percent && !isSoundEscape(path, i))) {
      return false;
    }
  }
  return !isDots(path, start, path.length);
}

function isDots(path: string, start: number, end: number): boolean {
  if (start === end || end - start > 2 || path.charCodeAt(start) !== dot) return false;
  return path.charCodeAt(end - 1) === dot;
}

// An escaped letter, slash or control character would be a second spelling of another path.
function isSoundEscape(path: string, at: number): boolean {
  const digits = path.slice(at + 1, at + 3);
  if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return false;
  const code = Number.parseInt(digits, 16);
  if (code < 32 || code === 127) return false;
  return !`${unreserved}/\\`.includes(String.fromCharCode(code));
}

/** Returns why no rule can allow the path, or undefined if a rule can. */
export function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'it does not start with "/"';
  if (path.length > longestPath) return `it is longer than ${longestPath} characters`;
  if (isCanonical(path, 1)) return undefined;
  const segments = path.slice(1).split('/');
  if (segments.slice(0, -1).includes('')) return 'it has an empty segment';
  if (segments.includes('.') || segments.includes('..')) return 'it has a "." or ".." segment';
  const bad = [...path].find((character) => character !== '/' && !segmentCharacters.includes(character));
  if (bad !== undefined) return `it has the character ${JSON.stringify(bad)}`;
  return 'it has a "%" that escapes nothing, or a letter, digit, slash or control character';
}
