// What an instance says of the changes of access that it cannot follow: once for each cause, and at once after it went well.
import { afterEach, expect, it, vi } from 'vitest';
import * as members from '../../src/cluster/member-store.ts';
import { type ComposedWorld, composeWorld } from './compose-world.ts';

const cannotFollow = 'cannot follow the changes of access';
const leaseLost = 'the lease is lost: every request is refused until it is back';

let world: ComposedWorld | undefined;
afterEach(async () => {
  await world?.remove();
  world = undefined;
  vi.restoreAllMocks();
});

/** A service whose reports to the database fail while `cause` says so. */
async function startBreakable() {
  const broken: { cause?: string | undefined; failures: number } = { failures: 0 };
  const { openMemberStore } = members;
  vi.spyOn(members, 'openMemberStore').mockImplementation((options) => {
    const { transport, ...rest } = openMemberStore(options);
    return {
      ...rest,
      transport: {
        ...transport,
        async report(...given) {
          if (broken.cause === undefined) return await transport.report(...given);
          broken.failures += 1;
          throw new Error(broken.cause);
        },
      },
    };
  });
  const composed = await composeWorld();
  world = composed;
  const { opsPort } = await composed.portcullis.listen();
  const isReady = async () => (await fetch(`http://127.0.0.1:${opsPort}/readyz`)).status === 200;
  const lines = (msg: string) => composed.warnings.filter((line) => line.msg === msg);
  return { broken, isReady, lines };
}

it('logs a failure once with its lease and once without, logs the lost lease, and starts again after it returns', async () => {
  const { broken, isReady, lines } = await startBreakable();
  await expect.poll(isReady).toBe(true);
  broken.cause = 'the line is cut';
  await expect.poll(() => lines(leaseLost).length).toBeGreaterThan(0);
  const { failures } = broken;
  await expect.poll(() => broken.failures).toBeGreaterThan(failures + 1);
  expect(lines(cannotFollow)).toMatchObject([
    { leased: true, leftOut: 0, err: { message: 'the line is cut' } },
    { leased: false, leftOut: 0, err: { message: 'the line is cut' } },
  ]);
  expect(lines(leaseLost)).toHaveLength(1);
  broken.cause = undefined;
  await expect.poll(isReady).toBe(true);
  broken.cause = 'the line is cut';
  await expect.poll(() => lines(cannotFollow).length).toBeGreaterThan(2);
  expect(lines(cannotFollow)[2]).toMatchObject({ leased: true, leftOut: 0 });
  broken.cause = undefined;
});
