// Tokens that contain a key, are no compact JWS, have no real signature, or were issued for another service.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { encode } from '../../rig/tokens.ts';
import { always, attach, forge, type Sign, signedBy, unsigned } from '../tokens/forge.ts';
import { n, signatureOf } from '../tokens/p256.ts';
import { type Advisory, type Notice, type World, withToken } from './advisory.ts';

function token(row: string, make: (world: World) => string | Promise<string>, notice: Notice): Advisory {
  return {
    ...notice,
    row,
    answer: 'token_malformed',
    attack: async (world) => withToken(await make(world)),
  };
}

/** Signed by an attacker who sends his public key along. */
const bringing = (members: (jwk: object, world: World) => object, notice: Notice) =>
  token(
    'T05',
    (world) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const jwk = own.publicKey.export({ format: 'jwk' });
      return forge({ ...world.header, ...members(jwk, world) }, world.claims, signedBy(own.privateKey));
    },
    notice,
  );

/** Signed by the real key. */
const headed = (members: object, notice: Notice) =>
  token(
    'T06',
    ({ header, claims, privateKey }) => forge({ ...header, ...members }, claims, signedBy(privateKey)),
    notice,
  );
const stating = (claim: object, notice: Notice) =>
  token(
    'T12',
    ({ header, claims, privateKey }) => forge(header, { ...claims, ...claim }, signedBy(privateKey)),
    notice,
  );

const signedWith = (signature: (world: World) => Sign, notice: Notice) =>
  token('T08', (world) => forge(world.header, world.claims, signature(world)), notice);
const zeros = Buffer.alloc(32);

/** The real signature, its bytes changed. */
const resigned = (change: (bytes: Buffer) => Buffer) => (world: World) => {
  const sign = signedBy(world.privateKey);
  return (content: Buffer) => change(sign(content));
};

export const tokens: readonly Advisory[] = [
  bringing((jwk) => ({ jwk }), {
    id: 'CVE-2018-0114',
    product: 'node-jose',
    what: 'verified with the key that the token itself contained',
  }),
  bringing((jwk, { kid }) => ({ jwk: { ...jwk, kid, alg: 'ES256', use: 'sig' }, kid: undefined }), {
    id: 'CVE-2026-27962',
    product: 'Authlib',
    what: 'took the key from the header where it was given none',
  }),
  headed(
    { crit: ['exp'] },
    { id: 'CVE-2026-35042', product: 'fast-jwt', what: 'did not ask what a token calls critical' },
  ),
  headed(
    { crit: ['cnf'], cnf: { jkt: 'x' } },
    { id: 'CVE-2025-59420', product: 'Authlib', what: 'passed over critical members that it did not know' },
  ),
  headed(
    { crit: ['x'], x: true },
    { id: 'CVE-2026-32597', product: 'PyJWT', what: 'took tokens with critical extensions of any name' },
  ),
  token(
    'T07',
    ({ ada, claims }) => {
      const [head = '', body = '', tail = ''] = ada.split('.');
      const forged = `${head}.${encode({ ...claims, nice: 'mallory' })}.`;
      return `{"${forged}":"","protected":"${head}","payload":"${body}","signature":"${tail}"}`;
    },
    {
      id: 'CVE-2022-39227',
      product: 'python-jwt',
      what: 'verified one payload of a token in JSON and used another',
    },
  ),
  token(
    'T07',
    ({ header, claims }) => {
      const inner = forge({ alg: 'none' }, claims, unsigned);
      const outer = encode({ ...header, alg: 'RSA-OAEP', enc: 'A256GCM', cty: 'JWT' });
      const [key, iv, tag] = [256, 12, 16].map((size) => randomBytes(size).toString('base64url'));
      return `${outer}.${key}.${iv}.${Buffer.from(inner).toString('base64url')}.${tag}`;
    },
    {
      id: 'CVE-2026-29000',
      product: 'pac4j-jwt',
      what: 'let encryption with the public key stand for a signature',
    },
  ),
  token('T07', () => '.'.repeat(4000), {
    id: 'CVE-2025-30204',
    product: 'golang-jwt',
    what: 'took a header of dots apart before it counted them',
  }),
  signedWith(() => always(Buffer.concat([zeros, zeros])), {
    id: 'CVE-2022-21449',
    product: 'OpenJDK',
    what: 'verified a signature whose two numbers are zero',
  }),
  signedWith(() => always(Buffer.from('3006020100020100', 'hex')), {
    id: 'CVE-2021-43571',
    product: 'ecdsa-node',
    what: 'did not ask whether the numbers of a signature are zero',
  }),
  signedWith(() => always(signatureOf(n, n)), {
    id: 'CVE-2021-43572',
    product: 'ecdsa-python',
    what: 'verified numbers that are zero modulo the order',
  }),
  signedWith(
    resigned((bytes) => bytes.subarray(0, 1)),
    { id: 'CVE-2020-28042', product: 'ServiceStack', what: 'compared as much of a signature as was sent' },
  ),
  token('T08', ({ ada }) => `${ada}%`, {
    id: 'CVE-2022-25898',
    product: 'jsrsasign',
    what: 'passed over characters of a signature that are not base64url',
  }),
  signedWith(
    resigned((bytes) => Buffer.concat([bytes, Buffer.of(0)])),
    { id: 'CVE-2020-14966', product: 'jsrsasign', what: 'verified signatures with zeros behind a number' },
  ),
  signedWith(
    resigned((bytes) =>
      Buffer.concat([Buffer.of(0), bytes.subarray(0, 32), Buffer.of(0), bytes.subarray(32)]),
    ),
    { id: 'CVE-2020-13822', product: 'elliptic', what: 'verified signatures with zeros before a number' },
  ),
  signedWith(({ privateKey }) => signedBy(privateKey, { dsaEncoding: 'der' }), {
    id: 'CVE-2024-42461',
    product: 'elliptic',
    what: 'verified one signature in several encodings',
  }),
  stating(
    { aud: [] },
    { id: 'CVE-2020-26160', product: 'jwt-go', what: 'read an empty list of audiences as no audience' },
  ),
  stating(
    { iss: 'port' },
    { id: 'CVE-2024-53861', product: 'PyJWT', what: 'took a part of the issuer’s name for the issuer' },
  ),
  stating(
    { iss: ['https://evil.example', 'portcullis'] },
    { id: 'CVE-2025-30144', product: 'fast-jwt', what: 'took a list of issuers with the right one in it' },
  ),
  token(
    'T15',
    async ({ service, ada, gina }) => {
      // Both are known to the service by now.
      for (const known of [ada, gina]) await service.send(withToken(known, { path: '/api/v1/user/profile' }));
      const content = ada.slice(0, ada.lastIndexOf('.'));
      return attach(content, always(Buffer.from(gina.slice(gina.lastIndexOf('.') + 1), 'base64url')));
    },
    {
      id: 'GHSA-rp9m-7r4c-75qg',
      product: 'fast-jwt',
      what: 'found the claims of another token under the key of its cache',
    },
  ),
];
