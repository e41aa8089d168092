import { describe, expect, it } from 'vitest';
import { readFilter, toQuery } from '../../../src/pages/login-log/log-filter.ts';

describe('reading a filter', () => {
  it.each([
    ['last', '2h'],
    ['last', 'constructor'],
    ['from', 'yesterday'],
    ['from', '2026-11-15'],
    ['from', '2026-11-15T10:00'],
    ['from', '2026-13-15T10:00:00Z'],
    ['to', '2026-11-15T10:00:00 Z'],
    ['username', 'x'.repeat(65)],
    ['username', 'a\0b'],
    ['username', ['ada', 'mei']],
    ['userId', '0'],
    ['userId', '1.5'],
    ['userId', '-3'],
    ['userId', '9007199254740993'],
    ['ip', 'localhost'],
    ['ip', '1.2.3.400'],
    ['ip', '1.2.3'],
    ['ip', '01.2.3.4'],
    ['ip', '10.0.0.0/33'],
    ['ip', '10.0.0.0/'],
    ['ip', '::1/129'],
    ['ip', ':::'],
    ['ip', '10.0.0.0/8/8'],
    ['outcome', 'maybe'],
    ['reason', 'toString'],
    ['location', 'CHN'],
    ['location', '1A'],
  ])('leaves out %s=%j, and says so', (name, value) => {
    expect(readFilter({ [name]: value })).toEqual({ filter: {}, refused: [name] });
  });

  it.each([
    ['last', '7d', '7d'],
    ['from', '2026-11-15T10:00:00Z', '2026-11-15T10:00:00.000Z'],
    ['to', '2026-11-15T10:00:00.5+02:00', '2026-11-15T08:00:00.500Z'],
    ['username', ' ada ', 'ada'],
    ['userId', '7', '7'],
    ['ip', '10.20.0.14', '10.20.0.14'],
    ['ip', '10.20.0.0/16', '10.20.0.0/16'],
    ['ip', '2001:db8::1', '2001:db8::1'],
    ['ip', '2001:db8::/32', '2001:db8::/32'],
    ['ip', '::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['outcome', 'failure', 'failure'],
    ['reason', 'user_disabled', 'user_disabled'],
    ['browser', 'Firefox 144', 'Firefox 144'],
    ['location', 'cn', 'CN'],
  ])('takes %s=%j', (name, value, read) => {
    expect(readFilter({ [name]: value })).toEqual({ filter: { [name]: read }, refused: [] });
  });

  it('takes no notice of empty values and other names', () => {
    expect(readFilter({ username: '', ip: null, os: '  ', other: 'x' })).toEqual({ filter: {}, refused: [] });
  });

  it('prefers a range that ends now to two moments', () => {
    expect(readFilter({ last: '24h', from: '2026-11-15T10:00:00Z' }).filter).toEqual({ last: '24h' });
  });

  it('refuses an end that is not after the beginning', () => {
    const at = '2026-11-15T10:00:00.000Z';
    expect(readFilter({ from: at, to: at })).toEqual({ filter: { from: at }, refused: ['to'] });
  });
});

describe('the query of a filter', () => {
  const now = Date.parse('2026-11-15T10:00:00.000Z');

  it('has a range that ends now begin so long ago, and no end', () => {
    expect(toQuery({ last: '24h' }, now)).toEqual({ from: '2026-11-14T10:00:00.000Z' });
  });

  it('has numbers where the service wants them', () => {
    expect(toQuery({ userId: '7', outcome: 'failure', ip: '10.0.0.0/8' }, now)).toEqual({
      userId: 7,
      outcome: 'failure',
      ip: '10.0.0.0/8',
    });
  });
});
