// Stores a batch of login records despite bad ones: halves a batch that the database refuses until the bad record is found, and
// stores that one as a rejected record (dead letter).

export interface BatchStore {
  readonly insert: (texts: readonly string[]) => Promise<void>;
  readonly insertRejected: (text: string, cause: string) => Promise<void>;
}

/** Rejects when the database cannot store anything now. To insert the records again that it stored until then has no effect. */
export async function insertBatch(store: BatchStore, texts: readonly string[]): Promise<void> {
  try {
    await store.insert(texts);
  } catch (error) {
    if (!isOfData(error)) throw error;
    const [first = ''] = texts;
    if (texts.length === 1) {
      await store.insertRejected(first, String(error));
      return;
    }
    const middle = Math.ceil(texts.length / 2);
    await insertBatch(store, texts.slice(0, middle));
    await insertBatch(store, texts.slice(middle));
  }
}

/** Postgres's error classes for bad data, violated constraints and exceeded limits: a retry would fail too. */
function isOfData(error: unknown): boolean {
  return /^(22|23|54)...$/.test((error as { code?: string }).code ?? '');
}
