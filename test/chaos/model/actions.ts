// Every step that a world can take.
import { type Action, addChain, createAction } from './action.ts';
import { failOver, failOverWithLoss } from './failover-steps.ts';
import { addGuard } from './guard-actions.ts';
import { addMember } from './member-actions.ts';
import { tellFailover, tellRevision, tellWriter } from './tell.ts';
import type { World, Writer } from './world.ts';
import { commitChange, endWait, hearOfCommit, pollRows, recover } from './writer-steps.ts';

export interface Actions {
  readonly all: readonly Action[];
  /** For each member, the step with which it begins. */
  readonly starts: readonly Action[];
  /** For each member, the step with which it reports. */
  readonly reports: readonly Action[];
  /** For each writer, the step that ends its wait. */
  readonly waitEnds: readonly Action[];
}

export function createActions(world: World): Actions {
  const all: Action[] = [];
  const added = world.members.map((member) => addMember(all, world, member));
  for (const guard of world.guards) addGuard(all, world, guard);
  const waitEnds = world.writers.map((writer) => addWriter(all, world, writer));
  addFailovers(all, world);
  return {
    all,
    starts: added.map(({ start }) => start),
    reports: added.map(({ report }) => report),
    waitEnds,
  };
}

function addWriter(all: Action[], world: World, writer: Writer): Action {
  const name = `writer ${writer.index + 1}`;
  const commit = createAction(
    16,
    () => commitChange(world, writer),
    () => `${name} commits revision ${tellRevision(writer.revision)}`,
  );
  const hear = createAction(
    24,
    () => hearOfCommit(world, writer),
    () => `${name} hears of its commit${tellWriter(world, writer)}`,
  );
  const poll = createAction(
    24,
    () => pollRows(world, writer),
    () => `${name} looks at the rows${tellWriter(world, writer)}`,
  );
  const waitEnd = createAction(
    32,
    () => endWait(world, writer),
    () => `${name} has waited one lease${tellWriter(world, writer)}`,
  );
  // To hear late is to wait longer, which a writer may do anyway.
  commit.mergeable = true;
  addChain(all, [commit, hear, poll]);
  all.push(waitEnd);
  return waitEnd;
}

function addFailovers(all: Action[], world: World): void {
  const { members, failovers, losses } = world.size;
  const everyRow = (1 << members) - 1;
  for (let gone = 0; gone <= everyRow; gone++) {
    for (let older = 0; older <= everyRow; older++) {
      if ((gone & older) !== 0) continue;
      const tell = () => tellFailover(world, gone, older);
      if (failovers > 0) all.push(createAction(1, () => failOver(world, gone, older), tell));
      if (losses > 0) all.push(createAction(1, () => failOverWithLoss(world, gone, older), tell));
    }
  }
  if (losses === 0) return;
  const tell = () => `an operator recovers: revision ${tellRevision(world.current)}`;
  all.push(createAction(16, () => recover(world), tell));
}
