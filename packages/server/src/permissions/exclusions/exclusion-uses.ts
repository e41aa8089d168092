// How often each entry of the exclusion list let a request pass. Counted in memory, because the permission check waits
// for nothing; a process that is killed takes the counts since the last flush with it.

export interface ExclusionUses {
  /** Of the entry `METHOD /path`. */
  count(entry: string): void;
  /** Stores what was counted since the last time. What cannot be stored is kept for the next time. */
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
