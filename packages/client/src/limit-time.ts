// How long a call may wait for its answer. Without a limit a service that hangs keeps its callers waiting for ever.

export interface TimeLimit {
  /** For the request: over when the time is, or when the caller's own signal says so. */
  readonly signal: AbortSignal | undefined;
  /** Whether it was the time that ended it. */
  isOver(): boolean;
  /** The answer is there. */
  end(): void;
}

export function limitTime(own: AbortSignal | undefined, seconds: number | undefined): TimeLimit {
  if (seconds === undefined) return { signal: own, isOver: () => false, end() {} };
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), seconds * 1000);
  return {
    signal: own === undefined ? limit.signal : AbortSignal.any([own, limit.signal]),
    isOver: () => limit.signal.aborted,
    end: () => clearTimeout(timer),
  };
}
