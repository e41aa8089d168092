// The machine of one process: two clocks that run at its own rate, timers, and what can befall it.
import type { Instant, SetTimer } from '@portcullis/gate';
import type { Happening } from './event-queue.ts';
import type { World } from './world.ts';

export interface Host {
  readonly name: string;
  readonly isDead: boolean;
  monotonic(): number;
  /** As the machine believes. */
  wall(): number;
  instant(): Instant;
  readonly setTimer: SetTimer;
  /** Runs it after the time, or as soon as the process goes on again; never where it has died. */
  deliver(delay: number, call: Happening): void;
  /** The process does nothing for this long, and its clocks go on; of a suspended machine only the wall clock does. */
  stall(milliseconds: number, isSuspended: boolean): void;
  setWall(by: number): void;
  die(): void;
}

/** Far from 0, so that a clock is never taken for a duration. */
const monotonicStart = 1_000_000;
export const wallStart = 1_700_000_000_000;

export function createHost(world: World, name: string): Host {
  const { chance } = world;
  const rate = chance.pick([0.99, 0.99, 1, 1.01, 1.01, chance.between(0.99, 1.01)]);
  let wallOffset = chance.between(-500, 500);
  let isDead = false;
  let stalledUntil = 0;
  /** True time that passed while the machine was suspended, until its last suspension began. */
  let suspended = 0;
  let suspendedFrom = 0;
  let suspendedUntil = 0;

  function suspendedTime(): number {
    return suspended + Math.max(0, Math.min(world.now, suspendedUntil) - suspendedFrom);
  }

  function monotonic(): number {
    return monotonicStart + (world.now - suspendedTime()) * rate;
  }

  function wall(): number {
    return wallStart + wallOffset + world.now * rate;
  }

  function deliver(delay: number, call: Happening): void {
    world.plan(delay, () => {
      if (isDead) return false;
      if (world.now >= stalledUntil) return call();
      deliver(stalledUntil - world.now, call);
      return false;
    });
  }

  return {
    name,
    get isDead() {
      return isDead;
    },
    monotonic,
    wall,
    instant: () => ({ monotonic: monotonic(), wall: wall() }),
    setTimer(call, milliseconds) {
      const dueAt = monotonic() + milliseconds;
      let isCancelled = false;
      function wait(): void {
        deliver(Math.max(0, (dueAt - monotonic()) / rate), () => {
          if (isCancelled) return false;
          // The clock stood still meanwhile.
          if (monotonic() >= dueAt - 0.001) return call();
          wait();
          return false;
        });
      }
      wait();
      return () => {
        isCancelled = true;
      };
    },
    deliver,
    stall(milliseconds, isSuspended) {
      if (world.now < stalledUntil) return;
      stalledUntil = world.now + milliseconds;
      if (!isSuspended) return;
      suspended = suspendedTime();
      suspendedFrom = world.now;
      suspendedUntil = stalledUntil;
    },
    setWall(by) {
      wallOffset += by;
    },
    die() {
      isDead = true;
    },
  };
}
