// T58 and G11: whatever goes wrong inside the guard, no handler is entered. Every check of every access and stage of
// the product's own pipeline is replaced by every fault in turn, and so is everything that the real checks ask.

import { type Access, accesses } from '@portcullis/contract';
import { type Check, createPipeline, type Stages } from '@portcullis/gate';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../packages/server/src/http/request-context.ts';
import { askedFaults, createRealGuard, honest, misfits } from './roles/asked.ts';
import { checkFaults } from './roles/faults.ts';
import { call, changingAccess, type Outcome } from './roles/guarded-app.ts';

const pass: Check = () => {};
const pipeline = createPipeline({
  limit: pass,
  limitCaller: pass,
  leased: pass,
  identify: pass,
  site: pass,
  passwordDue: pass,
  permit: pass,
});

const positions = accesses.flatMap((access) =>
  (['first', 'again'] as const).flatMap((stage) =>
    pipeline[access][stage].map((_, index) => ({ access, stage, index })),
  ),
);
type Position = (typeof positions)[number];

function withFault({ access, stage, index }: Position, fault: Check): Record<Access, Stages<RequestContext>> {
  const stages = pipeline[access];
  return { ...pipeline, [access]: { ...stages, [stage]: stages[stage].with(index, fault) } };
}

function expectNoEntry({ entries, answer }: Outcome, name: string): void {
  expect(entries, name).toBe(0);
  if (answer === undefined) return;
  expect(answer.text, name).toMatch(/^\{"code":(4\d\d|50[03]),"msg":"[^"]+"\}$/);
  expect(answer.text, name).not.toMatch(/torn|at /);
}

it.each(accesses)(
  'T58 a guard without a fault lets the handler of a %s route be entered, once',
  async (access) => {
    expect(await call(access, pipeline, changingAccess(), { mustAnswer: true })).toMatchObject({
      entries: 1,
      answer: { status: 200 },
    });
  },
);

describe('T58 no handler is entered where a check', () => {
  it('is injected at least 200 times', () => {
    expect(positions.length * checkFaults.length).toBeGreaterThanOrEqual(200);
  });

  it.each(checkFaults)('$name', async ({ name, happen }) => {
    const outcomes = await Promise.all(
      positions.map((position) =>
        call(position.access, withFault(position, happen as Check), changingAccess()),
      ),
    );
    for (const [index, outcome] of outcomes.entries())
      expectNoEntry(outcome, `${name}: ${JSON.stringify(positions[index])}`);
  });

  it('is missing from its place', async () => {
    for (const position of positions)
      expectNoEntry(
        await call(position.access, withFault(position, undefined as unknown as Check), changingAccess()),
        JSON.stringify(position),
      );
  });
});

describe('T58 no handler is entered where a dependency of a check fails:', () => {
  it.each(accesses)('nothing fails, and the handler of a %s route is entered once', async (access) => {
    const { pipeline: guard, current } = createRealGuard(honest);
    expect(await call(access, guard, current, { mustAnswer: true })).toMatchObject({
      entries: 1,
      answer: { status: 200 },
    });
  });

  it.each(askedFaults)('$asked $name', async ({ asked, name, happen }) => {
    const { pipeline: guard, current } = createRealGuard({ ...honest, [asked]: happen });
    expectNoEntry(await call('permission', guard, current), `${asked} ${name}`);
  });

  // Holds once the checks compare with the one good answer: `isRevoked() === false`, `isLive() === true`, `exp > now()`.
  it.each(misfits)('$asked $name, which its type rules out', async ({ asked, name, happen }) => {
    const { pipeline: guard, current } = createRealGuard({ ...honest, [asked]: happen });
    expectNoEntry(await call('permission', guard, current), `${asked} ${name}`);
  });
});
