import { AppError, type ErrorKind } from '@portcullis/contract';
import { describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../../test/weaknesses/attack.ts';
import {
  createRefusalDeadline,
  type DecidedBy,
} from '../../../../src/sign-in/login/credentials/refusal-deadline.ts';

const hash = { hash: true } as const;
const directory = { directory: 'corp' } as const;

/** Refusals by a clock of the test. */
function createWorld({ ofHash = 0 } = {}) {
  const world = { now: 0, waits: [] as number[] };
  const deadline = createRefusalDeadline({
    limitMilliseconds: 3000,
    refusalTime: { milliseconds: ofHash },
    monotonic: () => world.now,
    sleep: async (milliseconds) => void world.waits.push(milliseconds),
  });
  /** How long a refusal took in all, after a decision that took so long. */
  async function refuse(
    by: DecidedBy | undefined,
    milliseconds: number,
    { rest = 0, kind = 'credentials_wrong' as ErrorKind } = {},
  ): Promise<number> {
    const clock = deadline.begin();
    if (by !== undefined) clock.hasDeadline(by);
    world.now += milliseconds;
    clock.addRest(rest);
    world.waits.length = 0;
    await clock.waitFor(new AppError(kind));
    return milliseconds + (world.waits[0] ?? 0);
  }
  return { world, deadline, refuse };
}

describe('a refusal', () => {
  it('waits for its own rest alone where no directory is enabled', async () => {
    const { refuse } = createWorld();
    expect(await refuse(undefined, 20, { rest: 10 })).toBe(30);
    expect(await refuse(undefined, 20)).toBe(20);
  });

  it('waits for the time limit of a directory until a directory is measured', async () => {
    const { refuse } = createWorld();
    const first = await refuse(hash, 20);
    failIfAttackSucceeded(first < 3000, 'the time tells that a hash refused');
    expect(first).toBe(3000);
    expect(await refuse(hash, 30)).toBe(3000);
    expect(await refuse(directory, 100)).toBe(3000);
    expect(await refuse(hash, 20)).toBeLessThan(3000);
  });

  it.each([
    ['the directory', 20, 100],
    ['the hash', 100, 20],
  ])('takes the same time for every authority, where %s is slower', async (_which, ofHash, ofDirectory) => {
    const { refuse } = createWorld();
    await refuse(hash, ofHash);
    await refuse(directory, ofDirectory);
    for (const [by, milliseconds] of [
      [hash, ofHash],
      [directory, ofDirectory],
      [hash, 5],
      [directory, 5],
      [directory, 140],
    ] as const) {
      const time = await refuse(by, milliseconds);
      failIfAttackSucceeded(time < 150, 'the time tells which authority refused');
      expect(time).toBe(150);
    }
  });

  it('covers a hash also before the first refusal by one', async () => {
    const { refuse } = createWorld({ ofHash: 40 });
    await refuse(directory, 10);
    const time = await refuse(directory, 10);
    failIfAttackSucceeded(time < 60, 'the time tells that the directory refused');
    expect(time).toBe(60);
    expect(await refuse(hash, 25, { rest: 15 })).toBe(60);
  });

  it('covers the rest that a hash takes', async () => {
    const { refuse } = createWorld();
    await refuse(directory, 10);
    await refuse(hash, 20, { rest: 60 });
    expect(await refuse(directory, 10)).toBe(120);
    expect(await refuse(hash, 20, { rest: 60 })).toBe(120);
    expect(await refuse(hash, 20, { rest: 200 })).toBe(220);
  });

  it('waits no longer than the time limit of a directory, and not at all behind it', async () => {
    const { refuse } = createWorld();
    await refuse(directory, 2900);
    const time = await refuse(hash, 20);
    failIfAttackSucceeded(time > 3000, 'one slow directory delays every refusal');
    expect(time).toBe(3000);
    expect(await refuse(directory, 3100)).toBe(3100);
    expect(await refuse(hash, 20)).toBe(3000);
  });

  it('keeps the time of a directory that is seldom asked', async () => {
    const { world, refuse } = createWorld();
    await refuse({ directory: 'slow' }, 400);
    for (let count = 0; count < 5; count += 1) {
      world.now += 600_000;
      await refuse(directory, 10);
      await refuse(hash, 10);
    }
    expect(await refuse(hash, 10)).toBe(600);
  });

  it('replaces an old measurement by newer ones', async () => {
    const { world, refuse } = createWorld();
    await refuse(directory, 1000);
    world.now += 300_001;
    expect(await refuse(directory, 100)).toBe(1500);
    expect(await refuse(hash, 10)).toBe(1500);
    world.now += 300_001;
    await refuse(directory, 100);
    expect(await refuse(hash, 10)).toBe(150);
  });

  it.each(['provider_unavailable', 'provider_link_missing', 'credentials_wrong'] as const)(
    'of the kind %s waits',
    async (kind) => {
      const { refuse } = createWorld();
      await refuse(directory, 100);
      expect(await refuse(directory, 20, { kind })).toBe(150);
    },
  );

  it('by a directory that is away does not raise the deadline', async () => {
    const { refuse } = createWorld();
    await refuse(directory, 100);
    await refuse(directory, 1900, { kind: 'provider_unavailable' });
    expect(await refuse(hash, 20)).toBe(150);
  });

  it.each(['rate_limited', 'factor_required'] as const)(
    'of the kind %s is answered at once',
    async (kind) => {
      const { refuse } = createWorld();
      expect(await refuse(hash, 20, { kind })).toBe(20);
      expect(await refuse(directory, 20, { kind })).toBe(20);
    },
  );

  it('leaves out the time that it waited for others on the same name', async () => {
    const { world, deadline, refuse } = createWorld();
    await refuse(directory, 100);
    world.waits.length = 0;
    const clock = deadline.begin();
    clock.hasDeadline(hash);
    world.now += 10;
    clock.stop();
    world.now += 2000;
    clock.goOn(5);
    world.now += 20;
    await clock.waitFor(new AppError('credentials_wrong'));
    failIfAttackSucceeded((world.waits[0] ?? 0) < 150 - 35, 'the time tells of the attempts before it');
    expect(world.waits).toEqual([150 - 35]);
  });
});

it.each([
  ['a refusal', new AppError('credentials_wrong'), ['wait', 'settle']],
  ['an attempt that is throttled', new AppError('rate_limited'), ['settle']],
  ['an error', new Error('The store is away.'), ['settle']],
])('the attempt of %s counts as wrong during the wait', async (_which, error, done) => {
  const seen: string[] = [];
  const clock = createRefusalDeadline({
    limitMilliseconds: 3000,
    refusalTime: { milliseconds: 0 },
    monotonic: () => 0,
    sleep: async () => void seen.push('wait'),
  }).begin();
  clock.hasDeadline(hash);
  clock.settleBy(async () => void seen.push('settle'));
  await clock.waitFor(error);
  failIfAttackSucceeded(!seen.includes('settle'), 'the guess is not counted');
  expect(seen).toEqual(done);
});

it('an error that is no refusal is answered at once', async () => {
  const { world, deadline } = createWorld();
  const clock = deadline.begin();
  clock.hasDeadline(hash);
  await clock.waitFor(new Error('The store is away.'));
  expect(world.waits).toEqual([]);
});
