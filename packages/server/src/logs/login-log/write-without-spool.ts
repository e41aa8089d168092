// Fallback when the spool takes nothing: writes login records straight into the database, one batch at a time, while the login
// waits.

export type WriteWithoutSpool<Item> = (item: Item) => Promise<void>;

interface DirectOptions<Item> {
  /** Called in the order in which the items are inserted. */
  readonly encode: (item: Item) => string;
  readonly insert: (texts: readonly string[]) => Promise<void>;
  /** Called when it is unknown whether the items that were encoded since the last success are stored. */
  readonly onBroken: () => void;
}

export function createWriteWithoutSpool<Item>({
  encode,
  insert,
  onBroken,
}: DirectOptions<Item>): WriteWithoutSpool<Item> {
  let batch: { readonly items: Item[]; readonly stored: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();

  async function store(after: Promise<void>, items: readonly Item[]): Promise<void> {
    await after.catch(() => {});
    batch = undefined;
    try {
      await insert(items.map(encode));
    } catch (error) {
      onBroken();
      throw error;
    }
  }

  return (item) => {
    if (batch === undefined) {
      const items = [item];
      last = store(last, items);
      batch = { items, stored: last };
    } else batch.items.push(item);
    return batch.stored;
  };
}
