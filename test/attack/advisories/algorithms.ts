// Tokens that say of themselves how they are to be verified: not at all, or with a secret that everybody has.
import { createHmac, type KeyObject } from 'node:crypto';
import { forge, type Sign, signedBy, signedByChance, signedByHmac, unsigned } from '../tokens/forge.ts';
import { type Advisory, type Notice, type World, withToken } from './advisory.ts';

/** An administrator's token with another `alg`. */
function claiming(alg: unknown, signature: (world: World) => Sign, notice: Notice, row: string): Advisory {
  return {
    ...notice,
    row,
    answer: 'token_malformed',
    attack: (world) => withToken(forge({ ...world.header, alg }, world.claims, signature(world))),
  };
}

const none = (alg: unknown, signature: Sign, notice: Notice) => claiming(alg, () => signature, notice, 'T01');

/** HMAC with the public key, as a text or as bytes, for its secret. */
const confused = (bits: 256 | 384 | 512, secret: (key: KeyObject) => string | Buffer, notice: Notice) =>
  claiming(
    `HS${bits}`,
    ({ publicKey }) => signedByHmac(`sha${bits}`, Buffer.from(secret(publicKey))),
    notice,
    'T02',
  );

const published = (secret: string, notice: Notice) =>
  claiming('HS256', () => (content) => createHmac('sha256', secret).update(content).digest(), notice, 'T09');

const pem = (key: KeyObject) => String(key.export({ format: 'pem', type: 'spki' }));
const der = (key: KeyObject) => key.export({ format: 'der', type: 'spki' });
const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }));

/** As `ssh-keygen` writes it: the point is the last 65 bytes of the DER. */
function openSsh(key: KeyObject): string {
  const fields = [Buffer.from('ecdsa-sha2-nistp256'), Buffer.from('nistp256'), der(key).subarray(-65)];
  const blob = fields.flatMap((field) => [Buffer.from([0, 0, 0, field.length]), field]);
  return `ecdsa-sha2-nistp256 ${Buffer.concat(blob).toString('base64')}`;
}

export const algorithms: readonly Advisory[] = [
  none('none', unsigned, {
    id: 'CVE-2021-22160',
    product: 'Apache Pulsar',
    what: 'let anybody in as anybody whose token said alg none',
  }),
  none('none', signedByChance, {
    id: 'CVE-2018-1000531',
    product: 'prime-jwt',
    what: 'verified no signature once the header said none',
  }),
  none('None', unsigned, {
    id: 'CVE-2020-15957',
    product: 'DP3T backend',
    what: 'skipped the signature of tokens without an algorithm',
  }),
  none('NONE', unsigned, {
    id: 'CVE-2015-2951',
    product: 'F21 JWT',
    what: 'took crafted tokens for signed ones',
  }),
  none(undefined, unsigned, {
    id: 'CVE-2022-23540',
    product: 'jsonwebtoken',
    what: 'fell back to none where no algorithm was named',
  }),
  none('none', () => Buffer.from('AAA'), {
    id: 'CVE-2023-29357',
    product: 'SharePoint',
    what: 'made an administrator of the sender of an unsigned token',
  }),
  confused(256, pem, {
    id: 'CVE-2015-9235',
    product: 'jsonwebtoken',
    what: 'verified an HMAC with the public key for its secret',
  }),
  confused(512, pem, {
    id: 'CVE-2016-10555',
    product: 'jwt-simple',
    what: 'let the token choose between HMAC and RSA',
  }),
  confused(256, (key) => pem(key).replaceAll(' PUBLIC', ' EC PUBLIC'), {
    id: 'CVE-2017-11424',
    product: 'PyJWT',
    what: 'knew only some of the headings of a public key',
  }),
  confused(256, openSsh, {
    id: 'CVE-2022-29217',
    product: 'PyJWT',
    what: 'took a public key in the form of OpenSSH for a secret',
  }),
  confused(256, der, {
    id: 'CVE-2024-33663',
    product: 'python-jose',
    what: 'did not see that the secret was a public key in another form',
  }),
  confused(384, jwk, {
    id: 'CVE-2024-37568',
    product: 'Authlib',
    what: 'verified an HMAC with any public key where no algorithm was named',
  }),
  confused(256, (key) => pem(key).trim(), {
    id: 'CVE-2023-48223',
    product: 'fast-jwt',
    what: 'knew a public key only by one of its headings',
  }),
  confused(256, (key) => `\n ${pem(key)}`, {
    id: 'CVE-2026-34950',
    product: 'fast-jwt',
    what: 'did not know a public key behind white space',
  }),
  confused(384, pem, {
    id: 'CVE-2023-48238',
    product: 'json-web-token',
    what: 'read the algorithm from the token that it was to verify',
  }),
  confused(512, der, {
    id: 'CVE-2024-54150',
    product: 'cjwt',
    what: 'did not tell an HMAC from a signature of an elliptic curve',
  }),
  confused(256, jwk, {
    id: 'CVE-2026-22817',
    product: 'Hono',
    what: 'followed the header where the JWK named no algorithm',
  }),
  claiming(
    'RS256',
    ({ privateKey }) => signedBy(privateKey),
    {
      id: 'CVE-2022-23539',
      product: 'jsonwebtoken',
      what: 'let a key sign under an algorithm of another kind of key',
    },
    'T03',
  ),
  published('', {
    id: 'CVE-2019-20933',
    product: 'InfluxDB',
    what: 'verified with an empty secret where none was set',
  }),
  published('signature_hmac_secret_shared_key', {
    id: 'CVE-2023-22463',
    product: 'KubePi',
    what: 'had one signing key for everybody, in its source',
  }),
  published('CHANGE_ME_TO_A_COMPLEX_RANDOM_SECRET', {
    id: 'CVE-2023-27524',
    product: 'Apache Superset',
    what: 'ran with the secret of its documentation',
  }),
];
