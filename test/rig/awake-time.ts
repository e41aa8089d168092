// How long something took, counted by a timer of this process: a machine that stands still, or gives the process no turn,
// does not count. So it never says more than a clock would, and shows a wait that was one all the same.

const tickMilliseconds = 10;

/** Begins to count; the result ends it and gives the milliseconds. */
export function countAwakeTime(): () => number {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, tickMilliseconds);
  return () => {
    clearInterval(timer);
    return ticks * tickMilliseconds;
  };
}
