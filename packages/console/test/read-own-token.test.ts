import { expect, test } from 'vitest';
import { readOwnToken } from '../src/read-own-token.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

test.each([
  [undefined],
  [null],
  [''],
  ['x.y.z'],
  [`${part(7)}.${part(null)}.s`],
  [`${part({ kid: 7 })}.${part({})}.s`],
])('knows nothing of %j', (token) => {
  expect(readOwnToken(token)).toEqual({ jti: undefined, kid: undefined, isDue: false });
});

test('reads the session and the key, also beside a name in Chinese', () => {
  const token = `${part({ alg: 'ES256', kid: 'k1' })}.${part({ nice: '美???>>>', jti: 'abc' })}.sig`;
  expect(readOwnToken(token)).toEqual({ jti: 'abc', kid: 'k1', isDue: false });
});

test('reads that the password must be changed first', () => {
  expect(readOwnToken(`${part({})}.${part({ due: true })}.sig`).isDue).toBe(true);
});
