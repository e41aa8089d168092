// Follows a log until it is stopped: a lost line is opened again, ever more slowly; a refusal ends it. When a
// session ends the service cuts the line, and the next attempt tells why.
import { ClientError } from '@portcullis/client';

/** A new record, or that some before the next one could not be told. */
export type FollowEvent<Item> = { readonly name: 'message'; readonly data: Item } | { readonly name: 'gap' };

export type FollowState =
  | { readonly name: 'following' }
  | { readonly name: 'waiting'; readonly seconds: number }
  | { readonly name: 'refused'; readonly error: unknown };

export interface FollowOptions<Item> {
  readonly open: () => AsyncIterable<FollowEvent<Item>>;
  readonly signal: AbortSignal;
  readonly onRecord: (record: Item) => void;
  /** Some could not be told: there were too many at once. */
  readonly onGap: () => void;
  /** A line stands, and tells what is new from here on. What came before it must be asked for. */
  readonly onStanding: () => void;
  readonly onState: (state: FollowState) => void;
  readonly sleep: (seconds: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

const longestWaitSeconds = 30;
/** Nothing says that a line stands; one that is refused or cannot be opened has failed by then. */
export const settleSeconds = 3;
/** A line that stood so long was a good one: the next wait is short again. */
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

/** What ended it; nothing where the line just closed. */
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
