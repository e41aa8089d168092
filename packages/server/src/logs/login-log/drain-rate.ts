// How fast a backlog goes into the database: as fast as it can where nobody logs in. Beside logins in small batches with a rest
// after each, so long that those who log in beside a batch hardly wait longer than those in a rest.

export interface DrainRate {
  /** A login has ended that took so long. */
  noteLogin(milliseconds: number): void;
  /** A batch begins: how many records it may have. */
  begin(): number;
  /** It has ended with so many: how many milliseconds to rest. */
  end(records: number): number;
}

export const fullBatch = 1000;
const leastBatch = 25;
/** What a batch beside logins takes: well below what a login does. */
const batchMilliseconds = 8;
/** So long after the last login nobody logs in. */
const quietMilliseconds = 2000;
/** How much longer than in a rest a login may take beside a batch: above it there is more rest, well below it less. */
const mostSlowdown = 1.25;
const leastSlowdown = 1.1;
/** The share of the time that batches have. With the least one, a thousand records a second still go. */
const leastShare = 0.1;
const mostShare = 0.8;
const firstShare = 0.3;
/** How often the share is looked at, in batches; then a longer rest shows what logins take by themselves. */
const lookEvery = 16;
const samples = 100;
const fewestSamples = 10;

export function createDrainRate(monotonic: () => number): DrainRate {
  const beside = createSamples();
  const apart = createSamples();
  let lastLoginAt = Number.NEGATIVE_INFINITY;
  let beganAt = 0;
  let isRunning = false;
  let endedAt = Number.NEGATIVE_INFINITY;
  let millisecondsPerRecord = batchMilliseconds / leastBatch;
  let share = firstShare;
  let batches = 0;

  const isBesideLogins = () => monotonic() - lastLoginAt < quietMilliseconds;

  function adjustShare(): void {
    if (beside.count < fewestSamples || apart.count < fewestSamples) return;
    const slowdown = beside.upper() / apart.upper();
    if (slowdown > mostSlowdown) share = Math.max(leastShare, share * 0.7);
    else if (slowdown < leastSlowdown) share = Math.min(mostShare, share * 1.15);
  }

  return {
    noteLogin(milliseconds) {
      lastLoginAt = monotonic();
      const isBeside = isRunning || endedAt > lastLoginAt - milliseconds;
      (isBeside ? beside : apart).add(milliseconds);
    },
    begin() {
      beganAt = monotonic();
      isRunning = true;
      if (!isBesideLogins()) return fullBatch;
      const fitting = Math.floor(batchMilliseconds / millisecondsPerRecord);
      return Math.max(leastBatch, Math.min(fullBatch, fitting));
    },
    end(records) {
      endedAt = monotonic();
      isRunning = false;
      const took = endedAt - beganAt;
      millisecondsPerRecord = Math.max(
        0.001,
        0.8 * millisecondsPerRecord + (0.2 * took) / Math.max(1, records),
      );
      if (!isBesideLogins()) return 0;
      batches += 1;
      const rest = took * (1 / share - 1);
      if (batches % lookEvery !== 0) return rest;
      adjustShare();
      return rest + 2 * apart.upper(beside.upper());
    },
  };
}

/** The last ones. */
function createSamples() {
  const values: number[] = [];
  let next = 0;
  return {
    get count() {
      return values.length;
    },
    add(value: number): void {
      values[next] = value;
      next = (next + 1) % samples;
    },
    /** What nine of ten stay below. */
    upper(otherwise = 0): number {
      const sorted = values.toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.9)] ?? otherwise;
    },
  };
}
