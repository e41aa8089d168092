// Notes what guards and instances say to each other.
import type { FromGuard, FromRelay } from '@portcullis/gate';
import type { Host } from './host.ts';
import type { Instance } from './instance.ts';
import type { Sighting } from './sightings.ts';
import type { World } from './world.ts';

type Refusal = Extract<FromRelay, { kind: 'refused' }>['why'];

const refusals: Readonly<Record<Refusal, Sighting>> = {
  behind: 'refusedBehind',
  ahead: 'refusedAhead',
  lost: 'refusedLost',
  unavailable: 'refusedUnavailable',
};

export interface LineWatch {
  /** When it arrives. */
  question(message: FromGuard): void;
  answer(message: FromRelay): void;
}

export function watchLine(world: World, guard: Host, instance: Instance): LineWatch {
  const wholeGrant = Math.min(3000, world.leaseMilliseconds * 0.3);
  /** The questions that were below what was reported when they arrived. */
  const low = new Set<number>();
  return {
    question(message) {
      world.tell(() => `${guard.name} to ${instance.host.name}: ${JSON.stringify(message)}`);
      if (message.kind === 'renew' && message.n < instance.reported) low.add(message.seq);
      if (message.kind === 'release' && instance.isLeaving) world.see('takenOver');
    },
    answer(message) {
      world.tell(() => `${instance.host.name} to ${guard.name}: ${JSON.stringify(message)}`);
      if (message.kind === 'granted') {
        world.see('granted');
        if (message.milliseconds < wholeGrant - 1) world.see('capped');
      }
      if (message.kind === 'refused') {
        world.see(refusals[message.why]);
        if (message.why === 'behind' && low.has(message.seq)) world.see('refusedByFloor');
      }
    },
  };
}
