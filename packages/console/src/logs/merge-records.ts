// Merges live records with the records of the list: each once, newest first.
interface Identified {
  /** Begins with the time. */
  readonly id: string;
}

export const mostLive = 500;

/** If there are too many, drops the older half, which must then be fetched again with the list. */
export function addRecord<Item extends Identified>(live: readonly Item[], record: Item): readonly Item[] {
  if (live.some(({ id }) => id === record.id)) return live;
  return [record, ...(live.length < mostLive ? live : live.slice(0, mostLive / 2))];
}

/**
 * Sorts, because instances store records with different delays, so the last record to arrive is not always the newest.
 */
export function mergeRecords<Item extends Identified>(
  live: readonly Item[],
  listed: readonly Item[],
): readonly Item[] {
  const known = new Set(listed.map(({ id }) => id));
  const fresh = live.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return listed;
  return [...fresh, ...listed].sort((one, other) => (one.id < other.id ? 1 : -1));
}
