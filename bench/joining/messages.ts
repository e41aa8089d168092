// What the bench and its guards say to each other.

export interface FetchersTask {
  readonly ports: readonly number[];
  readonly secret: string;
  readonly guards: number;
  /** They start at random within this time. */
  readonly withinMilliseconds: number;
}

export interface FetchersReport {
  /** From the start of each to its first lease. */
  readonly milliseconds: readonly number[];
  /** What each fetched. */
  readonly bytes: number;
  readonly retries: number;
}

export interface GuardTask {
  readonly urls: readonly string[];
  readonly secret: string;
}

/** Asked for with `weigh`. */
export interface GuardWeight {
  /** On the heap and beside it, after a collection. */
  readonly bytes: number;
  readonly rss: number;
}
