import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createTokenSigner } from '../../src/identity/sign-token.ts';
import { createTokenVerifier } from '../../src/identity/verify-token.ts';
import { createTestKeys, nowSeconds } from './test-keys.ts';

const { ring } = createTestKeys();
const now = () => nowSeconds * 1000 + 999;
const signToken = createTokenSigner({ keys: ring, lifetimeSeconds: 3600, now, randomBytes });
const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 4,
} as const;

it('issues a token that carries exactly what the contract says', async () => {
  const { token, jti, expiresAt } = await signToken(account);
  const [header = '', payload = ''] = token.split('.');
  expect(Buffer.from(header, 'base64url').toString()).toBe('{"alg":"ES256","typ":"JWT","kid":"k1"}');
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
    identity: 7,
    roleid: 2,
    rolekey: 'editor',
    nice: 'mei',
    datascope: '3',
    sub: '7',
    iss: 'portcullis',
    iat: nowSeconds,
    exp: nowSeconds + 3600,
    jti,
    ep: 4,
  });
  expect(expiresAt).toEqual(new Date((nowSeconds + 3600) * 1000));
});

it('issues a token that its verifier takes', async () => {
  const verify = createTokenVerifier({ keys: ring, maxLifetimeSeconds: 3600, now });
  const { token, jti } = await signToken(account);
  expect((await verify(token)).claims.jti).toBe(jti);
});

it('issues a token of dev that a verifier outside dev refuses, even with the same key', async () => {
  const signForDev = createTokenSigner({ keys: ring, lifetimeSeconds: 876_010 * 3600, now, randomBytes });
  const verify = createTokenVerifier({ keys: ring, maxLifetimeSeconds: 86_400, now });
  await expect(verify((await signForDev(account)).token)).rejects.toMatchObject({ kind: 'token_malformed' });
});

it('gives every token a jti of its own, of 128 random bits', async () => {
  const tokens = await Promise.all(Array.from({ length: 100 }, () => signToken(account)));
  const ids = tokens.map(({ jti }) => jti);
  expect(new Set(ids).size).toBe(100);
  for (const jti of ids) expect(Buffer.from(jti, 'base64url')).toHaveLength(16);
});
