// A token of a retired key is refused as revoked: the token was ours, and a caller can log in again.
import { expect, it } from 'vitest';
import { createTokenVerifier } from '../../src/token/verify-token.ts';
import { createTestKeys, goodClaims, goodHeader, nowSeconds } from '../test-keys.ts';

const keys = createTestKeys();

it.each([
  ['of an unknown key is malformed', false, 'token_malformed'],
  ['of a retired key is revoked', true, 'token_revoked'],
])('a token %s', async (_, isRetired, kind) => {
  const verify = createTokenVerifier({
    keys: { find: () => undefined, isRetired: (kid) => isRetired && kid === goodHeader.kid },
    maxLifetimeSeconds: 86_400,
    now: () => nowSeconds * 1000,
  });
  await expect(verify(keys.token(goodHeader, goodClaims))).rejects.toMatchObject({ kind });
});
