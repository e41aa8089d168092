// What is to happen, in the order of its time; what is planned for one moment happens in the order of planning.

/** Returns false where nothing has happened. */
export type Happening = () => unknown;

interface Planned {
  readonly at: number;
  readonly order: number;
  readonly call: Happening;
}

export interface EventQueue {
  add(at: number, call: Happening): void;
  /** Undefined where nothing is left. */
  take(): Planned | undefined;
}

/** A binary heap. */
export function createEventQueue(): EventQueue {
  const heap: Planned[] = [];
  let order = 0;

  return {
    add(at, call) {
      order += 1;
      const planned = { at, order, call };
      let place = heap.length;
      while (place > 0) {
        const parent = (place - 1) >> 1;
        const above = heap[parent];
        if (above === undefined || isBefore(above, planned)) break;
        heap[place] = above;
        place = parent;
      }
      heap[place] = planned;
    },
    take() {
      const [first] = heap;
      const last = heap.pop();
      if (first === undefined || last === undefined || heap.length === 0) return first;
      let place = 0;
      for (;;) {
        let child = 2 * place + 1;
        let below = heap[child];
        const right = heap[child + 1];
        if (below !== undefined && right !== undefined && isBefore(right, below)) {
          below = right;
          child += 1;
        }
        if (below === undefined || isBefore(last, below)) break;
        heap[place] = below;
        place = child;
      }
      heap[place] = last;
      return first;
    },
  };
}

function isBefore(one: Planned, other: Planned): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
