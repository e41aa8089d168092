// Follows a log over a streaming connection until it is stopped: a lost connection is reopened with increasing backoff,
// and a refusal ends it. When a session ends, the service closes the connection, and the next attempt gets the reason.
import { ClientError } from '@portcullis/client';

/** A new record, or a gap: records before the next one were dropped. */
export type FollowEvent<Item> = { readonly name: 'message'; readonly data: Item } | { readonly name: 'gap' };

export type FollowState =
  | { readonly name: 'following' }
  | { readonly name: 'waiting'; readonly seconds: number }
  | { readonly name: 'refused'; readonly error: unknown };

export interface FollowOptions<Item> {
  readonly open: () => AsyncIterable<FollowEvent<Item>>;
  readonly signal: AbortSignal;
  readonly onRecord: (record: Item) => void;
  /** Records were dropped, because there were too many at once. */
  readonly onGap: () => void;
  /** The connection is open and delivers new records from now on. Earlier records must be fetched. */
  readonly onStanding: () => void;
  readonly onState: (state: FollowState) => void;
  readonly sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

const longestWaitSeconds = 30;
/**
 * No message says that the connection is open; a connection that is refused or cannot be
 * opened has failed by this time.
 */
export const settleSeconds = 3;
/** After a connection has lasted this long, the backoff starts again at its shortest. */
const goodLineMilliseconds = 10_000;
const retried: readonly ClientError['kind'][] = [
  'network',
  'rate_limited',
  'unavailable',
  'fault',
  'not_understood',
];

export async function followRecords<Item>(options: FollowOptions<Item>): Promise<void> {
  const { signal, onState, sleep, now } = options;
  let failures = 0;
  onState({ name: 'following' });
  while (!signal.aborted) {
    const openedAt = now();
    const error = await readLine(options);
    if (signal.aborted) return;
    if (error !== undefined && !mayRetry(error)) {
      onState({ name: 'refused', error });
      return;
    }
    failures = now() - openedAt >= goodLineMilliseconds ? 1 : failures + 1;
    const seconds = waitSeconds(failures, error);
    onState({ name: 'waiting', seconds });
    await sleep(seconds, signal);
  }
}

/** Returns the error that ended the connection; undefined if it closed normally. */
async function readLine<Item>(options: FollowOptions<Item>): Promise<unknown> {
  const { open, signal, onRecord, onGap, onStanding, onState, sleep } = options;
  const end = new AbortController();
  const ended = AbortSignal.any([signal, end.signal]);
  void sleep(settleSeconds, ended).then(() => {
    if (ended.aborted) return;
    onState({ name: 'following' });
    onStanding();
  });
  try {
    for await (const event of open()) {
      if (signal.aborted) return undefined;
      if (event.name === 'gap') onGap();
      else onRecord(event.data);
    }
    return undefined;
  } catch (error) {
    return error;
  } finally {
    end.abort();
  }
}

function mayRetry(error: unknown): boolean {
  return error instanceof ClientError && retried.includes(error.kind);
}

function waitSeconds(failures: number, error: unknown): number {
  const asked = error instanceof ClientError ? error.retryAfterSeconds : undefined;
  return asked ?? Math.min(longestWaitSeconds, 2 ** (failures - 1));
}
