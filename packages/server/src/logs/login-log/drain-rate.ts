// Drain rate of a backlog of the login log: at full speed without logins. Beside logins, it drains in small batches with a pause
// after each, so long that logins during a batch hardly take longer than logins during a pause.

export interface DrainRate {
  /** Call it with the duration of each login that has ended. */
  noteLogin(milliseconds: number): void;
  /** A batch begins: returns how many records it can have. */
  begin(): number;
  /** The batch ended with this many records: returns the pause in milliseconds. */
  end(records: number): number;
}

export const fullBatch = 1000;
const leastBatch = 25;
/** The duration of a batch beside logins: well below that of a login. */
const batchMilliseconds = 8;
/** After this time without a login, the rate is unlimited. */
const quietMilliseconds = 2000;
/**
 * How much longer a login takes during a batch than during a pause: above `mostSlowdown` pauses grow, below `leastSlowdown` they
 * shrink.
 */
const mostSlowdown = 1.25;
const leastSlowdown = 1.1;
/** The share of the time for batches. With the least share, a thousand records a second are still stored. */
const leastShare = 0.1;
const mostShare = 0.8;
const firstShare = 0.3;
/** The share is adjusted after this many batches; a longer pause then measures logins without a batch. */
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

/** The most recent durations. */
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
    /** The 90th percentile. */
    upper(otherwise = 0): number {
      const sorted = values.toSorted((a, b) => a - b);
      return sorted[Math.floor(sorted.length * 0.9)] ?? otherwise;
    },
  };
}
