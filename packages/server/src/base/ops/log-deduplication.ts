// Deduplication of errors in the process log: a failure that repeats is logged once, then once a minute with its count. A log
// full of stack traces would hide the line that matters.

const everyMilliseconds = 60_000;

export interface LogDeduplication {
  /** The number of omitted repetitions since the last log line; undefined when this one must be omitted too. */
  tell(what: string): number | undefined;
  /** Call it after a success: the next failure is logged at once. */
  forget(): void;
}

export function createLogDeduplication(monotonic: () => number): LogDeduplication {
  let last: string | undefined;
  let toldAt = 0;
  let leftOut = 0;
  return {
    tell(what) {
      if (what === last && monotonic() - toldAt < everyMilliseconds) {
        leftOut += 1;
        return undefined;
      }
      const since = what === last ? leftOut : 0;
      [last, toldAt, leftOut] = [what, monotonic(), 0];
      return since;
    },
    forget() {
      last = undefined;
    },
  };
}
