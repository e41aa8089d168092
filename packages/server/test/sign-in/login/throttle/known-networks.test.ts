import { createSecretKey } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKnownNetworks } from '../../../../src/sign-in/login/throttle/known-networks.ts';
import { networkKey } from '../../../../src/sign-in/login/throttle/throttle.ts';
import type { ThrottleStore } from '../../../../src/sign-in/login/throttle/throttle-store.ts';

const key = createSecretKey(Buffer.alloc(32, 7));

function createWorld(stored: readonly string[] = []) {
  const listKnownNetworks = async () => stored.map((network) => networkKey(key, network));
  return createKnownNetworks({ listKnownNetworks } as unknown as ThrottleStore, key);
}

it('treats a network as unknown until a login from it succeeds', () => {
  const known = createWorld();
  expect(known.has('192.0.2.1')).toBe(false);
  known.add('192.0.2.1');
  expect(known.has('192.0.2.1')).toBe(true);
  expect(known.has('192.0.2.2')).toBe(false);
});

it('a network is known after a refresh when another instance has stored it, and what was known stays so', async () => {
  const known = createWorld(['192.0.2.1', '192.0.2.2']);
  known.add('192.0.2.3');
  await known.refresh();
  for (const network of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(known.has(network)).toBe(true);
});

it('more networks than it remembers push out the ones that came first', () => {
  const known = createWorld();
  for (let index = 0; index <= 100_000; index += 1) known.add(`network ${index}`);
  expect(known.has('network 0')).toBe(false);
  expect(known.has('network 1')).toBe(true);
  expect(known.has('network 100000')).toBe(true);
});
