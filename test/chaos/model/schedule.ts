// One random schedule: draws steps and lets time pass between them. It must not allocate, unless it records.
import type { Action } from './action.ts';
import type { Actions } from './actions.ts';
import type { Random } from './random.ts';
import { resetWorld } from './reset-world.ts';
import { isViolated } from './violation.ts';
import { WAITING, type World } from './world.ts';

const DRAWS = 200;

/** A step that was taken, with its moment. */
export interface Step {
  readonly at: number;
  readonly action: Action;
}

export interface Schedule {
  /** Returns whether the invariants held. */
  run(seed: number, number: number, record?: Step[]): boolean;
  /** Runs recorded steps with the clocks of that schedule; returns how many it took to a violation, or 0. */
  replay(seed: number, number: number, steps: readonly Step[]): number;
}

export function createSchedule(world: World, actions: Actions, random: Random): Schedule {
  const deck = actions.all.flatMap((action) => Array.from({ length: action.weight }, () => action));

  function take(action: Action, record: Step[] | undefined): boolean {
    if (!action.take()) return false;
    record?.push({ at: world.t, action });
    return true;
  }

  /** Takes a step and, often, what usually follows it in the same moment. Returns whether all is well. */
  function follow(first: Action, eagerness: number, record: Step[] | undefined): boolean {
    let action: Action | undefined = first;
    while (action !== undefined && take(action, record)) {
      if (isViolated(world)) return false;
      if (random.below(8) >= eagerness) return true;
      action = action.next;
    }
    return true;
  }

  function begin(seed: number, number: number): void {
    resetWorld(world);
    random.start(seed, number);
    for (const member of world.members) member.rate = drawRate();
    for (const guard of world.guards) guard.rate = drawRate();
    for (const writer of world.writers) writer.rate = drawRate();
    // Half of the schedules have none, so that the quiet ones are not drowned by them.
    world.failoversLeft = Math.max(0, world.size.failovers - random.below(4));
    world.lossesLeft = random.below(2) === 0 ? world.size.losses : 0;
  }

  /** At the edges of what is allowed, mostly. */
  function drawRate(): number {
    const { trueRate } = world.size;
    const draw = random.below(8);
    if (draw < 3) return trueRate - trueRate / 100;
    if (draw < 6) return trueRate + trueRate / 100;
    return draw === 6 ? trueRate : trueRate + random.below(trueRate / 50 + 1) - trueRate / 100;
  }

  /** Mostly short, so that much happens within a lease; now and then as long as a lease. */
  function pass(record: Step[] | undefined): boolean {
    if (world.guards.length > 0 && random.below(6) === 0) return passToGrantEnd(record);
    const draw = random.below(32);
    if (draw < 12) return true;
    if (draw < 22) world.t += random.below(12);
    else if (draw < 27) world.t += random.below(150);
    else if (draw < 28) world.t += random.below(1200);
    else return passToWaitEnd(random.below(world.writers.length), record);
    return true;
  }

  /** To the first moment at which a member no longer counts a guard; it often reports at once. */
  function passToGrantEnd(record: Step[] | undefined): boolean {
    const member = world.members[random.below(world.members.length)];
    const grant = member?.grants[random.below(world.guards.length)];
    if (member === undefined || grant === undefined || grant.endsAt < world.t) return true;
    world.t = Math.ceil(grant.endsAt);
    const report = actions.reports[member.index];
    return report === undefined || random.below(4) === 0 || follow(report, 7, record);
  }

  /** To the first moment at which a writer may end its wait; it often does so at once. */
  function passToWaitEnd(index: number, record: Step[] | undefined): boolean {
    const writer = world.writers[index];
    const waitEnd = actions.waitEnds[index];
    if (writer?.stage !== WAITING || waitEnd === undefined) return true;
    const at = writer.waitingFrom + Math.ceil(world.wait / writer.rate);
    if (at < world.t) return true;
    world.t = at;
    return random.below(4) === 0 || follow(waitEnd, 0, record);
  }

  return {
    run(seed, number, record) {
      begin(seed, number);
      for (const start of actions.starts) {
        if (random.below(4) > 0 && !follow(start, 7, record)) return false;
      }
      for (let draws = 0; draws < DRAWS; draws++) {
        const action = deck[random.below(deck.length)];
        if (action === undefined || !take(action, record)) continue;
        if (isViolated(world)) return false;
        if (action.next !== undefined && random.below(8) < 5 && !follow(action.next, 5, record)) return false;
        if (!pass(record)) return false;
      }
      return true;
    },
    replay(seed, number, steps) {
      begin(seed, number);
      let taken = 0;
      for (const { at, action } of steps) {
        world.t = at;
        taken += 1;
        if (action.take() && isViolated(world)) return taken;
      }
      return 0;
    },
  };
}
