// Whose key was retired is told so: the token was ours, and a caller may log in again.
import { expect, it } from 'vitest';
import { createTokenVerifier } from '../../src/token/verify-token.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';

const keys = createTestKeys();

it.each([
  ['of a key that nobody knows is malformed', false, 'token_malformed'],
  ['of a retired key is revoked', true, 'token_revoked'],
])('a token %s', async (_, isRetired, kind) => {
  const verify = createTokenVerifier({
    keys: { find: () => undefined, isRetired: (kid) => isRetired && kid === goodHeader.kid },
    maxLifetimeSeconds: 86_400,
    now: () => nowSeconds * 1000,
  });
  await expect(verify(keys.token(goodHeader, goodClaims))).rejects.toMatchObject({ kind });
});
