// What befalls the database or a clock, once in a schedule and mostly not at all.
import type { Cast } from './cast.ts';
import type { World } from './world.ts';

export const fateNames = [
  'none',
  'none',
  'none',
  'none',
  'none',
  'none',
  'restart',
  'failover',
  'loss',
  'setWall',
] as const;
export type Fate = (typeof fateNames)[number];

export function createFates(world: World, { database, hosts }: Cast): Readonly<Record<Fate, () => void>> {
  const { chance } = world;
  return {
    none() {},
    restart() {
      world.see('restarted');
      database.restart();
    },
    failover() {
      world.see('failedOver');
      database.failOver(false);
    },
    loss() {
      world.see('failedOver');
      database.failOver(true);
      world.plan(chance.between(0, 6000), () => {
        if (database.isLatched) database.recover();
      });
    },
    setWall() {
      world.see('wallSet');
      chance.pickAny(hosts())?.setWall(chance.between(-3000, 3000));
    },
  };
}
