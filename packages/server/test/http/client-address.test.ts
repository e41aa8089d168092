import { describe, expect, it } from 'vitest';
import {
  createClientAddress,
  createTrustedProxies,
  lintProxies,
  peerOf,
} from '../../src/http/client-address.ts';

const ranges = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8', '2001:db8::7'];
const clientAddress = createClientAddress(ranges);

function addressOf(
  peer: string | undefined,
  forwarded?: string,
  others: Record<string, string> = {},
): string {
  const headers = forwarded === undefined ? others : { ...others, 'x-forwarded-for': forwarded };
  return clientAddress({ socket: { remoteAddress: peer } as never, headers });
}

describe('behind a peer that is not trusted', () => {
  // biome-ignore format: One row a request.
  it.each([
    ['203.0.113.9',        '198.51.100.1'],
    ['203.0.113.9',        '10.0.0.1'],
    ['203.0.113.9',        'a'],
    ['203.0.113.9',        ''],
    ['192.0.2.8',          '198.51.100.1'],
    ['2001:db8::8',        '198.51.100.1'],
    ['11.0.0.1',           '198.51.100.1'],
  ])('%s with X-Forwarded-For %j is itself', (peer, forwarded) => {
    expect(addressOf(peer, forwarded)).toBe(peer);
  });

  it('is the peer itself where no proxy is trusted', () => {
    const trusting = createClientAddress([]);
    const headers = { 'x-forwarded-for': '198.51.100.1' };
    expect(trusting({ socket: { remoteAddress: '127.0.0.1' } as never, headers })).toBe('127.0.0.1');
    expect(trusting({ socket: { remoteAddress: '::ffff:127.0.0.1' } as never, headers })).toBe('127.0.0.1');
  });
});

describe('behind a trusted proxy', () => {
  // biome-ignore format: One row a header.
  it.each([
    ['198.51.100.1',                         '198.51.100.1'],
    ['evil, 198.51.100.1',                   '198.51.100.1'],
    ['203.0.113.9, 198.51.100.1',            '198.51.100.1'],
    ['198.51.100.1, 10.9.9.9',               '198.51.100.1'],
    ['203.0.113.9,198.51.100.1 ,10.9.9.9',   '198.51.100.1'],
    ['198.51.100.1:5678',                    '198.51.100.1'],
    ['[2001:db8:1::1]:443',                  '2001:db8:1::1'],
    ['[2001:db8:1::1]',                      '2001:db8:1::1'],
    ['2001:DB8:1:0::1',                      '2001:db8:1::1'],
    ['::ffff:198.51.100.1',                  '198.51.100.1'],
    ['::ffff:c633:6401',                     '198.51.100.1'],
    ['[::ffff:198.51.100.1]:80',             '198.51.100.1'],
    ['198.51.100.1, ::ffff:10.1.1.1',        '198.51.100.1'],
    ['198.51.100.1, [fd00::1]:80',           '198.51.100.1'],
    ['fe80::1%eth0',                         'fe80::1'],
  ])('%j names the client %s', (forwarded, client) => {
    expect(addressOf('10.0.0.1', forwarded)).toBe(client);
  });

  it.each([
    'a',
    '',
    ' ',
    ',',
    '198.51.100.1,',
    'unknown',
    '_hidden',
    '198.51.100',
    '198.51.100.1.1',
    '198.51.100.256',
    '0x7f.1',
    '198.51.100.1:',
    '198.51.100.1:port',
    '198.51.100.1:123456',
    '[198.51.100.1',
    '[]',
    '[::1]x',
    '::ffff:999.1.1.1',
    '"198.51.100.1"',
    'for=198.51.100.1',
    '198.51.100.1; DROP',
    '198.51.100.1 203.0.113.9',
    `${'1'.repeat(10_000)}`,
    '\u0000',
  ])('%j cannot be read, and counts as the proxy itself', (forwarded) => {
    expect(addressOf('10.0.0.1', forwarded)).toBe('10.0.0.1');
  });

  it('a missing header counts as the proxy itself', () => {
    expect(addressOf('10.0.0.1')).toBe('10.0.0.1');
  });

  it('treats an unreadable entry as the last known proxy', () => {
    expect(addressOf('10.0.0.1', '198.51.100.1, a, 10.9.9.9')).toBe('10.9.9.9');
  });

  it('a chain of nothing but proxies ends at the first of them', () => {
    expect(addressOf('10.0.0.1', '10.7.7.7, 10.9.9.9')).toBe('10.7.7.7');
  });

  it('no other header is read', () => {
    const others = {
      'x-real-ip': '198.51.100.1',
      forwarded: 'for=198.51.100.1',
      'true-client-ip': '198.51.100.1',
    };
    expect(addressOf('10.0.0.1', undefined, others)).toBe('10.0.0.1');
  });

  it.each(['192.0.2.7', '::ffff:10.0.0.1', 'fd12::1', '2001:db8::7', '2001:db8:0:0::7'])(
    '%s is one',
    (peer) => {
      expect(addressOf(peer, '198.51.100.1')).toBe('198.51.100.1');
    },
  );
});

it('returns an address for a closed socket too, so that it is limited', () => {
  expect(peerOf({ remoteAddress: undefined })).toBe('0.0.0.0');
  expect(addressOf(undefined, '198.51.100.1')).toBe('0.0.0.0');
});

describe('the setting application.trustedProxies', () => {
  it.each([
    '',
    '*',
    'true',
    '1',
    'loopback',
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0/8',
    'fd00::/129',
    'fe80::1%eth0',
    ' 10.0.0.1',
    '10.0.0.1/8/8',
  ])('refuses %j and says what to write', (range) => {
    expect(lintProxies(['10.0.0.1', range])).toEqual([
      expect.stringMatching(/^`application\.trustedProxies` contains .* Write it like 10\.0\.0\.5/),
    ]);
  });

  it('takes addresses and ranges of both families', () => {
    expect(lintProxies([...ranges, '0.0.0.0/1', '::1', 'fd00::/128'])).toEqual([]);
  });

  it('has the whole range, and nothing beside it', () => {
    const proxies = createTrustedProxies(['192.0.2.64/26']);
    for (const [address, isTrusted] of Object.entries({
      '192.0.2.63': false,
      '192.0.2.64': true,
      '192.0.2.127': true,
      '192.0.2.128': false,
    }))
      expect(proxies.has(address), address).toBe(isTrusted);
  });
});
