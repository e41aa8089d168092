// Values of options, as they are typed.
import { expect, it } from 'vitest';
import { parseMoment, parseNetwork, wholeNumber } from '../../src/terminal/parse-argument.ts';

it.each(['0', '-1', '1.5', '01', '1e3', ' 1', '', '99999999999999999', '9007199254740992'])(
  'a whole number is not %j',
  (text) => {
    expect(() => wholeNumber()(text)).toThrow('Use a whole number above 0.');
  },
);

it('accepts a whole number up to its bound', () => {
  expect(wholeNumber()('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  expect([wholeNumber(60)('1'), wholeNumber(60)('60')]).toEqual([1, 60]);
  expect(() => wholeNumber(60)('61')).toThrow('Use a whole number from 1 to 60.');
});

it.each(['yesterday', '24', '24s', '2026-13-01', '2026-11-01T08:00:00', '1234567h', ''])(
  'a moment is not %j',
  (text) => {
    expect(() => parseMoment(text)).toThrow('Use a date');
  },
);

it('a moment is a date, a moment with its offset, or how long ago', () => {
  expect(parseMoment('2026-11-01')).toBe('2026-11-01T00:00:00.000Z');
  expect(parseMoment('2026-11-01T08:00:00+08:00')).toBe('2026-11-01T00:00:00.000Z');
  for (const [text, milliseconds] of [
    ['90m', 5_400_000],
    ['24h', 86_400_000],
    ['2d', 172_800_000],
  ] as const) {
    const [before, parsed] = [Date.now(), Date.parse(parseMoment(text))];
    expect(parsed).toBeGreaterThanOrEqual(before - milliseconds);
    expect(parsed).toBeLessThanOrEqual(Date.now() - milliseconds);
  }
});

it.each([
  '',
  'host',
  '192.0.2.0/33',
  '192.0.2.0/',
  '192.0.2.0/24/8',
  '192.0.2.0/1234',
  '2001:db8::/129',
  'x/8',
])('a network is not %j', (text) => {
  expect(() => parseNetwork(text)).toThrow('Use an address');
});

it.each(['192.0.2.7', '192.0.2.0/24', '192.0.2.7/32', '2001:db8::/32', '2001:db8::1/128'])(
  'a network is %j',
  (text) => {
    expect(parseNetwork(text)).toBe(text);
  },
);
