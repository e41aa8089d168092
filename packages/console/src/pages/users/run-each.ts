// Makes one call per item, sequentially and each once. A refusal is recorded and the next call follows; an error that
// would affect all calls ends the run.
import { ClientError } from '@portcullis/client';

const forAll: readonly ClientError['kind'][] = ['signed_out', 'rate_limited'];

interface Run<Item> {
  readonly call: (item: Item) => Promise<unknown>;
  /** Checked before every call: false ends the run. */
  readonly goesOn: () => boolean;
  readonly onEnd: (item: Item, error: unknown) => void;
}

/** Resolves to the items without a call. */
export async function runEach<Item>(
  items: readonly Item[],
  { call, goesOn, onEnd }: Run<Item>,
): Promise<Item[]> {
  for (const [place, item] of items.entries()) {
    if (!goesOn()) return items.slice(place);
    const error: unknown = await call(item).then(
      () => undefined,
      (refusal: unknown) => refusal ?? new Error('refused'),
    );
    onEnd(item, error);
    if (error instanceof ClientError && forAll.includes(error.kind)) return items.slice(place + 1);
  }
  return [];
}
