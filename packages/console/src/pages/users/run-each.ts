// One call after the other for many, each made once. A refusal is kept and the next one goes on; what would refuse all of them
// ends it.
import { ClientError } from '@portcullis/client';

const forAll: readonly ClientError['kind'][] = ['signed_out', 'rate_limited'];

interface Run<Item> {
  readonly call: (item: Item) => Promise<unknown>;
  /** Before every call: false ends it. */
  readonly goesOn: () => boolean;
  readonly onEnd: (item: Item, error: unknown) => void;
}

/** Resolves to those for whom no call was made. */
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
