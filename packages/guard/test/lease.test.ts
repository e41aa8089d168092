// A guard that cannot reach Portcullis refuses within its lease and never allows after that, until it has caught up.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Guard } from '@portcullis/guard';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAwakeTime } from '../../../test/rig/awake-time.ts';
import { judgeTime } from '../../../test/rig/judges-times.ts';
import { type Server, startServer } from '../../../test/rig/start-server.ts';
import { findFreePort } from '../../../test/rig/tcp-proxy.ts';
import { ask, bearer, orders, outcome, outcomeNow, secret, startWorld, type World } from './world.ts';

const leaseSeconds = 2;
/** The processes of other tests have the cores too. */
const slackMilliseconds = 500;

let world: World;
let token: string;
let decisionPort: number;
let guard: Guard;
const leases: boolean[] = [];

beforeAll(async () => {
  decisionPort = await findFreePort();
  world = await startWorld({ DECISION_PORT: String(decisionPort) });
  guard = await world.openGuard({ leaseSeconds, onLease: (isLive) => void leases.push(isLive) });
  token = await world.logIn('carl');
});
afterAll(() => world?.close());

describe('where Portcullis hangs', () => {
  it('refuses with 503 within the lease, and never allows after; allows again when it goes on', async () => {
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
    world.service.server.process.signal('SIGSTOP');
    const stoppedAt = performance.now();
    try {
      await expectLost(stoppedAt);
      expect(await ask(guard, orders(token))).toMatchObject({
        allowed: false,
        kind: 'unavailable',
        status: 503,
        headers: { 'x-auth-reason': 'unavailable' },
      });
      expect(guard.isReady()).toBe(false);
      await expect.poll(() => leases.at(-1)).toBe(false);
      expect(guard.status()).toMatchObject({ isReady: false, leaseRemainingSeconds: 0 });
    } finally {
      world.service.server.process.signal('SIGCONT');
    }
    await expect.poll(() => outcome(guard, orders(token))).toBe('allowed');
    await expect.poll(() => leases.at(-1)).toBe(true);
    const { leaseLosses, leaseRemainingSeconds } = guard.status();
    expect(leaseLosses).toBe(leases.filter((isLive) => !isLive).length);
    expect(leaseRemainingSeconds).toBeGreaterThan(0);
  });

  it('is closed soon nevertheless', async () => {
    const other = await world.openGuard({ leaseSeconds });
    world.service.server.process.signal('SIGSTOP');
    try {
      const readTime = countAwakeTime();
      await other.close();
      expect(other.isReady()).toBe(false);
      judgeTime('Closing', readTime(), 1000 + slackMilliseconds);
    } finally {
      world.service.server.process.signal('SIGCONT');
    }
  });
});

describe('where Portcullis is killed', () => {
  let revived: Server | undefined;
  afterAll(() => revived?.stop());

  it('refuses within the lease, knows what was taken away meanwhile, and allows the others again', async () => {
    const [ended, kept] = [await world.logIn('carl'), token];
    for (const one of [ended, kept]) await expect.poll(() => outcome(guard, orders(one))).toBe('allowed');
    world.service.server.process.signal('SIGKILL');
    await expectLost(performance.now());
    await world.service.server.process.exited;

    revived = await startServer({
      databaseUrl: world.service.database.url,
      settings: { APPLICATION_MODE: 'prod', DECISION_SECRET: secret, DECISION_PORT: String(decisionPort) },
    });
    const logout = await fetch(`http://127.0.0.1:${revived.port}/api/v1/logout`, {
      method: 'POST',
      headers: bearer(ended),
    });
    expect(await logout.json()).toMatchObject({ code: 200 });
    expect(['token_revoked', 'unavailable']).toContain(await outcomeNow(guard, orders(ended)));
    await expect.poll(() => outcome(guard, orders(kept))).toBe('allowed');
    expect(await outcome(guard, orders(ended))).toBe('token_revoked');
  });

  it('is closed at once nevertheless', async () => {
    revived?.process.signal('SIGKILL');
    await revived?.process.exited;
    const readTime = countAwakeTime();
    await guard.close();
    expect(guard.isReady()).toBe(false);
    judgeTime('Closing', readTime(), slackMilliseconds);
  });
});

/** Asks all the time until one lease and a half has passed: it never allows what is asked behind the lease. */
async function expectLost(since: number): Promise<void> {
  let isRefused = false;
  for (let askedAt = 0; askedAt < leaseSeconds * 1500; await sleep(10)) {
    askedAt = performance.now() - since;
    const kind = await outcomeNow(guard, orders(token));
    isRefused ||= kind !== 'allowed';
    if (isRefused) expect(kind).toBe('unavailable');
    else expect(askedAt).toBeLessThan(leaseSeconds * 1000 + slackMilliseconds);
  }
  expect(isRefused).toBe(true);
}
