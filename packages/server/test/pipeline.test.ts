import { expect, it } from 'vitest';
import { createPipeline } from '../src/pipeline.ts';

const same = (checks: readonly unknown[], expected: readonly unknown[]) =>
  checks.length === expected.length && checks.every((check, index) => check === expected[index]);

it('runs limit, then lease, identity, site and permission, as far as the access asks for, and what access decides again', () => {
  const limit = () => {};
  const hold = () => {};
  const identify = () => {};
  const site = () => {};
  const permit = () => {};
  const pipeline = createPipeline({ limit, hold, identify, site, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['identity', 'permission', 'public']);
  expect(same(pipeline.public.first, [limit])).toBe(true);
  expect(same(pipeline.public.again, [])).toBe(true);
  expect(same(pipeline.identity.first, [limit, hold, identify, site])).toBe(true);
  expect(same(pipeline.identity.again, [hold, identify])).toBe(true);
  expect(same(pipeline.permission.first, [limit, hold, identify, site, permit])).toBe(true);
  expect(same(pipeline.permission.again, [hold, identify, permit])).toBe(true);
});
