// Prints a list: its first page, or with --all the whole list.
import type { Command } from 'commander';
import { countOf } from './count-of.ts';
import { listAll } from './list-all.ts';
import { outputOf, table } from './output.ts';
import { createProgress } from './progress.ts';

const shownItems = 100;

interface ListOptions<Item> {
  readonly all: boolean | undefined;
  /** The noun for one item. */
  readonly noun: string;
  readonly plural?: string;
  /** Column headings, with the function that gives the value of a cell. */
  readonly columns: Readonly<Record<string, (item: Item) => string | number | null>>;
}

export async function showList<Item>(
  command: Command,
  readPage: Parameters<typeof listAll<Item>>[0],
  { all = false, noun, plural = `${noun}s`, columns }: ListOptions<Item>,
): Promise<void> {
  const { items, hasMore } = await read(readPage, all ? Number.POSITIVE_INFINITY : shownItems, (count) =>
    countOf(count, noun, plural),
  );
  outputOf(command).show({ items, hasMore }, () =>
    items.length === 0
      ? `There are no ${plural}.`
      : table(
          Object.keys(columns),
          items.map((item) => Object.values(columns).map((cellOf) => cellOf(item))),
        ),
  );
  if (hasMore) process.stderr.write(`These are the first ${shownItems}. Give --all for all of them.\n`);
}

async function read<Item>(
  readPage: Parameters<typeof listAll<Item>>[0],
  most: number,
  countText: (count: number) => string,
) {
  const items: Item[] = [];
  const progress = createProgress();
  try {
    for await (const item of listAll(readPage)) {
      if (items.length === most) return { items, hasMore: true };
      items.push(item);
      progress.show(countText(items.length));
    }
    return { items, hasMore: false };
  } finally {
    progress.end();
  }
}
