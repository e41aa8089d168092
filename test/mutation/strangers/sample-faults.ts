// A sample of faults: an equal share of each module, in it of each rule, in it of each file. Every beginning of it is a fair
// sample too. A fault keeps its rank when other code changes: the rank is a hash of the seed and of what the fault changes.
import { createHash } from 'node:crypto';
import { type Fault, rules } from './fault.ts';

export interface Sampled {
  readonly id: string;
  readonly module: string;
  readonly fault: Fault;
}

export function sampleFaults(
  faultsOf: ReadonlyMap<string, readonly Fault[]>,
  seed: number,
  count: number,
): Sampled[] {
  const rank = (text: string) => createHash('sha256').update(`${seed} ${text}`).digest('hex');
  const queues = [...faultsOf].map(([module, faults]) => {
    const ranked = identify(module, faults).sort(byRank(({ id }) => rank(id)));
    return { module, queue: orderModule(ranked, (text) => rank(`${module} ${text}`)) };
  });
  const sample: Sampled[] = [];
  for (let round = 0; sample.length < count && queues.some(({ queue }) => round < queue.length); round++) {
    const inRound = queues.toSorted(byRank(({ module }) => rank(`${round} ${module}`)));
    sample.push(...inRound.flatMap(({ queue }) => queue[round] ?? []));
  }
  return sample.slice(0, count);
}

/** By what it changes, and which of several equal changes of the file it is. */
function identify(module: string, faults: readonly Fault[]): Sampled[] {
  const seen = new Map<string, number>();
  return faults.map((fault) => {
    const { file, rule, before, after } = fault;
    const what = JSON.stringify([file, rule, before, after]);
    const time = seen.get(what) ?? 0;
    seen.set(what, time + 1);
    const id = createHash('sha256').update(`${what} ${time}`).digest('hex').slice(0, 12);
    return { id, module, fault };
  });
}

function orderModule(ranked: readonly Sampled[], rank: (text: string) => string): Sampled[] {
  const ofRules = rules.toSorted(byRank(rank)).map((rule) => {
    const faults = ranked.filter(({ fault }) => fault.rule === rule);
    const files = [...new Set(faults.map(({ fault }) => fault.file))];
    return inTurn(files.map((file) => faults.filter(({ fault }) => fault.file === file)));
  });
  return inTurn(ofRules);
}

/** The first of each, then the second of each. */
function inTurn<Item>(queues: readonly (readonly Item[])[]): Item[] {
  const longest = Math.max(0, ...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    queues.flatMap((queue) => queue.slice(index, index + 1)),
  ).flat();
}

function byRank<Item>(rank: (item: Item) => string) {
  return (a: Item, b: Item) => (rank(a) < rank(b) ? -1 : 1);
}
