// A map with a maximum size: it evicts the entry that was set longest ago (FIFO cache).
export type BoundedMap<Key, Value> = Pick<Map<Key, Value>, 'get' | 'has'> & {
  set(key: Key, value: Value): void;
};

/** @example const cache = createBoundedMap<number, Token>(100_000); */
export function createBoundedMap<Key, Value>(mostEntries: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  // One iterator for all evictions: a new iterator would have to skip the deleted entries every time.
  const oldest = entries.keys();
  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= mostEntries) return;
      const first = oldest.next();
      if (!first.done) entries.delete(first.value);
    },
  };
}
