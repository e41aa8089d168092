// T07: everything of JOSE that is not a compact JWS of ours: other serializations, encryption, nesting, and segments
// too few, too many, empty or written otherwise.
import { createHash, randomBytes } from 'node:crypto';
import { encode } from '../../rig/tokens.ts';
import { attach, type Forgery, forge, signedBy, type Target } from './forge.ts';

const random = (size: number) => randomBytes(size).toString('base64url');

function named(tokens: Readonly<Record<string, string>>): Forgery[] {
  return Object.entries(tokens).map(([name, token]) => ({ name, token }));
}

/** Segments of a live token, cut, doubled and mixed with those of another. */
export function segments({ header, claims, privateKey }: Target): Forgery[] {
  const token = forge(header, claims, signedBy(privateKey));
  const other = forge(header, { ...claims, nice: 'mallory' }, signedBy(privateKey));
  const [head = '', body = '', tail = ''] = token.split('.');
  const [, otherBody = '', otherTail = ''] = other.split('.');
  return named({
    'one segment': head,
    'two segments': `${head}.${body}`,
    'three, the last empty': `${head}.${body}.`,
    'three, the middle empty': `${head}..${tail}`,
    'three, the first empty': `.${body}.${tail}`,
    'only dots': '..',
    'four, the last empty': `${token}.`,
    'four, the first empty': `.${token}`,
    'four, a signature twice': `${token}.${tail}`,
    'four, two payloads': `${head}.${body}.${otherBody}.${tail}`,
    'five, as a JWE': `${head}.${body}.${tail}.${random(16)}.${random(16)}`,
    'five, empty ones behind': `${token}...`,
    'the signature of another payload': `${head}.${body}.${otherTail}`,
    'the payload of another signature': `${head}.${otherBody}.${tail}`,
    'segments turned round': `${tail}.${body}.${head}`,
    'header and payload exchanged': `${body}.${head}.${tail}`,
    'no encoding at all': `${JSON.stringify(header)}.${JSON.stringify(claims)}.${tail}`.replaceAll(
      /[\s;&]/g,
      '',
    ),
    'hex instead of base64url': `${Buffer.from(head).toString('hex')}.${body}.${tail}`,
    'two tokens joined by a comma': `${token},${token}`,
    'two tokens joined by a tilde': `${token}~${token}`,
    'a selective disclosure behind it': `${token}~`,
  });
}

/** A signed payload that is none of ours: empty, detached, unencoded, or a token inside a token. */
export function payloads({ header, claims, privateKey }: Target): Forgery[] {
  const signature = signedBy(privateKey);
  const token = forge(header, claims, signature);
  const [head = '', , tail = ''] = token.split('.');
  const unencoded = { ...header, b64: false, crit: ['b64'] };
  const plain = JSON.stringify(claims).replaceAll(/[\s;&]/g, '');
  const detached = signature(Buffer.from(`${encode(unencoded)}.${plain}`)).toString('base64url');
  return named({
    'an empty payload': attach(`${encode(header)}.`, signature),
    'a payload of two quotes': forge(header, '""', signature),
    'a payload that is an array': forge(header, [claims], signature),
    'a payload that is a number': forge(header, '1', signature),
    'a payload that is null': forge(header, 'null', signature),
    'a payload that is true': forge(header, 'true', signature),
    'a payload that is no JSON': forge(header, 'identity=1', signature),
    'a payload cut short': forge(header, JSON.stringify(claims).slice(0, -1), signature),
    'a detached payload': `${head}..${tail}`,
    'an unencoded payload': `${encode(unencoded)}.${plain}.${detached}`,
    'a detached unencoded payload': `${encode(unencoded)}..${detached}`,
    'b64 false over an encoded payload': forge(unencoded, claims, signature),
    'a token inside a token': forge(header, token, signature),
    'a token inside a token, with cty': forge({ ...header, cty: 'JWT' }, token, signature),
    'a token inside a claim': forge(header, { ...claims, nested: token }, signature),
  });
}

/** RFC 7515, 7.2: the flattened and the general JSON serialization, also with a second payload or signature. */
export function jsonSerializations({ header, claims, privateKey }: Target): Forgery[] {
  const [head = '', payload = '', signature = ''] = forge(header, claims, signedBy(privateKey)).split('.');
  const evil = encode({ ...claims, rolekey: 'admin', nice: 'mallory' });
  const one = { protected: head, signature };
  const whole: Record<string, unknown> = {
    'JSON, flattened': { payload, ...one },
    'JSON, general': { payload, signatures: [one] },
    'JSON, general, two signatures': { payload, signatures: [{ ...one, signature: random(64) }, one] },
    'JSON with an unprotected header': { payload, header: { alg: 'none' }, ...one },
    'JSON in an array': [{ payload, ...one }],
    'JSON with the compact token inside': { token: `${head}.${payload}.${signature}` },
  };
  const texts = Object.entries(whole).map(([name, value]) => [name, JSON.stringify(value)] as const);
  return named({
    ...Object.fromEntries(texts),
    'JSON with a second payload': `{"payload":"${evil}","payload":"${payload}","protected":"${head}","signature":"${signature}"}`,
    'JSON, encoded': encode({ payload, ...one }),
  });
}

/** RFC 7516: encrypted to whom it may concern. We have no key that decrypts. */
export function encrypted({ header, claims, publicKey }: Target): Forgery[] {
  const { x, y } = publicKey.export({ format: 'jwk' });
  const epk = { kty: 'EC', crv: 'P-256', x, y };
  const algorithms: object[] = [
    { alg: 'dir', enc: 'A256GCM' },
    { alg: 'dir', enc: 'A128CBC-HS256' },
    { alg: 'ECDH-ES', enc: 'A256GCM', epk },
    { alg: 'ECDH-ES+A256KW', enc: 'A256GCM', epk },
    { alg: 'RSA-OAEP', enc: 'A256GCM' },
    { alg: 'RSA1_5', enc: 'A256GCM' },
    { alg: 'PBES2-HS256+A128KW', enc: 'A128GCM', p2c: 2_000_000_000, p2s: 'AAAA' },
    { alg: 'A256GCMKW', enc: 'A256GCM', iv: 'AAAA', tag: 'AAAA' },
    { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
    { alg: 'none', enc: 'none' },
    { alg: 'ES256', enc: 'A256GCM' },
  ];
  const content = createHash('sha256').update(JSON.stringify(claims)).digest('base64url');
  return algorithms.flatMap((members) => [
    {
      name: `JWE ${JSON.stringify(members).slice(0, 50)}`,
      token: `${encode({ ...header, ...members })}.${random(40)}.${random(12)}.${content}.${random(16)}`,
    },
    {
      name: `JWE ${JSON.stringify(members).slice(0, 50)} without a key`,
      token: `${encode({ ...header, ...members })}..${random(12)}.${content}.${random(16)}`,
    },
  ]);
}

/** The same bytes in another base64: padding, the other alphabet, white space, and bits that decode to nothing. */
export function encodings(target: Target): Forgery[] {
  const { header, claims, privateKey } = target;
  // A name whose encoding has characters that the two alphabets write differently.
  const telling = { ...claims, nice: '>>>???~~~' };
  const parts = forge(header, telling, signedBy(privateKey)).split('.');
  const kinds: Record<string, (part: string) => string> = {
    'one =': (part) => `${part}=`,
    'two ==': (part) => `${part}==`,
    'the padding of base64': (part) =>
      Buffer.from(part, 'base64url')
        .toString('base64')
        .padEnd(part.length + 1, '='),
    'a + in it': (part) => `${part.slice(0, 8)}+${part.slice(9)}`,
    'a / in it': (part) => `${part.slice(0, 8)}/${part.slice(9)}`,
    'a . in it': (part) => `${part.slice(0, 8)}.${part.slice(8)}`,
    '%3D behind it': (part) => `${part}%3D`,
    '%00 behind it': (part) => `${part}%00`,
    'an encoded first character': (part) => `%${part.charCodeAt(0).toString(16)}${part.slice(1)}`,
    'a * in it': (part) => `${part.slice(0, 8)}*${part.slice(8)}`,
    'one character more': (part) => `${part}A`,
    'three characters more': (part) => `${part}AAA`,
    'four characters more': (part) => `${part}AAAA`,
    'one character less': (part) => part.slice(0, -1),
    'two characters less': (part) => part.slice(0, -2),
    'four characters less': (part) => part.slice(0, -4),
    'its first character gone': (part) => part.slice(1),
    'its case turned': (part) =>
      part.replace(/[a-zA-Z]/g, (c) => (c > 'Z' ? c.toUpperCase() : c.toLowerCase())),
  };
  const written = parts.flatMap((_, at) =>
    Object.entries(kinds).map(([name, change]) => ({
      name: `segment ${at + 1} with ${name}`,
      token: parts.map((part, place) => (place === at ? change(part) : part)).join('.'),
    })),
  );
  const content = parts.slice(0, 2);
  const signed = content.flatMap((_, at) =>
    ['=', '==', '+', '/', '%3D'].map((end) => ({
      name: `segment ${at + 1} with ${end} behind it, and signed so`,
      token: attach(
        content.map((part, place) => part + (place === at ? end : '')).join('.'),
        signedBy(privateKey),
      ),
    })),
  );
  return [...written, ...signed, ...strayBits(target)];
}

/** Bits behind the last byte, which decode to nothing, in what the real key has signed. */
function strayBits({ header, claims, privateKey }: Target): Forgery[] {
  return ['ada', 'adaa', 'adaaa'].flatMap((nice) => {
    const parts = [encode(header), encode({ ...claims, nice })];
    return parts.flatMap((part, at) => {
      if (part.length % 4 === 0) return [];
      const stray = part.slice(0, -1) + String.fromCharCode(part.charCodeAt(part.length - 1) + 1);
      if (!Buffer.from(stray, 'base64url').equals(Buffer.from(part, 'base64url'))) return [];
      const content = parts.with(at, stray).join('.');
      return [
        {
          name: `segment ${at + 1} with stray bits, and signed so`,
          token: attach(content, signedBy(privateKey)),
        },
      ];
    });
  });
}
