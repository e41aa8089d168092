// Converts a distinguished name to its canonical form (RFC 4514), so that two can be compared: upper case, spaces and the kind
// of escaping do not make it the name of another group.

/** Undefined when the text is not a distinguished name. */
export function canonicalDn(text: string): string | undefined {
  const parts: string[] = [];
  for (const relative of split(text, ',')) {
    const pairs = split(relative, '+').map(canonicalPair);
    if (pairs.includes(undefined)) return undefined;
    parts.push(pairs.sort().join('+'));
  }
  return parts.join(',');
}

function canonicalPair(pair: string): string | undefined {
  const equals = pair.indexOf('=');
  const attribute = pair.slice(0, equals).trim().toLowerCase();
  if (equals < 1 || !/^([a-z][a-z0-9-]*|\d+(\.\d+)+)$/.test(attribute)) return undefined;
  const value = unescapeValue(pair.slice(equals + 1));
  if (value === undefined || value === '') return undefined;
  const folded = value.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
  return `${attribute}=${folded.replace(/[\\,+=]/g, (special) => `\\${special}`)}`;
}

function split(text: string, separator: string): string[] {
  const parts = [''];
  let isEscaped = false;
  for (const character of text) {
    if (character === separator && !isEscaped) parts.push('');
    else parts[parts.length - 1] += character;
    isEscaped = character === '\\' && !isEscaped;
  }
  return parts;
}

/** Undefined when a backslash is followed by a character that it cannot escape. */
function unescapeValue(text: string): string | undefined {
  const bytes: Buffer[] = [];
  for (let index = 0; index < text.length; ) {
    if (text[index] !== '\\') {
      const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
      bytes.push(Buffer.from(character));
      index += character.length;
      continue;
    }
    const hex = /^[0-9a-f]{2}/i.exec(text.slice(index + 1))?.[0];
    const special = /^[ "#+,;<=>\\]/.exec(text.slice(index + 1))?.[0];
    if (hex === undefined && special === undefined) return undefined;
    bytes.push(hex === undefined ? Buffer.from(special ?? '') : Buffer.from(hex, 'hex'));
    index += 1 + (hex ?? special ?? '').length;
  }
  return Buffer.concat(bytes).toString('utf8');
}
