// A program with a key: it makes one, signs assertions as the documents say, and is free to sign anything else.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Database } from './create-database.ts';
import type { Answer, HttpClient } from './http-client.ts';

export const audience = 'https://admin.example.com';
/** For services under test that let service accounts in. */
export const machineSettings = { SERVICE_ACCOUNT_AUDIENCE: audience } as const;

export interface MachineKey {
  readonly privateKey: KeyObject;
  readonly publicKey: Readonly<Record<string, string>>;
  readonly alg: 'ES256' | 'EdDSA';
  readonly kid: string;
}

export function createMachineKey(alg: MachineKey['alg'] = 'ES256'): MachineKey {
  const pair =
    alg === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'jwk' }) as Record<string, string>;
  const { crv, kty, x, y } = publicKey;
  const members = JSON.stringify(alg === 'ES256' ? { crv, kty, x, y } : { crv, kty, x });
  const kid = createHash('sha256').update(members).digest('base64url');
  return { privateKey: pair.privateKey, publicKey, alg, kid };
}

export interface Account {
  readonly id: number;
  readonly username: string;
}

/** By SQL, with as many keys; the fastest way to one. */
export async function addServiceAccount(
  database: Database,
  { role = 'guest', keys = [] }: { role?: string; keys?: readonly MachineKey[] } = {},
): Promise<Account & { readonly keyIds: readonly number[] }> {
  const username = `bot${randomBytes(8).toString('hex')}`;
  const [row] = await database.query<{ id: number }>(
    `insert into users (kind, username, canonical_username, nick_name, department_id, role_id, password_hash)
     select 'service', $1, $1, $1, (select min(id) from departments), id, '!' from roles where role_key = $2
     returning id::int`,
    [username, role],
  );
  const id = row?.id ?? 0;
  const keyIds: number[] = [];
  for (const key of keys) keyIds.push(await addKey(database, id, key));
  return { id, username, keyIds };
}

export async function addKey(database: Database, userId: number, key: MachineKey): Promise<number> {
  const [row] = await database.query<{ id: number }>(
    `insert into credentials (user_id, kind, factor, subject, public_part, confirmed_at)
     values ($1, 'key', 3, $2, $3, now()) returning id::int`,
    [userId, key.kid, JSON.stringify(key.publicKey)],
  );
  return row?.id ?? 0;
}

export interface TextCaptcha {
  readonly uuid: string;
  readonly code: string;
}

/** What of an assertion is otherwise than it should be. */
export interface Oddity {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
}

export function signAssertion(
  { username }: Pick<Account, 'username'>,
  key: MachineKey,
  { uuid, code }: Partial<TextCaptcha>,
  { header = {}, claims = {} }: Oddity = {},
): string {
  const iat = Math.floor(Date.now() / 1000);
  const parts = [
    { alg: key.alg, typ: 'portcullis-login+jwt', kid: key.kid, ...header },
    {
      iss: key.kid,
      sub: username,
      aud: audience,
      iat,
      exp: iat + 60,
      jti: randomBytes(16).toString('base64url'),
      captcha: { id: uuid, text: code },
      ...claims,
    },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return `${parts.join('.')}.${signatureOf(parts.join('.'), key).toString('base64url')}`;
}

export function signatureOf(text: string, { privateKey, alg }: MachineKey): Buffer {
  const hash = alg === 'ES256' ? 'sha256' : null;
  return sign(hash, Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
}

export type MachineSteps = ReturnType<typeof createMachineSteps>;

/** The steps of a login by key on one instance. */
export function createMachineSteps(send: HttpClient['send']) {
  async function fetchCaptcha(): Promise<TextCaptcha> {
    const { body, text } = await send({ path: '/api/v1/getCaptcha?for=key' });
    if (body.code !== 200) throw new Error(`No captcha: ${text}`);
    return { uuid: String(body.id), code: String(body.data) };
  }
  const post = (body: object): Promise<Answer> => send({ method: 'POST', path: '/api/v1/login', body });
  return {
    fetchCaptcha,
    post,
    async logIn(account: Pick<Account, 'username'>, key: MachineKey, oddity: Oddity = {}): Promise<Answer> {
      const captcha = await fetchCaptcha();
      return await post({ ...captcha, assertion: signAssertion(account, key, captcha, oddity) });
    },
  };
}
