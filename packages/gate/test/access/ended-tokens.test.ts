import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createEndedTokens } from '../../src/access/ended-tokens.ts';

const newJti = () => randomBytes(16).toString('base64url');

it('has what was added and nothing else, through every growth', () => {
  const tokens = createEndedTokens(() => 0);
  const [ended, others] = [Array.from({ length: 20_000 }, newJti), Array.from({ length: 20_000 }, newJti)];
  for (const jti of ended) {
    tokens.add(jti, 100);
    tokens.add(jti, 100);
  }
  expect(ended.filter((jti) => !tokens.has(jti))).toEqual([]);
  expect(others.filter((jti) => tokens.has(jti))).toEqual([]);
});

it('keeps one whose expiry lies a hundred years ahead', () => {
  const tokens = createEndedTokens(() => 1_800_000_000);
  const jti = newJti();
  tokens.add(jti, 1_800_000_000 + 876_010 * 3600);
  for (let index = 0; index < 5000; index += 1) tokens.add(newJti(), 1_800_000_001);
  expect(tokens.has(jti)).toBe(true);
});

it('keeps one that is a second from its expiry when it is built anew', () => {
  const tokens = createEndedTokens(() => 1000);
  const [ending, ended] = [newJti(), newJti()];
  tokens.add(ending, 1001);
  tokens.add(ended, 1000);
  // What has expired is forgotten when it is built anew.
  while (tokens.has(ended)) tokens.add(newJti(), 5000);
  expect(tokens.has(ending)).toBe(true);
});

it('forgets what has expired instead of growing, and nothing that has not', () => {
  let now = 0;
  const tokens = createEndedTokens(() => now);
  const lasting = newJti();
  tokens.add(lasting, 1_000_000);
  const expired = newJti();
  tokens.add(expired, 1);
  for (now = 1; now < 20_000; now += 1) tokens.add(newJti(), now + 1);
  expect([tokens.has(lasting), tokens.has(expired)]).toEqual([true, false]);
});
