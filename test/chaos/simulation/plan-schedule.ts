// Plans a schedule: writes, and what befalls whom, around one to three moments.
import { createCast } from './cast.ts';
import { createDisturbances } from './disturbances.ts';
import { createFates, type Fate, fateNames } from './fates.ts';
import { calmMilliseconds, type World } from './world.ts';

/** How far around its moment something happens. */
const aroundMilliseconds = 500;
/** How long it goes on when everything has happened and no call waits. */
const quietMilliseconds = 300;
/** Of a call after a failover: it waits for ten seconds. */
const settleMilliseconds = 11_000;

export interface Plan {
  isOver(): boolean;
}

export function planSchedule(world: World): Plan {
  const { chance, leaseMilliseconds } = world;
  const cast = createCast(world);
  const fate: Fate = world.isQuick ? 'none' : chance.pick(fateNames);
  const disturbances = createDisturbances(world, cast, fate === 'setWall');
  const fates = createFates(world, cast);
  const moments = listMoments(world);
  const fateful = chance.pickAny(moments);
  let writes = 0;

  function planWrite(at: number): void {
    const write = writes;
    writes += 1;
    world.plan(at, () => void chance.pickAny(cast.writers)?.write(write));
  }

  for (const moment of moments) {
    const around = () =>
      Math.max(calmMilliseconds, moment + chance.between(-aroundMilliseconds, aroundMilliseconds));
    for (let left = 1 + chance.below(2); left > 0; left--) planWrite(around());
    for (let left = chance.below(4); left > 0; left--) {
      const disturb = chance.pickAny(Object.values(disturbances));
      if (disturb !== undefined) world.plan(around(), disturb);
    }
    if (moment !== fateful || fate === 'none') continue;
    const at = around();
    world.plan(at, fates[fate]);
    if (chance.happens(500)) planWrite(at + chance.between(-200, 0));
    if (chance.happens(500)) planWrite(at + chance.between(0, 300));
    if (chance.happens(300)) world.plan(at + chance.between(0, 300), disturbances.cutLine);
    // Who starts on the new history meets guards that are of the lost one.
    if (fate === 'loss')
      for (let left = chance.below(3); left > 0; left--)
        world.plan(at + chance.between(0, 300), disturbances.crashInstance);
  }

  const doneAt = (moments.at(-1) ?? 0) + aroundMilliseconds;
  const isSettling = (fate === 'failover' || fate === 'loss') && chance.happens(200);
  const overAt = doneAt + leaseMilliseconds * 1.3 + (isSettling ? settleMilliseconds : 0);
  const isQuiet = () =>
    world.now > doneAt + quietMilliseconds && cast.writers.every(({ waiting }) => waiting === 0);
  return { isOver: () => world.now > overAt || (!isSettling && isQuiet()) };
}

/** Half of them come when what began with the one before has waited for a lease. */
function listMoments({ chance, leaseMilliseconds }: World): number[] {
  const moments = [chance.between(500, 1200)];
  for (let left = chance.below(3); left > 0; left--) {
    const last = moments.at(-1) ?? 0;
    const gap = chance.happens(500)
      ? chance.between(300, leaseMilliseconds)
      : leaseMilliseconds * chance.between(0.95, 1.2);
    moments.push(last + gap);
  }
  return moments;
}
