// New records of a log that has no live line: its newest page, asked for again and again.
import type { FollowEvent } from './follow-records.ts';

interface PollOptions<Item> {
  /** The newest page. */
  readonly read: () => Promise<{ readonly items: readonly Item[]; readonly next: string | null }>;
  /** Until the next look. */
  readonly pause: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** Oldest first. A `gap` where a page holds nothing that was there before: more came than it has room for. */
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
