// One change at a time, simulated: an instance stores it, every instance puts it in force and sends it to its guards, these
// acknowledge, and each instance reports to Postgres when its last guard has. Work is done by processes, one piece at a
// time, on cores that they share; everything else takes no time but that of the network.
import { longestPause, shareOfWait } from '../../packages/server/src/cluster/barrier.ts';
import { createEventQueue } from '../../test/chaos/simulation/event-queue.ts';

export interface Costs {
  /** A whole call without guards, in milliseconds, as it was measured: one of them is drawn for each change. */
  readonly base: readonly number[];
  /** Microseconds of an instance, for each guard and change: half of it to send, half to note the acknowledgement. */
  readonly relay: number;
  /** Microseconds of a process with guards, for each of them and change. */
  readonly guard: number;
  /** Microseconds of Postgres for each instance and change. */
  readonly report: number;
}

export interface Place {
  readonly guards: number;
  readonly relays: number;
  /** How many processes the guards are in; each of them its own where there are none. */
  readonly guardProcesses: number | 'each';
  /** Which instances and guards share; 'each' where every process has one. */
  readonly cores: number | 'each';
  /** There and back between instance and guard, in milliseconds. */
  readonly roundTrip: number;
  /** There and back to another region, whose guards have a relay of their own between them and an instance. */
  readonly regions?: { readonly count: number; readonly roundTrip: number };
}

/** Milliseconds that each of so many changes took. They differ by what the call takes without guards, and by when it looks. */
export function simulateChanges(place: Place, costs: Costs, changes: number, random: () => number): number[] {
  const fanOut = simulateFanOut(place, costs);
  return Array.from({ length: changes }, () => {
    const waited = (costs.base[Math.floor(random() * costs.base.length)] ?? 0) + fanOut;
    return waited + random() * Math.min(longestPause, waited * shareOfWait);
  });
}

/** Milliseconds until the last instance has reported that the last of its guards has acknowledged. */
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
      // Another region: its own relay is one guard to the instance, and answers when the last of its guards has.
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

/** Processes that do one thing after the other, at most as many of them at once as there are cores. */
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
