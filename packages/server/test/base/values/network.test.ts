import { expect, it } from 'vitest';
import { networkOf } from '../../../src/base/values/network.ts';

// biome-ignore format: One row an address.
const cases = [
  ['192.0.2.1',                               '192.0.2.1'],
  ['::ffff:192.0.2.1',                        '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6',                    '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff',        '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::1',                  '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::',                          '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1',                         '2001:db8:1:3::/64'],
  ['2001:db8::1',                             '2001:db8:0:0::/64'],
  ['2001:db8:0:0:1::',                        '2001:db8:0:0::/64'],
  ['::1',                                     '0:0:0:0::/64'],
  ['::',                                      '0:0:0:0::/64'],
  ['fe80::1%eth0',                            'fe80:0:0:0::/64'],
  ['fe80::2%eth1',                            'fe80:0:0:0::/64'],
  // What is no address stands for itself, so that nothing else shares its bucket.
  ['',                                        ''],
  ['unknown',                                 'unknown'],
  ['a:b',                                     'a:b'],
] as const;

it.each(cases)('counts %s as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
