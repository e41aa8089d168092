// Simulates one change at a time: an instance stores it, every instance applies it and sends it to its guards, the
// guards acknowledge, and each instance reports to Postgres when its last guard has acknowledged. Each process does one
// task at a time, on shared cores; apart from that, only the network takes time.
import { longestPause, shareOfWait } from '../../packages/server/src/cluster/barrier.ts';
import { createEventQueue } from '../../test/chaos/simulation/event-queue.ts';

export interface Costs {
  /** Measured milliseconds of complete calls without guards; each change uses one of them at random. */
  readonly base: readonly number[];
  /** Microseconds of an instance per guard and change: half to send, half to record the acknowledgement. */
  readonly relay: number;
  /** Microseconds of a guard process per guard and change. */
  readonly guard: number;
  /** Microseconds of Postgres per instance and change. */
  readonly report: number;
}

export interface Place {
  readonly guards: number;
  readonly relays: number;
  /** The number of processes that run the guards; 'each' for one process per guard. */
  readonly guardProcesses: number | 'each';
  /** The cores that instances and guards share; 'each' for one core per process. */
  readonly cores: number | 'each';
  /** The round trip between instance and guard, in milliseconds. */
  readonly roundTrip: number;
  /** The round trip to another region, where a regional relay connects the guards to an instance. */
  readonly regions?: { readonly count: number; readonly roundTrip: number };
}

/**
 * The milliseconds of each change. They vary with the call without guards, and with the time at which the
 * call polls for completion.
 */
export function simulateChanges(place: Place, costs: Costs, changes: number, random: () => number): number[] {
  const fanOut = simulateFanOut(place, costs);
  return Array.from({ length: changes }, () => {
    const waited = (costs.base[Math.floor(random() * costs.base.length)] ?? 0) + fanOut;
    return waited + random() * Math.min(longestPause, waited * shareOfWait);
  });
}

/** The milliseconds until the last instance has reported that its last guard has acknowledged. */
function simulateFanOut(place: Place, costs: Costs): number {
  const { events, createProcess, run } = createMachine(place.cores);
  const postgres = createProcess('own');
  const guardsOfRelay = share(place.guards, place.relays);
  const shared =
    place.guardProcesses === 'each'
      ? undefined
      : Array.from({ length: place.guardProcesses }, () => createProcess('shared'));
  let guardsSoFar = 0;
  let reported = 0;
  let doneAt = 0;

  function fanOut(relay: Process, guards: number, whenAll: () => void): void {
    let left = guards;
    if (left === 0) whenAll();
    for (let guard = 0; guard < guards; guard += 1) {
      const home = shared?.[guardsSoFar++ % shared.length] ?? createProcess('own');
      relay.do(costs.relay / 2, () =>
        events.after(place.roundTrip / 2, () =>
          home.do(costs.guard, () =>
            events.after(place.roundTrip / 2, () =>
              relay.do(costs.relay / 2, () => {
                left -= 1;
                if (left === 0) whenAll();
              }),
            ),
          ),
        ),
      );
    }
  }

  function report(): void {
    postgres.do(costs.report, () => {
      reported += 1;
      if (reported === place.relays) doneAt = events.now();
    });
  }

  for (const [index, guards] of guardsOfRelay.entries()) {
    const relay = createProcess('shared');
    const { count = 1, roundTrip = 0 } = place.regions ?? {};
    if (index % count === 0) fanOut(relay, guards, report);
    else {
      // Another region: the regional relay is one guard for the instance, and acknowledges when its last guard has.
      const regional = createProcess('shared');
      relay.do(costs.relay / 2, () =>
        events.after(roundTrip / 2, () =>
          fanOut(regional, guards, () =>
            events.after(roundTrip / 2, () => relay.do(costs.relay / 2, report)),
          ),
        ),
      );
    }
  }
  run();
  return doneAt;
}

function share(guards: number, relays: number): number[] {
  return Array.from(
    { length: relays },
    (_, index) => Math.floor(guards / relays) + (index < guards % relays ? 1 : 0),
  );
}

interface Process {
  do(microseconds: number, then: () => void): void;
}

/** Processes that do one task at a time; at most as many run at once as there are cores. */
function createMachine(cores: number | 'each') {
  const queue = createEventQueue();
  let now = 0;
  let free = cores === 'each' ? Number.POSITIVE_INFINITY : cores;
  const ready: (() => void)[] = [];
  const events = {
    now: () => now,
    after: (milliseconds: number, call: () => void) => queue.add(now + milliseconds, call),
  };

  function createProcess(home: 'own' | 'shared'): Process {
    const waiting: { readonly microseconds: number; readonly then: () => void }[] = [];
    let next = 0;
    let isWaiting = false;
    function begin(): void {
      const task = waiting[next];
      if (task === undefined) {
        isWaiting = false;
        return;
      }
      next += 1;
      if (home === 'shared') free -= 1;
      events.after(task.microseconds / 1000, () => {
        if (home === 'shared') free += 1;
        task.then();
        offer();
        serve();
      });
    }
    function offer(): void {
      isWaiting = true;
      if (home === 'own') begin();
      else ready.push(begin);
    }
    return {
      do(microseconds, then) {
        waiting.push({ microseconds, then });
        if (isWaiting) return;
        offer();
        serve();
      },
    };
  }

  function serve(): void {
    while (free > 0) {
      const begin = ready.shift();
      if (begin === undefined) return;
      begin();
    }
  }

  function run(): void {
    for (let event = queue.take(); event !== undefined; event = queue.take()) {
      now = event.at;
      event.call();
    }
  }

  return { events, createProcess, run };
}
