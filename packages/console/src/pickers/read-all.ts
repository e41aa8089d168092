// Reads all pages of a list for a selection field, up to a limit that keeps the browser fast.
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface WholeList<Item> {
  readonly items: readonly Item[];
  /** False if there are more items than were read. */
  readonly isWhole: boolean;
}

const mostPages = 50;

export async function readAll<Item>(
  fetchPage: (after: string | undefined) => Promise<Page<Item>>,
  pages: number = mostPages,
): Promise<WholeList<Item>> {
  const items: Item[] = [];
  let after: string | undefined;
  for (let page = 0; page < pages; page += 1) {
    const { items: more, next } = await fetchPage(after);
    items.push(...more);
    if (next === null) return { items, isWhole: true };
    after = next;
  }
  return { items, isWhole: false };
}
