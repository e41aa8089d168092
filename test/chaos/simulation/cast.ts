// Who takes part in a schedule: places for instances and guards, where one follows on another, and writers.
import { createDatabase, type Database } from './database.ts';
import { type Guard, startGuard } from './guard.ts';
import type { Host } from './host.ts';
import { type Instance, startInstance } from './instance.ts';
import { createNetwork, type Network } from './network.ts';
import type { World } from './world.ts';
import { startWriter, type Writer } from './writer.ts';

export interface Cast {
  readonly database: Database;
  readonly network: Network;
  readonly instances: readonly Instance[];
  readonly guards: readonly Guard[];
  readonly writers: readonly Writer[];
  startInstance(place: number): void;
  startGuard(place: number): void;
  hosts(): readonly Host[];
}

export function createCast(world: World): Cast {
  const { chance } = world;
  const database = createDatabase(world);
  const network = createNetwork(world);
  const instances: Instance[] = [];
  const guards: Guard[] = [];
  let starts = 0;
  const cast: Cast = {
    database,
    network,
    instances,
    guards,
    writers: Array.from({ length: 1 + chance.below(2) }, (_, index) =>
      startWriter(world, database, network, `writer ${index}`),
    ),
    // Each with a new id.
    startInstance(place) {
      starts += 1;
      const name = `instance ${place}.${starts}`;
      instances[place] = startInstance({ world, database, network, place, name });
    },
    startGuard(place) {
      starts += 1;
      guards[place] = startGuard({ world, network, name: `guard ${place}.${starts}` });
    },
    hosts: () => [...instances, ...guards, ...cast.writers].map(({ host }) => host),
  };
  const instanceCount = chance.happens(800) ? 2 : 1;
  for (let place = 0; place < instanceCount; place++)
    world.plan(chance.between(0, 10) + 10 * place, () => cast.startInstance(place));
  const guardCount = chance.pick([1, 1, 2, 3]);
  for (let place = 0; place < guardCount; place++)
    world.plan(chance.between(100, 130) + 30 * place, () => cast.startGuard(place));
  return cast;
}
