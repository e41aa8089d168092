// Reads all pages of a list endpoint (pagination).
interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}
interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}
type ReadPage<Item> = (query: PageQuery) => Promise<Page<Item>>;

const pageLimit = 100;

export async function* listAll<Item>(readPage: ReadPage<Item>): AsyncGenerator<Item> {
  let next: string | null = null;
  do {
    const page: Page<Item> = await readPage({ limit: pageLimit, ...(next === null ? {} : { after: next }) });
    yield* page.items;
    next = page.next;
  } while (next !== null);
}

/** @example await readAll(async (query) => (await operator.call(listRolesEndpoint, { query })).data) */
export async function readAll<Item>(readPage: ReadPage<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of listAll(readPage)) items.push(item);
  return items;
}
