import { describe, expect, it } from 'vitest';
import { createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { createConnectionCheck } from '../../../src/base/outbound/checked-connection.ts';
import { createHostResolver } from '../../../src/base/outbound/host-resolver.ts';

const check = (networks: readonly string[]) =>
  createConnectionCheck({
    addresses: createAllowedAddresses({ allowedNetworks: networks }),
    resolve: createHostResolver(),
  });
const closed = check([]);
const open = check(['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32']);
const checkHost = ({ checkHost }: typeof closed, host: string) =>
  checkHost(host.replace(/^\[|\]$/g, ''), false);
const lookUp = (host: string, network = closed) =>
  new Promise<string>((resolve) =>
    network.lookup(host, { all: true }, (error, found) =>
      resolve(error === null ? JSON.stringify(found) : error.message),
    ),
  );

describe('an address that is not public', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:10.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::]',
    '[fe80::1]',
    '[fd00::1]',
    '[ff02::1]',
  ])('%s is refused as a literal in the URL', (host) => {
    expect(() => checkHost(closed, host)).toThrow(/not allow/);
  });

  it('is refused where a name leads to it', async () => {
    expect(await lookUp('localhost')).toMatch(/not allow/);
  });

  it('is allowed where its network is listed, and no other', () => {
    for (const host of ['10.1.2.3', '127.0.0.1', '[fd00:1::5]'])
      expect(() => checkHost(open, host)).not.toThrow();
    for (const host of ['10.2.0.1', '127.0.0.2', '[fd00:2::5]'])
      expect(() => checkHost(open, host)).toThrow();
  });
});

it.each(['8.8.8.8', '172.32.0.1', '[2600::1]', 'sso.example.com'])('%s is allowed', (host) => {
  expect(() => checkHost(closed, host)).not.toThrow();
});
