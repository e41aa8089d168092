// Passes of a job whose work several instances share: an item is done by the instance that claims it, and by no other one as long
// as the claim lasts.

export function claimed<Item>(
  claim: () => Promise<Item | undefined>,
  work: (item: Item) => Promise<void>,
): () => Promise<boolean> {
  return async () => {
    const item = await claim();
    if (item === undefined) return false;
    await work(item);
    return true;
  };
}
