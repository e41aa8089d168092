// What fails every second is told once, and then once a minute with how often it has failed: a log of stack traces hides the
// line that matters.

const everyMilliseconds = 60_000;

export interface LogDeduplication {
  /** How many times it was left out since it was last told; undefined where it is to be left out now. */
  tell(what: string): number | undefined;
  /** It went well again: the next failure is told at once. */
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
