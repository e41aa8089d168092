// A map that holds so many entries and no more: another one pushes out the one that was set longest ago.
export type BoundedMap<Key, Value> = Pick<Map<Key, Value>, 'get' | 'has'> & {
  set(key: Key, value: Value): void;
};

/** @example const cache = createBoundedMap<number, Token>(100_000); */
export function createBoundedMap<Key, Value>(mostEntries: number): BoundedMap<Key, Value> {
  const entries = new Map<Key, Value>();
  // One walk for all evictions: a new one would pass everything that was evicted before.
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
