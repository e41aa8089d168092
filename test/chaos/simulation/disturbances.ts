// What befalls processes and the network, each to one of them by chance.
import type { Cast } from './cast.ts';
import type { Host } from './host.ts';
import type { World } from './world.ts';

export type Disturbance = () => void;

export function createDisturbances(world: World, cast: Cast, isWallSet: boolean) {
  const { chance, leaseMilliseconds } = world;
  const { network, database } = cast;
  /** Half of them end when a lease does. */
  const long = () =>
    leaseMilliseconds * (chance.happens(500) ? chance.between(0.05, 1) : chance.between(0.9, 1.2));
  const startAgain = (start: (place: number) => void, place: number) =>
    world.plan(chance.between(0, 2000), () => start(place));

  function stall(isSuspended: boolean): void {
    const host = chance.pickAny(cast.hosts());
    world.see(isSuspended ? 'suspended' : 'stalled');
    world.tell(() => `${host?.name} ${isSuspended ? 'is suspended' : 'stands still'}`);
    host?.stall(long(), isSuspended);
  }

  function crash(host: Host): void {
    world.see('crashed');
    world.tell(() => `${host.name} dies`);
    host.die();
    network.cutLines((line) => line.guard === host || line.instance.host === host);
  }

  return {
    cutLine() {
      const guard = chance.pickAny(cast.guards);
      network.cutLines((line) => line.guard === guard?.host);
    },
    cutGuard() {
      const guard = chance.pickAny(cast.guards);
      if (guard !== undefined) network.cut(guard.host, chance.below(cast.instances.length), long());
    },
    cutInstance() {
      const instance = chance.pickAny(cast.instances);
      if (instance === undefined) return;
      instance.statements.link.downUntil = world.now + long();
      world.tell(() => `${instance.host.name} is cut off from the database`);
    },
    cutWriter() {
      const writer = chance.pickAny(cast.writers);
      if (writer !== undefined) writer.statements.link.downUntil = world.now + chance.between(0, 500);
    },
    stall: () => stall(false),
    // What is assumed (docs/decisions/0006): the wall clock of a suspended machine goes on.
    suspend: () => stall(!isWallSet),
    crashInstance() {
      const place = chance.below(cast.instances.length);
      const instance = cast.instances[place];
      if (instance === undefined) return;
      network.instances[place] = undefined;
      crash(instance.host);
      startAgain(cast.startInstance, place);
    },
    crashGuard() {
      const place = chance.below(cast.guards.length);
      const guard = cast.guards[place];
      if (guard === undefined) return;
      crash(guard.host);
      startAgain(cast.startGuard, place);
    },
    leaveInstance() {
      const place = chance.below(cast.instances.length);
      void cast.instances[place]?.leave();
      startAgain(cast.startInstance, place);
    },
    leaveGuard() {
      const place = chance.below(cast.guards.length);
      void cast.guards[place]?.leave();
      startAgain(cast.startGuard, place);
    },
    sweep: () => database.sweepRevisions(),
  } satisfies Record<string, Disturbance>;
}
