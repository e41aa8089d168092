/** Runs the work for each item, until the signal aborts. A failure stops no other item: the call rejects at its end. */
export async function runEach<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  failed: string,
  signal?: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for await (const item of items) {
    if (signal?.aborted === true) return;
    await work(item).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0 && signal?.aborted !== true) throw new AggregateError(failures, failed);
}
