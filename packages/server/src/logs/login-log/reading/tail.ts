// Live tail of the login log. Instances store their records with different delays, so each poll reads some time back and skips
// records that were already sent.
import type { LoginLogItem } from '@portcullis/contract';
import { firstIdAt } from '../../../cluster/store/uuid-v7.ts';

export interface Poll {
  /** Newest first. */
  readonly items: readonly LoginLogItem[];
  /** Whether those are all. */
  readonly complete: boolean;
}

interface TailOptions {
  /** Reads the records with ids from the given one on. */
  readonly poll: (lowest: string) => Promise<Poll>;
  /** Waits until the next poll; rejects when the client has disconnected. */
  readonly pause: () => Promise<void>;
  readonly now: () => number;
}

/** A record that is stored later than this is not sent. */
const windowMilliseconds = 30_000;
const quietPollsLimit = 10;

const comment = ':\n\n';
const gap = 'event: gap\ndata: {}\n\n';

/** Server-sent events, one per record, oldest first; before them a `gap` when some could not be sent. */
export async function* tail({ poll, pause, now }: TailOptions): AsyncGenerator<string> {
  const told = new Set<string>();
  async function findFresh(): Promise<{ fresh: LoginLogItem[]; isGap: boolean }> {
    const lowest = firstIdAt(now() - windowMilliseconds);
    for (const id of told) if (id < lowest) told.delete(id);
    const { items, complete } = await poll(lowest);
    const fresh = items.filter(({ id }) => !told.has(id)).reverse();
    for (const { id } of fresh) told.add(id);
    // When the poll found a record that was sent before, nothing between is missing.
    return { fresh, isGap: !complete && fresh.length === items.length };
  }

  await findFresh();
  yield comment;
  for (let quietPolls = 1; ; quietPolls += 1) {
    await pause();
    const { fresh, isGap } = await findFresh();
    if (fresh.length === 0 && !isGap && quietPolls < quietPollsLimit) continue;
    quietPolls = 0;
    yield `${isGap ? gap : ''}${fresh.map(eventOf).join('') || comment}`;
  }
}

/** JSON has no line breaks outside its strings, and escapes those inside. */
function eventOf(item: LoginLogItem): string {
  return `id: ${item.id}\ndata: ${JSON.stringify(item)}\n\n`;
}
