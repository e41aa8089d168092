// Tokens that the service would never write, signed with its real key: headers and claims that are missing, of the
// wrong kind, extreme, double or not canonical. What an issuer could write (another `jti`, name or epoch) is left out.
import { createHmac } from 'node:crypto';
import type { Claims } from '../../rig/tokens.ts';
import type { Random } from '../random.ts';
import { signLow } from '../sign-low.ts';
import type { Issued, IssuedToken } from './issued.ts';
import {
  extremes,
  furtherClaims,
  furtherMembers,
  kids,
  none,
  otherAlgorithms,
  strange,
  types,
} from './strange-values.ts';
import type { TokenMutator } from './text-mutators.ts';

const base64url = (text: string) => Buffer.from(text).toString('base64url');

const signText = (content: string, { key }: Issued) => signLow(content, key.privateKey);
const signJson = (header: string, payload: string, issued: Issued) =>
  signText(`${base64url(header)}.${base64url(payload)}`, issued);

function withHeader(change: (random: Random, header: Claims) => Claims | string): TokenMutator {
  return (random, { header, claims }, issued) => {
    const changed = change(random, header);
    return signJson(
      typeof changed === 'string' ? changed : JSON.stringify(changed),
      JSON.stringify(claims),
      issued,
    );
  };
}

function withPayload(change: (random: Random, claims: Claims) => Claims | string): TokenMutator {
  return (random, { header, claims }, issued) => {
    const changed = change(random, claims);
    return signJson(
      JSON.stringify(header),
      typeof changed === 'string' ? changed : JSON.stringify(changed),
      issued,
    );
  };
}

const pickName = (random: Random, claims: Claims) => random.pick(Object.keys(claims));
const without = (claims: Claims, name: string) =>
  JSON.parse(JSON.stringify({ ...claims, [name]: undefined })) as Claims;
const member = (name: string, value: unknown) => `${JSON.stringify(name)}:${JSON.stringify(value)}`;
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** The same members in other bytes: blanks, escapes, doubles and other ways to write a number. */
function respell(random: Random, value: Claims): string {
  const text = JSON.stringify(value);
  const name = pickName(random, value);
  const respelt = random.pick([
    () => JSON.stringify(value, null, 1),
    () => ` ${text}`,
    () => `${text}\n`,
    () => `\ufeff${text}`,
    () => text.replace(':', ': '),
    () => text.replace(`"${name}"`, `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`),
    () => text.replace(/:(\d+)/, ':$1.0'),
    () => text.replace(/:(\d+)/, ':$1e0'),
    () => `{${member(name, random.pick(strange))},${text.slice(1)}`,
    () => `{${member(name, value[name])},${text.slice(1)}`,
    () => `${text.slice(0, -1)},${member(name, value[name])}}`,
    () => `${text.slice(0, -1)},}`,
    () => `${text}{}`,
    () => `[${text}]`,
    () => JSON.stringify(text),
    () => `/**/${text}`,
    () => text.replaceAll('"', "'"),
    () => text.slice(0, -1),
  ])();
  return respelt === text ? ` ${text}` : respelt;
}

function pollute(random: Random, value: Claims): string {
  const bad = random.pick(['{"rk":"admin","rolekey":"admin"}', 'null', '"x"', '[]', '{"__proto__":{}}']);
  const text = JSON.stringify(value);
  return random.once(2) ? `{"__proto__":${bad},${text.slice(1)}` : `${text.slice(0, -1)},"__proto__":${bad}}`;
}

/** Signed by what the public key says, as if it were a secret. */
function confuse(random: Random, { claims, header }: IssuedToken, { publicKey }: Issued): string {
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }));
  const jwk = publicKey.export({ format: 'jwk' });
  const secrets: (string | Buffer)[] = [
    pem,
    pem.trim(),
    `\n${pem}`,
    ` ${pem}`,
    JSON.stringify(jwk),
    String(jwk.x),
  ];
  secrets.push(publicKey.export({ type: 'spki', format: 'der' }), '', String(header.kid));
  const alg = random.pick(['HS256', 'HS384', 'HS512']);
  const content = `${base64url(JSON.stringify({ ...header, alg }))}.${base64url(JSON.stringify(claims))}`;
  const hmac = createHmac(`sha${alg.slice(2)}`, random.pick(secrets))
    .update(content)
    .digest('base64url');
  return `${content}.${hmac}`;
}

function unsigned(random: Random, { text, claims, header }: IssuedToken): string {
  const changed = { ...header, alg: random.pick(none) };
  const content = `${base64url(JSON.stringify(changed))}.${base64url(JSON.stringify(claims))}`;
  return `${content}.${random.pick(['', 'AA', text.split('.')[2] ?? ''])}`;
}

export const signedMutators: Readonly<Record<string, TokenMutator>> = {
  'alg none': unsigned,
  'alg none, signed': withHeader((random, header) => ({ ...header, alg: random.pick(none) })),
  'the public key as a secret': confuse,
  'another alg': withHeader((random, header) => ({
    ...header,
    alg: random.pick([...otherAlgorithms, ...strange]),
  })),
  'another kid': withHeader((random, header) => ({ ...header, kid: random.pick([...kids, ...strange]) })),
  'a kid with more': withHeader((random, header) => ({
    ...header,
    kid: `${header.kid}${random.pick([' ', '\0', '\n', '/', 'a'])}`,
  })),
  'another typ': withHeader((random, header) => ({ ...header, typ: random.pick([...types, ...strange]) })),
  'a header member missing': withHeader((random, header) => without(header, pickName(random, header))),
  'a further header member': withHeader((random, header) => ({ ...header, ...random.pick(furtherMembers) })),
  'the own key in the header': (random, token, issued) => {
    const jwk = issued.publicKey.export({ format: 'jwk' });
    return withHeader((_random, header) => ({ ...header, jwk }))(random, token, issued);
  },
  'a header in other bytes': withHeader(respell),
  '__proto__ in the header': withHeader(pollute),
  'a header that is no object': withHeader((random) => JSON.stringify(random.pick(strange))),
  'a claim missing': withPayload((random, claims) => without(claims, pickName(random, claims))),
  'a claim null': withPayload((random, claims) => ({ ...claims, [pickName(random, claims)]: null })),
  'a claim of another kind': withPayload((random, claims) => {
    const name = random.pick(Object.keys(claims).filter((candidate) => candidate !== 'nice'));
    return { ...claims, [name]: random.pick(strange) };
  }),
  'a claim at its extreme': withPayload((random, claims) => {
    const name = random.pick(Object.keys(extremes));
    const values = extremes[name]?.(Math.floor(Date.now() / 1000)) ?? [];
    return { ...claims, [name]: random.pick(values) };
  }),
  'a role of another person': withPayload((random, claims) => {
    const isAdmin = claims.rolekey === 'admin';
    const role = isAdmin ? { rolekey: 'clerk' } : random.pick([{ rolekey: 'admin' }, { roleid: 1 }]);
    return { ...claims, ...role };
  }),
  'a scope of another role': withPayload((_random, claims) => ({
    ...claims,
    datascope: claims.datascope === '1' ? '2' : '1',
  })),
  'a life too long': withPayload((random, claims) => ({
    ...claims,
    exp: Number(claims.iat) + 86_401 + random.below(4e9),
  })),
  expired: withPayload((random, claims) => {
    const now = Math.floor(Date.now() / 1000) - 1 - random.below(1e6);
    return { ...claims, iat: now - 60, exp: now };
  }),
  'a further claim': withPayload((random, claims) => ({ ...claims, ...random.pick(furtherClaims) })),
  'a payload in other bytes': withPayload(respell),
  '__proto__ in the payload': withPayload(pollute),
  'a payload that is no object': withPayload((random) => JSON.stringify(random.pick(strange))),
  'deep nesting': withPayload((random, claims) => {
    const depth = 1 + random.below(random.once(4) ? 10_000 : 1200);
    return random.once(2) ? nested(depth) : `${JSON.stringify(claims).slice(0, -1)},"x":${nested(depth)}}`;
  }),
  'invalid UTF-8': (random, { header, claims }, issued) => {
    const bytes = Buffer.concat([
      Buffer.from(JSON.stringify(claims).slice(0, -1)),
      Buffer.from(random.pick(['22ff22', 'c080', 'eda080', 'ff']), 'hex'),
      Buffer.from('}'),
    ]);
    return signText(`${base64url(JSON.stringify(header))}.${bytes.toString('base64url')}`, issued);
  },
  'no payload': (_random, { header }, issued) => signText(`${base64url(JSON.stringify(header))}.`, issued),
};
