import { randomBytes } from 'node:crypto';
import { createTokenVerifier } from '@portcullis/gate';
import { expect, it } from 'vitest';
import { createTestKeys, nowSeconds } from '../../../../gate/test/test-keys.ts';
import type { NewSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createTokenIssuer, generateTokenId } from '../../../src/sign-in/sessions/sign-token.ts';

const { ring } = createTestKeys();
const now = () => nowSeconds * 1000 + 999;
const sessions: NewSession[] = [];
const parts = {
  keys: ring,
  lease: { isLive: () => true },
  remember: async (session: NewSession) => void sessions.push(session),
  isOriginKept: true,
  lifetimeSeconds: 3600,
  now,
  randomBytes,
};
const origin = { ip: '192.0.2.1', userAgent: 'curl/8' };
const issueToken = createTokenIssuer(parts);
const account = {
  userId: 7,
  username: 'mei',
  roleId: 2,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 4,
} as const;

it('issues nothing without a lease', async () => {
  const issue = createTokenIssuer({ ...parts, lease: { isLive: () => false } });
  await expect(issue(account, origin)).rejects.toMatchObject({ kind: 'unavailable' });
});

it('issues nothing that cannot be listed as a session', async () => {
  const issue = createTokenIssuer({ ...parts, remember: () => Promise.reject(new Error('away')) });
  await expect(issue(account, origin)).rejects.toThrow('away');
});

it('returns the facts of the session, and nothing of the token', async () => {
  const { jti, token } = await issueToken(account, origin);
  const session = sessions.at(-1);
  expect(session).toEqual({
    ...origin,
    jti,
    kid: 'k1',
    account,
    issuedAt: new Date(nowSeconds * 1000),
    expiresAt: new Date((nowSeconds + 3600) * 1000),
  });
  expect(JSON.stringify(session)).not.toContain(token.split('.').at(-1));
});

it('keeps no address and no agent where the login log is off', async () => {
  await createTokenIssuer({ ...parts, isOriginKept: false })(account, origin);
  expect(Object.keys(sessions.at(-1) ?? {})).toEqual([
    'jti',
    'kid',
    'account',
    'proof',
    'issuedAt',
    'expiresAt',
  ]);
});

it('issues a token that carries exactly what the contract says', async () => {
  const { token, jti, expiresAt } = await issueToken(account, origin);
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
  const { token, jti } = await issueToken(account, origin);
  expect((await verify(token)).claims.jti).toBe(jti);
});

it('issues a token of dev that a verifier outside dev refuses, even with the same key', async () => {
  const issueForDev = createTokenIssuer({ ...parts, lifetimeSeconds: 876_010 * 3600 });
  const verify = createTokenVerifier({ keys: ring, maxLifetimeSeconds: 86_400, now });
  await expect(verify((await issueForDev(account, origin)).token)).rejects.toMatchObject({
    kind: 'token_malformed',
  });
});

it('gives every token a unique jti of 128 random bits', async () => {
  const tokens = await Promise.all(Array.from({ length: 100 }, () => issueToken(account, origin)));
  const ids = tokens.map(({ jti }) => jti);
  expect(new Set(ids).size).toBe(100);
  for (const jti of ids) expect(Buffer.from(jti, 'base64url')).toHaveLength(16);
});

it('begins no jti with a dash, which a command would read as an option', () => {
  const drawn = [Buffer.alloc(16, 0xff), Buffer.from('-'.padEnd(22, 'A'), 'base64url'), Buffer.alloc(16)];
  const draw = () => generateTokenId(() => drawn.pop() ?? Buffer.alloc(16, 1));
  expect([draw(), draw(), draw()]).toEqual(['A'.repeat(22), `${'_'.repeat(21)}w`, 'AQEBAQEBAQEBAQEBAQEBAQ']);
});

it('says that the password is due, where it is, and the verifier reads it', async () => {
  const verify = createTokenVerifier({ keys: ring, maxLifetimeSeconds: 86_400, now });
  const { token } = await issueToken({ ...account, passwordDue: true }, origin);
  expect((await verify(token)).claims.due).toBe(true);
  expect((await verify((await issueToken(account, origin)).token)).claims).not.toHaveProperty('due');
});
