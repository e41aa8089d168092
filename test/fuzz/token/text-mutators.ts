// Changes of a token's text that need no key: bits, encoding, segments. None of them may be accepted.

import { encode } from '../../rig/tokens.ts';
import type { Random } from '../random.ts';
import { bytesOf, numberOf, order } from '../sign-low.ts';
import type { Issued, IssuedToken } from './issued.ts';

export type TokenMutator = (random: Random, token: IssuedToken, issued: Issued) => string;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
/** Around a token, but for blanks at its end: those are not part of a header's value. */
const blanks = ['\n', '\r', '\x0b', '\x0c', '\0', '\xa0', '\x85', '%20', '%0a', '%00', '+', '"', "'", ','];
const furtherBlanks = ['\ufeff', '\u2028', '\u200b', '\u00a0'].map(utf8);

function onPart(token: string, part: number, change: (text: string) => string): string {
  const parts = token.split('.');
  parts[part] = change(parts[part] ?? '');
  return parts.join('.');
}

function flipBit(part: number): TokenMutator {
  return (random, { text }) =>
    onPart(text, part, (encoded) => {
      const bytes = Buffer.from(encoded, 'base64url');
      const bit = random.below(bytes.length * 8);
      bytes.writeUInt8(bytes.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return bytes.toString('base64url');
    });
}

/** Another last character that decodes to the same bytes. */
function twistEnd(part: number): TokenMutator {
  return (random, { text }) =>
    onPart(text, part, (encoded) => {
      const unused = (encoded.length * 6) % 8;
      const last = alphabet.indexOf(encoded.slice(-1));
      const twisted = last ^ (1 + random.below(2 ** unused - 1 || 63));
      return encoded.slice(0, -1) + alphabet.charAt(twisted & 63);
    });
}

function onSignature(change: (r: Buffer, s: Buffer) => Buffer): TokenMutator {
  return (_random, { text }) =>
    onPart(text, 2, (encoded) => {
      const bytes = Buffer.from(encoded, 'base64url');
      return change(bytes.subarray(0, 32), bytes.subarray(32)).toString('base64url');
    });
}

const zero = Buffer.alloc(32);

function derOf(r: Buffer, s: Buffer): Buffer {
  const integer = (bytes: Buffer) => {
    const signed = bytes.readUInt8(0) > 127 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes;
    return Buffer.concat([Buffer.from([2, signed.length]), signed]);
  };
  const content = Buffer.concat([integer(r), integer(s)]);
  return Buffer.concat([Buffer.from([0x30, content.length]), content]);
}

/** Parts of two tokens, in any order. */
const mixParts: TokenMutator = (random, { text }, { tokens }) => {
  const other = random.pick(tokens).text;
  return random.list(3, () => random.pick([...text.split('.'), ...other.split('.')])).join('.');
};

const insertText: TokenMutator = (random, { text }) => {
  const blank = random.pick([...blanks, ...furtherBlanks, ' ', '\t', '=', '-', '_', '.', 'A']);
  const at = random.below(blank === ' ' || blank === '\t' ? text.length : text.length + 1);
  return text.slice(0, at) + blank + text.slice(at);
};

const asJson: TokenMutator = (random, { text }) => {
  const [header = '', payload, signature] = text.split('.');
  const flattened = { payload, protected: header, signature };
  const general = { payload, signatures: [{ protected: header, signature }] };
  return JSON.stringify(random.pick([flattened, general, { ...flattened, header: { alg: 'none' } }]));
};

const long = (length: number): TokenMutator => {
  return (random, { text }) => onPart(text, random.below(3), (part) => part + 'A'.repeat(length));
};

export const textMutators: Readonly<Record<string, TokenMutator>> = {
  'a bit of the header': flipBit(0),
  'a bit of the payload': flipBit(1),
  'a bit of the signature': flipBit(2),
  'a character': (random, { text }) => {
    const at = random.below(text.length);
    return text.slice(0, at) + alphabet.charAt(random.below(64)) + text.slice(at + 1);
  },
  'any byte': (random, { text }) => {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(random.below(256)) + text.slice(at + 1);
  },
  'the last bits of the header': twistEnd(0),
  'the last bits of the payload': twistEnd(1),
  'the last bits of the signature': twistEnd(2),
  padding: (random, { text }) =>
    onPart(text, random.below(3), (part) => part + random.pick(['=', '==', '%3d'])),
  'the other alphabet': (_random, { text }) => text.replaceAll('-', '+').replaceAll('_', '/'),
  'a blank before': (random, { text }) => random.pick([...blanks, ...furtherBlanks, ' ', '\t']) + text,
  'a blank after': (random, { text }) => text + random.pick([...blanks, ...furtherBlanks]),
  'something inserted': insertText,
  'a character dropped': (random, { text }) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1);
  },
  'a character doubled': (random, { text }) => {
    const at = random.below(text.length);
    return text.slice(0, at) + text.charAt(at) + text.slice(at);
  },
  'cut off': (random, { text }) => text.slice(0, random.below(text.length)),
  'its beginning cut off': (random, { text }) => text.slice(1 + random.below(text.length - 1)),
  'another case': (random, { text }) => (random.once(2) ? text.toUpperCase() : text.toLowerCase()),
  'a segment more': (random, { text }) =>
    random.pick([`${text}.`, `.${text}`, `${text}.A`, `A.${text}`, `${text}.${text}`]),
  'a segment less': (random, { text }) => {
    const parts = text.split('.');
    parts.splice(random.below(3), 1);
    return parts.join('.');
  },
  'an empty segment': (random, { text }) => onPart(text, random.below(3), () => ''),
  'segments of two tokens': mixParts,
  'two tokens': (random, { text }, { tokens }) =>
    text + random.pick([',', ' ', '|', ', ']) + random.pick(tokens).text,
  'JSON serialization': asJson,
  'five segments of a JWE': (_random, { text }) =>
    `${encode({ alg: 'dir', enc: 'A256GCM' })}..${text.replaceAll('.', '')}.A.A`,
  'a nested token': (_random, { text }) => {
    const [header, , signature] = text.split('.');
    return `${header}.${Buffer.from(text).toString('base64url')}.${signature}`;
  },
  'the other s of the signature': onSignature((r, s) => Buffer.concat([r, bytesOf(order - numberOf(s))])),
  'r and s swapped': onSignature((r, s) => Buffer.concat([s, r])),
  'a signature of zeros': onSignature(() => Buffer.concat([zero, zero])),
  'a signature of r or s alone': onSignature((r) => Buffer.concat([r, zero])),
  'a signature of the order': onSignature(() => Buffer.concat([bytesOf(order), bytesOf(order)])),
  'a signature with leading zeros': onSignature((r, s) =>
    Buffer.concat([Buffer.alloc(1), r, Buffer.alloc(1), s]),
  ),
  'a signature in DER': onSignature(derOf),
  'a long token': long(4096),
  'a token just too long': (_random, { text }) =>
    onPart(text, 2, (part) => part.padEnd(4097 - text.length + part.length, 'A')),
  'the text once more encoded': (_random, { text }) => Buffer.from(text).toString('base64url'),
  'percent-encoded': (random, { text }) => {
    const at = random.below(text.length);
    return `${text.slice(0, at)}%${text.charCodeAt(at).toString(16)}${text.slice(at + 1)}`;
  },
};

export const hugeMutator = long(1024 * 1024);
