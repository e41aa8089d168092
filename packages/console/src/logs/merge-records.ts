// Records that were told live, and those of the list: each once, newest first.
interface Identified {
  /** Begins with the time. */
  readonly id: string;
}

export const mostLive = 500;

/** Where there are too many, the older half goes: the list has to be asked for it. */
export function addRecord<Item extends Identified>(live: readonly Item[], record: Item): readonly Item[] {
  if (live.some(({ id }) => id === record.id)) return live;
  return [record, ...(live.length < mostLive ? live : live.slice(0, mostLive / 2))];
}

/** Instances store at different paces, so what comes last is not always the newest. */
export function mergeRecords<Item extends Identified>(
  live: readonly Item[],
  listed: readonly Item[],
): readonly Item[] {
  const known = new Set(listed.map(({ id }) => id));
  const fresh = live.filter(({ id }) => !known.has(id));
  if (fresh.length === 0) return listed;
  return [...fresh, ...listed].sort((one, other) => (one.id < other.id ? 1 : -1));
}
