// When a refused password is answered. Where a directory verifies some names, all refusals wait for one deadline: a hash and a
// directory take different times, and that would tell which names have an account here. A refusal waits when it holds nothing.
import { AppError, type ErrorKind } from '@portcullis/contract';

/** What decided about a password: a stored hash, or the directory with this key. */
export type DecidedBy = { readonly hash: true } | { readonly directory: string };

/** The time of one login. */
export interface RefusalClock {
  /** Stops while the attempt waits for others on the same name; `counted` of it is the attempt's own time. */
  stop(): void;
  goOn(counted: number): void;
  /** How much longer a refusal takes at least, whatever a directory takes. */
  addRest(milliseconds: number): void;
  /** From here on a refusal waits for the deadline. */
  hasDeadline(by: DecidedBy): void;
  /** What counts the guess as wrong, which is done behind the wait: attempts that wait for it would tell the time before. */
  settleBy(settle: (() => Promise<void>) | undefined): void;
  /** Resolves when the error may be answered. */
  waitFor(error: unknown): Promise<void>;
}

export interface RefusalDeadline {
  begin(): RefusalClock;
}

interface RefusalDeadlineOptions {
  /** The time limit of a directory: nothing waits longer, and until one is measured everything waits as long. */
  readonly limitMilliseconds: number;
  /** How long a refusal by a hash takes at least, also before the first one. */
  readonly refusalTime: { readonly milliseconds: number };
  readonly monotonic: () => number;
  readonly sleep: (milliseconds: number) => Promise<unknown>;
}

/** The next one may take longer than all before it. */
const reserve = 1.5;
/** A time counts for this long at least, and until there are newer ones. */
const periodMilliseconds = 300_000;
/** Refused before the password was looked at, or not refused for it. */
const answeredAtOnce: readonly string[] = ['rate_limited', 'factor_required'];

export function createRefusalDeadline(options: RefusalDeadlineOptions): RefusalDeadline {
  const { limitMilliseconds, refusalTime, monotonic, sleep } = options;
  const ofHash = createHighest(monotonic);
  /** By directory: one that is seldom asked keeps the time that it takes. */
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
        // A directory that is away was not measured.
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

/** Of two periods, so that what was slow once does not count for ever. */
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
