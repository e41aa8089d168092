// Polls the newest page of a log that has no live stream.
import type { FollowEvent } from './follow-records.ts';

interface PollOptions<Item> {
  /** Reads the newest page. */
  readonly read: () => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>;
  /** Waits until the next poll. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Yields new records, oldest first, and a `gap` if a page contains no known record, because then more records
 * came than fit on one page.
 */
export async function* pollRecords<Item extends { readonly id: string }>({
  read,
  pause,
  signal,
}: PollOptions<Item>): AsyncGenerator<FollowEvent<Item>, void> {
  let told: ReadonlySet<string> | undefined;
  while (!signal.aborted) {
    const { items, next } = await read();
    const fresh = items.filter(({ id }) => told?.has(id) === false);
    if (fresh.length > 0 && fresh.length === items.length && next !== null) yield { name: 'gap' };
    for (const data of fresh.toReversed()) yield { name: 'message', data };
    told = new Set(items.map(({ id }) => id));
    await pause();
  }
}
