// The timeout of a call. Without it, a service that hangs lets its callers wait forever.

export interface TimeLimit {
  /** The signal for the request. It aborts after the timeout, or when the caller's signal aborts. */
  readonly signal: AbortSignal | undefined;
  /** Whether the timeout has passed. */
  isOver(): boolean;
  /** Stops the timeout after the answer. */
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
