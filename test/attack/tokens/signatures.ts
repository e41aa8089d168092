// T08 and the signature classes of the public vectors for ECDSA: other texts for the same signature, and numbers that
// a naive verifier takes for one.
import { always, attach, type Forgery, forge, signedBy, type Target, unsigned } from './forge.ts';
import { n, numbersOf, p, signatureOf } from './p256.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 64 bytes end in a character of which two bits count: three others decode to the same bytes. */
export function bitTwins(token: string): Forgery[] {
  const last = alphabet.indexOf(token.at(-1) ?? '');
  return [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    .map((low) => (last & 0b110000) | low)
    .filter((value) => value !== last)
    .map((value) => ({
      name: `the last character ${alphabet[value]}`,
      token: `${token.slice(0, -1)}${alphabet[value]}`,
    }));
}

/** Texts that a lenient reader strips or decodes to the same token. */
export function looseTexts(token: string): Forgery[] {
  const texts = [
    `${token}=`,
    `${token}==`,
    `${token}%0a`,
    `${token}%0A`,
    `${token}%20`,
    `${token}%3D`,
    `${token}.`,
  ];
  return [...texts, `%20${token}`, `"${token}"`, `<${token}>`, `${token},`, `${token}+`, `+${token}`].map(
    (text) => ({
      name: text.replace(token, '‹token›'),
      token: text,
    }),
  );
}

/** Which only a header carries. */
export function spacedTexts(token: string): Forgery[] {
  return [` ${token}`, `  ${token}`, `\t${token}`, `${token} x`, `${token} ${token}`].map((text) => ({
    name: JSON.stringify(text.replaceAll(token, '‹token›')),
    token: text,
  }));
}

/** Every bit of the token turned, one at a time. */
export function bitFlips(token: string): Forgery[] {
  const parts = token.split('.');
  return parts.flatMap((part, at) => {
    const bytes = Buffer.from(part, 'base64url');
    return Array.from({ length: bytes.length * 8 }, (_, bit) => {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const others = parts.map((other, place) => (place === at ? flipped.toString('base64url') : other));
      return { name: `bit ${bit} of segment ${at + 1}`, token: others.join('.') };
    });
  });
}

/** The numbers r and s at their edges, in other encodings, and too short or too long. */
export function signatureNumbers({ header, claims, privateKey }: Target): Forgery[] {
  const content = forge(header, claims, unsigned).slice(0, -1);
  const bytes = signedBy(privateKey)(Buffer.from(content));
  const { r, s } = numbersOf(bytes);
  const edges = {
    0: 0n,
    1: 1n,
    'n - 1': n - 1n,
    n,
    'n + 1': n + 1n,
    p,
    'p + 1': p + 1n,
    max: 2n ** 256n - 1n,
  };
  const numbers = Object.entries(edges).flatMap(([name, edge]) => [
    { name: `r = ${name}`, bytes: signatureOf(edge, s) },
    { name: `s = ${name}`, bytes: signatureOf(r, edge) },
    ...Object.entries(edges).map(([second, other]) => ({
      name: `r = ${name}, s = ${second}`,
      bytes: signatureOf(edge, other),
    })),
  ]);
  const der = signedBy(privateKey, { dsaEncoding: 'der' })(Buffer.from(content));
  const shapes = {
    'DER instead of r and s': der,
    'DER, filled up to 72 bytes': Buffer.concat([der, Buffer.alloc(Math.max(0, 72 - der.length))]),
    'r and s exchanged': Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)]),
    'r alone': bytes.subarray(0, 32),
    'one byte less': bytes.subarray(0, 63),
    'one byte more': Buffer.concat([bytes, Buffer.of(0)]),
    'a zero before it': Buffer.concat([Buffer.of(0), bytes]),
    'a zero before r and before s': Buffer.concat([
      Buffer.of(0),
      bytes.subarray(0, 32),
      Buffer.of(0),
      bytes.subarray(32),
    ]),
    'twice over': Buffer.concat([bytes, bytes]),
    'of 96 bytes, as for P-384': Buffer.concat([
      Buffer.alloc(16),
      bytes.subarray(0, 32),
      Buffer.alloc(16),
      bytes.subarray(32),
    ]),
    'of 132 bytes, as for P-521': Buffer.alloc(132, 1),
    'of one byte': Buffer.of(1),
    'r and -s, negated past the order': signatureOf(r, 2n ** 256n - s),
    'r + n, where that fits': signatureOf((r + n) % 2n ** 256n, s),
    'the content instead': Buffer.from(content),
  };
  return [...numbers, ...Object.entries(shapes).map(([name, shape]) => ({ name, bytes: shape }))].map(
    (wrong) => ({
      name: `signature: ${wrong.name}`,
      token: attach(content, always(wrong.bytes)),
    }),
  );
}

/** ECDSA has two valid signatures: (r, s) and (r, n - s). Each can be computed from the other without the key. */
export function negatedTwin(token: string): Forgery {
  const [head, body, signature = ''] = token.split('.');
  const bytes = Buffer.from(signature, 'base64url');
  const { r, s } = numbersOf(bytes);
  const twin = signatureOf(r, n - s);
  return { name: 'the signature (r, n - s)', token: `${head}.${body}.${twin.toString('base64url')}` };
}
