// Records that were told live, and those of the list: each once, newest first.
interface Identified {
  readonly id: string;
}

export const mostLive = 500;

/** The oldest go where there are too many. */
export function addRecord<Item extends Identified>(live: readonly Item[], record: Item): readonly Item[] {
  if (live.some(({ id }) => id === record.id)) return live;
  return [record, ...live].slice(0, mostLive);
}

export function mergeRecords<Item extends Identified>(
  live: readonly Item[],
  listed: readonly Item[],
): readonly Item[] {
  const known = new Set(listed.map(({ id }) => id));
  return [...live.filter(({ id }) => !known.has(id)), ...listed];
}
