// One key per purpose: a leaked key gives no access to data under another one.
import { expect, it } from 'vitest';
import { parseMasterKey } from '../../../src/base/settings/master-key.ts';

it('no two purposes share a key, nor does one have the master key itself', () => {
  const text = '8f3a61c47e02d95bb1607f2c4a83e6d50c9e17f82b64da3195c07e4f6ab82d13';
  const keys = Object.values(parseMasterKey(text, false)).map((key: Buffer) => key.toString('hex'));
  expect(keys.length).toBeGreaterThan(1);
  expect(new Set([...keys, text]).size).toBe(keys.length + 1);
});
