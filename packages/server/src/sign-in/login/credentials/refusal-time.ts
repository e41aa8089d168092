// Timing attack protection: measures the least time of a refused password. A hash of lower cost from earlier settings, or an
// imported one, takes another time to compare than a current hash, which would reveal the accounts that have one.
export interface RefusalTime {
  readonly milliseconds: number;
  /** Reads the costs of the stored hashes again, and measures how long they take. */
  refresh(): Promise<void>;
}

interface RefusalTimeOptions {
  /** The highest cost of an imported bcrypt hash; undefined if there is none. */
  readonly findHighestCost: () => Promise<number | undefined>;
  /** Undefined compares with the dummy hash, which has the current cost. */
  readonly compare: (stored: string | undefined) => Promise<unknown>;
  readonly monotonic: () => number;
}

/** A comparison takes longer when the machine is busy. */
const reserve = 1.5;
const tries = 3;

export function createRefusalTime({ findHighestCost, compare, monotonic }: RefusalTimeOptions): RefusalTime {
  let milliseconds = 0;
  let measuredCost: number | undefined;

  /** The shortest of a few runs: other work delayed the rest. */
  async function measure(stored: string | undefined): Promise<number> {
    let shortest = Number.POSITIVE_INFINITY;
    for (let count = 0; count < tries; count += 1) {
      const startedAt = monotonic();
      await compare(stored);
      shortest = Math.min(shortest, monotonic() - startedAt);
    }
    return shortest;
  }

  return {
    get milliseconds() {
      return milliseconds;
    },
    async refresh() {
      const cost = await findHighestCost();
      const ours = await measure(undefined);
      const imported = cost === undefined ? 0 : await measure(bcryptOf(cost));
      const found = reserve * Math.max(ours, imported);
      milliseconds = cost === measuredCost && milliseconds > 0 ? Math.min(milliseconds, found) : found;
      measuredCost = cost;
    },
  };
}

function bcryptOf(cost: number): string {
  return `$2a$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
}
