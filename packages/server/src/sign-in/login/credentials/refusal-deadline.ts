// Timing attack protection: decides when a refused password is answered. If a directory verifies some names, all refusals wait
// for one deadline: a hash and a directory take different times, which would reveal the names that have an account here. A
// waiting refusal holds no login slot.
import { AppError, type ErrorKind } from '@portcullis/contract';

/** The verifier of a password: a stored hash, or the directory with this key. */
export type DecidedBy = { readonly hash: true } | { readonly directory: string };

/** Measures the time of one login. */
export interface RefusalClock {
  /** Stops while the attempt waits for other attempts at the same name. Of that time, `counted` still counts for this attempt. */
  stop(): void;
  goOn(counted: number): void;
  /** The least time that a refusal still takes, also if a directory answers sooner. */
  addRest(milliseconds: number): void;
  /** From here on a refusal waits for the deadline. */
  hasDeadline(by: DecidedBy): void;
  /**
   * The work that counts the attempt as wrong. It runs after the wait: before, attempts that wait for it would reveal the
   * time.
   */
  settleBy(settle: (() => Promise<void>) | undefined): void;
  /** Resolves when the error can be answered. */
  waitFor(error: unknown): Promise<void>;
}

export interface RefusalDeadline {
  begin(): RefusalClock;
}

interface RefusalDeadlineOptions {
  /** The time limit of a directory: no refusal waits longer. Until a directory is measured, every refusal waits this long. */
  readonly limitMilliseconds: number;
  /** The least time of a refusal by a hash, also before the first one is measured. */
  readonly refusalTime: { readonly milliseconds: number };
  readonly monotonic: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** The next refusal can take longer than all measured ones. */
const reserve = 1.5;
/** A measured time counts for at least this long, and until there are newer times. */
const periodMilliseconds = 300_000;
/** Refused before the password was verified, or for another reason than the password. */
const answeredAtOnce: readonly string[] = ['rate_limited', 'factor_required'];

export function createRefusalDeadline(options: RefusalDeadlineOptions): RefusalDeadline {
  const { limitMilliseconds, refusalTime, monotonic, sleep } = options;
  const ofHash = createHighest(monotonic);
  /** Per directory: a directory that gets few requests keeps its measured time. */
  const ofDirectories = new Map<string, Highest>();

  function highestOf(by: DecidedBy): Highest {
    if ('hash' in by) return ofHash;
    const highest = ofDirectories.get(by.directory) ?? createHighest(monotonic);
    ofDirectories.set(by.directory, highest);
    return highest;
  }

  function deadline(): number {
    if (ofDirectories.size === 0) return limitMilliseconds;
    const highest = [refusalTime, ofHash, ...ofDirectories.values()].map(({ milliseconds }) => milliseconds);
    return Math.min(limitMilliseconds, reserve * Math.max(...highest));
  }

  return {
    begin() {
      let startedAt = monotonic();
      let stoppedAt = startedAt;
      let rest = 0;
      let decidedBy: DecidedBy | undefined;
      let settle: (() => Promise<void>) | undefined;

      async function wait(kind: ErrorKind): Promise<void> {
        const elapsed = monotonic() - startedAt;
        const milliseconds = decidedBy === undefined ? rest : Math.max(rest, deadline() - elapsed);
        // An unavailable directory gives no measurement.
        if (decidedBy !== undefined && kind === 'credentials_wrong')
          highestOf(decidedBy).note(elapsed + rest);
        if (milliseconds > 0) await sleep(milliseconds);
      }

      return {
        stop() {
          stoppedAt = monotonic();
        },
        goOn(counted) {
          startedAt += Math.max(0, monotonic() - stoppedAt - counted);
        },
        addRest(milliseconds) {
          rest = milliseconds;
        },
        hasDeadline(by) {
          decidedBy = by;
        },
        settleBy(work) {
          settle = work;
        },
        async waitFor(error) {
          if (error instanceof AppError && !answeredAtOnce.includes(error.kind)) await wait(error.kind);
          await settle?.();
        },
      };
    },
  };
}

interface Highest {
  readonly milliseconds: number;
  note(milliseconds: number): void;
}

/** The highest time of the last two periods, so that one slow answer does not count for ever. */
function createHighest(monotonic: () => number): Highest {
  let since = monotonic();
  let current = 0;
  let previous = 0;
  return {
    get milliseconds() {
      return Math.max(current, previous);
    },
    note(milliseconds) {
      if (monotonic() - since > periodMilliseconds) {
        previous = current;
        current = 0;
        since = monotonic();
      }
      current = Math.max(current, milliseconds);
    },
  };
}
