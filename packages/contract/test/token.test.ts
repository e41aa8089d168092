import { TokenClaims } from '@portcullis/contract';
import { Check } from 'typebox/value';
import { expect, it } from 'vitest';

const claims = {
  identity: 7,
  roleid: 2,
  rolekey: 'editor',
  nice: 'mei',
  datascope: '3',
  sub: '7',
  iss: 'portcullis',
  iat: 1_800_000_000,
  exp: 1_800_003_600,
  jti: 'AAAAAAAAAAAAAAAAAAAAAA',
  ep: 1,
};

it.each(Object.keys(claims))('rejects a token without %s', (name) => {
  const { [name as 'ep']: _left, ...rest } = claims;
  expect(Check(TokenClaims, rest)).toBe(false);
});

it('rejects a token with a further claim', () => {
  expect(Check(TokenClaims, { ...claims, aud: 'x' })).toBe(false);
});

it('a token carries the five items of the specification and the registered ones', () => {
  expect(Check(TokenClaims, claims)).toBe(true);
  expect(Object.keys(TokenClaims.properties)).toEqual([...Object.keys(claims), 'due']);
});

it('a token says that the password is due, or nothing of it', () => {
  expect(Check(TokenClaims, { ...claims, due: true })).toBe(true);
  for (const due of [false, null, 1, 'true', {}]) expect(Check(TokenClaims, { ...claims, due })).toBe(false);
});
