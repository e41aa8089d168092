import { expect, it } from 'vitest';
import { createDecisionPipeline, createPipeline } from '../src/pipeline.ts';

const same = (checks: readonly unknown[], expected: readonly unknown[]) =>
  checks.length === expected.length && checks.every((check, index) => check === expected[index]);

it('runs limit, then lease, identity, site, settled and permission, as far as the access asks for, and what access decides again', () => {
  const limit = () => {};
  const hold = () => {};
  const identify = () => {};
  const site = () => {};
  const settled = () => {};
  const permit = () => {};
  const pipeline = createPipeline({ limit, hold, identify, site, settled, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['identity', 'permission', 'public']);
  expect(same(pipeline.public.first, [limit])).toBe(true);
  expect(same(pipeline.public.again, [])).toBe(true);
  expect(same(pipeline.identity.first, [limit, hold, identify, site, settled])).toBe(true);
  expect(same(pipeline.identity.again, [hold, identify])).toBe(true);
  expect(same(pipeline.permission.first, [limit, hold, identify, site, settled, permit])).toBe(true);
  expect(same(pipeline.permission.again, [hold, identify, permit])).toBe(true);
});

it('decides for others by lease, canonical target, identity, site, settled and permission, or without a token by what is named', () => {
  const [hold, canonical, identify] = [() => {}, () => {}, () => {}];
  const [site, settled, permit] = [() => {}, () => {}, () => {}];
  const pipeline = createDecisionPipeline({ hold, canonical, identify, site, settled, permit });
  expect(Object.keys(pipeline).toSorted()).toEqual(['asked', 'named']);
  expect(same(pipeline.asked.first, [hold, canonical, identify, site, settled, permit])).toBe(true);
  expect(same(pipeline.asked.again, [hold, identify, permit])).toBe(true);
  expect(same(pipeline.named.first, [hold, canonical, settled, permit])).toBe(true);
  expect(same(pipeline.named.again, [hold, permit])).toBe(true);
});
