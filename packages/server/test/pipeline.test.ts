import { expect, it } from 'vitest';
import { createPipeline } from '../src/pipeline.ts';

it('runs limit, then identity, then permission, as far as the access asks for', () => {
  const limit = () => {};
  const identify = () => {};
  const permit = () => {};
  const pipeline = createPipeline({ limit, identify, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['identity', 'permission', 'public']);
  const same = (checks: readonly unknown[], expected: readonly unknown[]) =>
    checks.length === expected.length && checks.every((check, index) => check === expected[index]);
  expect(same(pipeline.public, [limit])).toBe(true);
  expect(same(pipeline.identity, [limit, identify])).toBe(true);
  expect(same(pipeline.permission, [limit, identify, permit])).toBe(true);
});
