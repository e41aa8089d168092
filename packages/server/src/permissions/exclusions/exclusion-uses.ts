// Usage counter of the exclusion list: how often each entry allowed a request. It counts in memory, because the permission
// check must not wait. A killed process loses the counts since the last flush.

export interface ExclusionUses {
  /** Counts a use of the entry `METHOD /path`. */
  count(entry: string): void;
  /** Stores the counts since the last flush. After a failure, the counts are kept for the next flush. */
  flush(): Promise<void>;
}

export type AddUses = (uses: ReadonlyMap<string, number>) => Promise<void>;

export function createExclusionUses(add: AddUses): ExclusionUses {
  let uses = new Map<string, number>();
  const count = (entry: string, times: number) => void uses.set(entry, (uses.get(entry) ?? 0) + times);
  return {
    count: (entry) => count(entry, 1),
    async flush() {
      if (uses.size === 0) return;
      const counted = uses;
      uses = new Map();
      try {
        await add(counted);
      } catch (error) {
        for (const [entry, times] of counted) count(entry, times);
        throw error;
      }
    },
  };
}
