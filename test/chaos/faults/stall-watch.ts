// When this process stood still. The whole machine may have, and the leases of healthy instances with it: what they
// answered then, or until they had renewed them, says nothing about them.

export interface StallWatch {
  readonly longestMilliseconds: number;
  /** Whether a stall that could end a lease touched what went on between these two, by `performance.now()`. */
  touched(from: number, to: number): boolean;
  stop(): void;
}

const tickMilliseconds = 20;
/** An instance renews its lease long before its end: a shorter pause ends none. */
const dangerousMilliseconds = 700;
/** Until everybody has renewed its lease and worked off what waited. */
const recoveryMilliseconds = 2000;

export function watchStalls(): StallWatch {
  const stalls: { readonly from: number; readonly to: number }[] = [];
  let longest = 0;
  let lastAt = performance.now();
  function look(): void {
    const at = performance.now();
    longest = Math.max(longest, at - lastAt - tickMilliseconds);
    if (at - lastAt > dangerousMilliseconds) stalls.push({ from: lastAt, to: at });
    lastAt = at;
  }
  const timer = setInterval(look, tickMilliseconds);
  return {
    get longestMilliseconds() {
      look();
      return longest;
    },
    touched(from, to) {
      look();
      return stalls.some((stall) => stall.from <= to && stall.to + recoveryMilliseconds >= from);
    },
    stop: () => clearInterval(timer),
  };
}
