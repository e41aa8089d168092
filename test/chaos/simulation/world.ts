// The world of one schedule: true time, what is planned, and what was seen. It has no clock, timer or random source of the real machine.
import type { Lease } from '@portcullis/gate';
import type { Chance } from './chance.ts';
import { createEventQueue, type Happening } from './event-queue.ts';
import type { HeldWrites } from './held-writes.ts';
import type { Host } from './host.ts';
import type { Product } from './product.ts';
import type { Sighting } from './sightings.ts';

/** What a process goes by. */
export interface Memory {
  readonly host: Host;
  readonly lease: Lease;
  readonly held: HeldWrites;
}

export interface World {
  readonly product: Product;
  readonly chance: Chance;
  readonly leaseMilliseconds: number;
  /** On a quick network a waiting call polls often: such a schedule has many events. */
  readonly isQuick: boolean;
  /** True time. */
  readonly now: number;
  /** Those that may decide. */
  readonly memories: Memory[];
  readonly sighted: Set<Sighting>;
  /** A bit for every write whose call has returned, and for every one that the database has lost. */
  returned: number;
  lost: number;
  /** When the database has lost a write. */
  readonly lostAt: Map<number, number>;
  violation: string | undefined;
  plan(delay: number, call: Happening): void;
  /** Of a message or a statement, one way. */
  delay(): number;
  see(sighting: Sighting): void;
  /** For who reads the schedule. */
  tell(what: () => string): void;
  /** Goes on until something has happened; false where nothing is planned any more. */
  step(): boolean;
}

export interface WorldOptions {
  readonly product: Product;
  readonly chance: Chance;
  readonly tell: ((line: string) => void) | undefined;
}

/** All start on a network that is quick: what befalls them comes later. */
export const calmMilliseconds = 300;

export function createWorld({ product, chance, tell }: WorldOptions): World {
  const queue = createEventQueue();
  const sighted = new Set<Sighting>();
  const leaseMilliseconds = chance.pick([2000, 3000, 3000, 4000]);
  const isQuick = chance.happens(120);
  const quickMilliseconds = isQuick ? 6 : chance.pick([60, 100, 150]);
  const slowPerMille = chance.pick([0, 10, 40, 40]);
  let now = 0;
  const world: World = {
    product,
    chance,
    leaseMilliseconds,
    isQuick,
    get now() {
      return now;
    },
    memories: [],
    sighted,
    returned: 0,
    lost: 0,
    lostAt: new Map(),
    violation: undefined,
    plan: (delay, call) => queue.add(now + delay, call),
    delay() {
      if (now < calmMilliseconds) return chance.between(0.2, 5);
      return chance.happens(slowPerMille)
        ? chance.between(0, leaseMilliseconds * 1.2)
        : chance.between(0.2, quickMilliseconds);
    },
    see: (sighting) => void sighted.add(sighting),
    tell(what) {
      tell?.(`${now.toFixed(1).padStart(9)}  ${what()}`);
    },
    step() {
      for (;;) {
        const next = queue.take();
        if (next === undefined) return false;
        now = next.at;
        if (next.call() !== false) return true;
      }
    },
  };
  return world;
}

/** Whoever goes by a live lease without a write whose call has returned; or what was noted when it happened. */
export function findViolation({ memories, returned, lost, violation }: World): string | undefined {
  if (violation !== undefined) return violation;
  const promised = returned & ~lost;
  if (promised === 0) return undefined;
  for (const { host, held, lease } of memories) {
    const missing = promised & ~held.writes;
    if (missing !== 0 && !host.isDead && lease.isLive())
      return `${host.name} goes by its lease without ${listWrites(missing)}`;
  }
  return undefined;
}

export function listWrites(writes: number): string {
  const names = Array.from({ length: 31 }, (_, index) => index).filter(
    (index) => (writes & (1 << index)) !== 0,
  );
  return names.map((index) => `w${index}`).join(' ') || 'nothing';
}
