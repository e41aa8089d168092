// The messages between the benchmark and its guard processes.

export interface FetchersTask {
  readonly ports: readonly number[];
  readonly secret: string;
  readonly guards: number;
  /** The guards start at random times within this period. */
  readonly withinMilliseconds: number;
}

export interface FetchersReport {
  /** For each guard, the time from its start to its first lease. */
  readonly milliseconds: readonly number[];
  /** The bytes that each guard fetched. */
  readonly bytes: number;
  readonly retries: number;
}

export interface GuardTask {
  readonly urls: readonly string[];
  readonly secret: string;
}

/** The answer to the message `weigh`. */
export interface GuardWeight {
  /** Heap and external memory after a garbage collection. */
  readonly bytes: number;
  readonly rss: number;
}
