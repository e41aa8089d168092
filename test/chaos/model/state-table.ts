// The states that were met, each as 63 bits of its hash, with the step that first led to it. Two states with one hash
// would be taken for one: among ten million, the chance of any such pair is about one in 180,000.

export interface StateTable {
  readonly count: number;
  /** The place of a new state, or -1 where it was met before. */
  add(state: Uint8Array, parent: number, action: number): number;
  /** The actions that led to a state, from the beginning. */
  pathTo(place: number): number[];
}

export function createStateTable(capacityBits: number): StateTable {
  const capacity = 2 ** capacityBits;
  const high = new Uint32Array(capacity);
  const low = new Uint32Array(capacity);
  const parents = new Int32Array(capacity);
  const actions = new Uint8Array(capacity);

  let count = 0;

  return {
    get count() {
      return count;
    },
    add(state, parent, action) {
      let one = 0x811c9dc5;
      let other = 0x2f0b4a27;
      for (const byte of state) {
        one = Math.imul(one ^ byte, 0x01000193);
        other = Math.imul(other + byte, 0x85ebca6b);
        other ^= other >>> 15;
      }
      one = (Math.imul(one ^ (one >>> 15), 0x2c1b3c6d) ^ (other >>> 11)) >>> 0;
      // Zero marks an empty place.
      other = (other | 1) >>> 0;
      let place = one & (capacity - 1);
      while (low[place] !== 0) {
        if (high[place] === one && low[place] === other) return -1;
        place = (place + 1) & (capacity - 1);
      }
      if (count > capacity * 0.9) throw new Error('There are more states than places.');
      high[place] = one;
      low[place] = other;
      parents[place] = parent;
      actions[place] = action;
      count += 1;
      return place;
    },
    pathTo(place) {
      const path: number[] = [];
      let from = place;
      while (true) {
        const parent = parents[from];
        const action = actions[from];
        if (parent === undefined || action === undefined || parent < 0) return path.reverse();
        path.push(action);
        from = parent;
      }
    },
  };
}
