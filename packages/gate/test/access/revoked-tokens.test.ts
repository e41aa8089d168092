import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRevokedTokens } from '../../src/access/revoked-tokens.ts';

const newJti = () => randomBytes(16).toString('base64url');

it('has what was added and nothing else, through every growth', () => {
  const tokens = createRevokedTokens(() => 0);
  const [ended, others] = [Array.from({ length: 20_000 }, newJti), Array.from({ length: 20_000 }, newJti)];
  for (const jti of ended) {
    tokens.add(jti, 100);
    tokens.add(jti, 100);
  }
  expect(ended.filter((jti) => !tokens.has(jti))).toEqual([]);
  expect(others.filter((jti) => tokens.has(jti))).toEqual([]);
});

it('keeps one whose expiry lies a hundred years ahead', () => {
  const tokens = createRevokedTokens(() => 1_800_000_000);
  const jti = newJti();
  tokens.add(jti, 1_800_000_000 + 876_010 * 3600);
  for (let index = 0; index < 5000; index += 1) tokens.add(newJti(), 1_800_000_001);
  expect(tokens.has(jti)).toBe(true);
});

it('drops tokens that expired an hour ago when it is rebuilt, and keeps the others', () => {
  let now = 3600 * 1000;
  const tokens = createRevokedTokens(() => now);
  const [ending, ended] = [newJti(), newJti()];
  tokens.add(ending, now + 3600);
  tokens.add(ended, now + 3599);
  now += 7200;
  for (let index = 0; tokens.has(ended) && index < 5000; index += 1) tokens.add(newJti(), now + 5000);
  expect([tokens.has(ended), tokens.has(ending)]).toEqual([false, true]);
});

it('forgets what has expired instead of growing, and nothing that has not', () => {
  let now = 0;
  const tokens = createRevokedTokens(() => now);
  const lasting = newJti();
  tokens.add(lasting, 1_000_000);
  const expired = newJti();
  tokens.add(expired, 1);
  for (; now < 720_000; now += 36) tokens.add(newJti(), now + 1);
  expect([tokens.has(lasting), tokens.has(expired)]).toEqual([true, false]);
  expect(tokens.size).toBeLessThan(2000);
});

it('keeps the later expiry of a token that is added twice', () => {
  let now = 0;
  const tokens = createRevokedTokens(() => now);
  const jti = newJti();
  tokens.add(jti, 10_000);
  tokens.add(jti, 1);
  now = 9999;
  for (let index = 0; index < 5000; index += 1) tokens.add(newJti(), 20_000);
  expect(tokens.has(jti)).toBe(true);
});

it.each([
  ['first', 0x00],
  ['last', 0xff],
])('has those that are the %s of all numbers, however many', (_which, byte) => {
  const tokens = createRevokedTokens(() => 0);
  const near = () => Buffer.concat([Buffer.alloc(4, byte), randomBytes(12)]).toString('base64url');
  const ended = Array.from({ length: 3000 }, near);
  for (const jti of ended) tokens.add(jti, 100);
  expect(ended.filter((jti) => !tokens.has(jti))).toEqual([]);
  expect([tokens.size, tokens.has(near())]).toEqual([3000, false]);
});

it('gives the same bytes for the same tokens, by the hour, without those that have expired', () => {
  let now = 0;
  const jtis = Array.from({ length: 150_000 }, newJti);
  const [one, other] = [createRevokedTokens(() => now), createRevokedTokens(() => now)];
  for (const [index, jti] of jtis.entries()) one.add(jti, index % 2 === 0 ? 3600 : 10_800);
  for (const [index, jti] of [...jtis.entries()].toReversed())
    other.add(jti, index % 2 === 0 ? 3600 : 10_800);
  const [hours, others] = [[...one.hours()], [...other.hours()]];
  expect(hours.map(({ hour, fingerprints }) => [hour, fingerprints.length / 8])).toEqual([
    [1, 65_536],
    [1, 9464],
    [3, 65_536],
    [3, 9464],
  ]);
  const bytesOf = (read: typeof hours) => Buffer.concat(read.map(({ fingerprints }) => fingerprints));
  expect(bytesOf(hours).equals(bytesOf(others))).toBe(true);
  const copy = createRevokedTokens(() => now);
  for (const hour of hours) copy.addAll(hour);
  expect(jtis.filter((jti) => !copy.has(jti))).toEqual([]);
  now = 10_800;
  expect([...one.hours()].map(({ hour }) => hour)).toEqual([3, 3]);
});

it('returns the tokens of the moment of the call, also when others are added meanwhile', () => {
  const tokens = createRevokedTokens(() => 0);
  const jtis = Array.from({ length: 70_000 }, newJti);
  for (const jti of jtis) tokens.add(jti, 100);
  const copy = createRevokedTokens(() => 0);
  for (const hour of tokens.hours()) {
    for (let index = 0; index < 1000; index += 1) tokens.add(newJti(), 100);
    copy.addAll(hour);
  }
  expect(jtis.filter((jti) => !copy.has(jti))).toEqual([]);
});

it('takes none that are cut off', () => {
  const tokens = createRevokedTokens(() => 0);
  expect(() => tokens.addAll({ hour: 1, fingerprints: new Uint8Array(12) })).toThrow('cut off');
});

it('returns tokens that a clock a few seconds behind still treats as valid', () => {
  let now = 7198;
  const tokens = createRevokedTokens(() => now);
  const jti = newJti();
  tokens.add(jti, 7199);
  // Each clock may be two seconds off the database's (docs/decisions/0006): one is past the hour, the other is not.
  now = 7201;
  const copy = createRevokedTokens(() => 7197);
  for (const hour of tokens.hours()) copy.addAll(hour);
  expect(copy.has(jti)).toBe(true);
});
