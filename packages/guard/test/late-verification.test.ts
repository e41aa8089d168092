import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { orders, outcome, outcomeNow, startWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

it('a guard refuses what it began to verify within its lease, where the lease ended meanwhile', async () => {
  const { guard, service } = world;
  const [first, second] = [await world.logIn('carl'), await world.logIn('carl')];
  const clock = vi.spyOn(performance, 'now');
  // No report may renew the lease that is to end.
  service.server.process.signal('SIGSTOP');
  try {
    // Each is new to the guard, and so takes a verification.
    expect(await outcome(guard, orders(first))).toBe('allowed');
    const deciding = outcomeNow(guard, orders(second));
    const endedAt = performance.now() + 10_000;
    clock.mockReturnValue(endedAt);
    expect(await deciding).toBe('unavailable');
  } finally {
    clock.mockRestore();
    service.server.process.signal('SIGCONT');
  }
  await expect.poll(() => outcome(guard, orders(second))).toBe('allowed');
});
