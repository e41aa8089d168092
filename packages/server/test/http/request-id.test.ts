import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createRequestIds } from '../../src/http/request-id.ts';

it('gives no id twice, on one instance or on two', () => {
  const instances = [createRequestIds(randomBytes), createRequestIds(randomBytes)];
  const ids = instances.flatMap((create) => Array.from({ length: 5000 }, create));
  expect(new Set(ids).size).toBe(10_000);
  expect(ids.every((id) => /^[0-9a-f]{16}-[0-9a-z]+$/.test(id))).toBe(true);
});
