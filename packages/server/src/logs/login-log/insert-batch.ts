// Stores a batch of records whatever is in it: one that the database refuses is found by halving and put aside.

export interface BatchStore {
  readonly insert: (texts: readonly string[]) => Promise<void>;
  readonly prefetch: (text: string, cause: string) => Promise<void>;
}

/** Rejects where the database cannot store anything now; what it has stored until then it stores again for nothing. */
export async function insertBatch(store: BatchStore, texts: readonly string[]): Promise<void> {
  try {
    await store.insert(texts);
  } catch (error) {
    if (!isOfData(error)) throw error;
    const [first = ''] = texts;
    if (texts.length === 1) {
      await store.prefetch(first, String(error));
      return;
    }
    const middle = Math.ceil(texts.length / 2);
    await insertBatch(store, texts.slice(0, middle));
    await insertBatch(store, texts.slice(middle));
  }
}

/** Postgres's classes for bad data, violated constraints and exceeded limits: the same tomorrow. */
function isOfData(error: unknown): boolean {
  return /^(22|23|54)...$/.test((error as { code?: string }).code ?? '');
}
