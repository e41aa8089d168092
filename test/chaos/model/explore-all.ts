// Visits every state of a small world, in the order of the number of steps, so that what it finds is shortest.
import { type Action, createAction } from './action.ts';
import { createActions } from './actions.ts';
import { createPacker } from './pack-world.ts';
import { resetWorld } from './reset-world.ts';
import type { Rules } from './rules.ts';
import { createStateTable } from './state-table.ts';
import { isViolated, violationMeanings } from './violation.ts';
import { createWorld, type Size, type World } from './world.ts';

/** Clocks run true here. A lease is 3 ticks, which stands for the longest that one can last and the shortest wait. */
const small = {
  guards: 0,
  grant: 0,
  reports: 1,
  losses: 0,
  crashes: false,
  oneAtATime: true,
  trueRate: 1,
  wait: 3,
  shortWait: 2,
  lease: 3,
  leaseWithoutAllowance: 4,
} as const;

/** Places for 15 million states. */
const TABLE_BITS = 24;

export interface SmallWorld {
  readonly members: number;
  readonly writers: number;
  readonly writes: number;
  readonly failovers: number;
}

export interface Visit {
  readonly states: number;
  readonly transitions: number;
  /** The most steps that a state is away from the beginning. */
  readonly depth: number;
  /** In words; empty where every state is as it must be. */
  readonly counterexample: readonly string[];
}

/** The states of one depth, one after the other, each with its place in the table. */
interface Layer {
  bytes: Uint8Array;
  places: Int32Array;
  count: number;
}

export function exploreAll(rules: Rules, smallWorld: SmallWorld): Visit {
  const world = createWorld(rules, { ...small, ...smallWorld } satisfies Size);
  const actions = [...createActions(world).all, createPassing(world)];
  const packer = createPacker(world);
  const table = createStateTable(TABLE_BITS);
  const state = new Uint8Array(packer.length);
  let layer = createLayer(packer.length);
  let nextLayer = createLayer(packer.length);
  let transitions = 0;
  let depth = 0;

  resetWorld(world);
  packer.pack(state);
  push(layer, state, table.add(state, -1, 0));
  while (layer.count > 0) {
    nextLayer.count = 0;
    for (let index = 0; index < layer.count; index++) {
      const parent = layer.places[index] ?? -1;
      let number = -1;
      packer.unpack(layer.bytes, index * packer.length);
      for (const action of actions) {
        number += 1;
        if (!takeMerged(action)) continue;
        transitions += 1;
        if (isViolated(world)) {
          const path = [...table.pathTo(parent), number];
          return {
            states: table.count,
            transitions,
            depth: path.length,
            counterexample: tellPath(world, actions, path),
          };
        }
        packer.pack(state);
        const place = table.add(state, parent, number);
        if (place >= 0) push(nextLayer, state, place);
        packer.unpack(layer.bytes, index * packer.length);
      }
    }
    [layer, nextLayer] = [nextLayer, layer];
    if (layer.count > 0) depth += 1;
  }
  return { states: table.count, transitions, depth, counterexample: [] };
}

function createPassing(world: World): Action {
  const take = () => {
    world.t += 1;
    return true;
  };
  return createAction(0, take, () => 'time passes');
}

/** Takes an action together with those that it can be merged with. */
function takeMerged(action: Action, told?: string[]): boolean {
  if (!action.take()) return false;
  told?.push(action.tell());
  let last = action;
  while (last.mergeable && last.next?.take() === true) {
    last = last.next;
    told?.push(last.tell());
  }
  return true;
}

function tellPath(world: World, actions: readonly Action[], path: readonly number[]): string[] {
  resetWorld(world);
  const lines = [`a lease is ${world.wait} ticks`];
  for (const number of path) {
    const action = actions[number];
    const told: string[] = [];
    if (action !== undefined) takeMerged(action, told);
    for (const words of told) lines.push(`t=${String(world.t).padStart(5)}  ${words}`);
  }
  isViolated(world);
  lines.push(`=> ${violationMeanings[world.violation] ?? 'nothing is wrong'}`);
  return lines;
}

function createLayer(length: number): Layer {
  return { bytes: new Uint8Array(length * 1024), places: new Int32Array(1024), count: 0 };
}

function push(layer: Layer, state: Uint8Array, place: number): void {
  if (layer.count === layer.places.length) {
    layer.bytes = grown(layer.bytes, new Uint8Array(layer.bytes.length * 2));
    layer.places = grown(layer.places, new Int32Array(layer.places.length * 2));
  }
  layer.bytes.set(state, layer.count * state.length);
  layer.places[layer.count] = place;
  layer.count += 1;
}

function grown<Cells extends Uint8Array | Int32Array>(from: Cells, into: Cells): Cells {
  into.set(from);
  return into;
}
