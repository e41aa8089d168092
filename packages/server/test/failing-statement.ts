// A store on which one statement fails, the first, then the second and so on: what a change does not wait for fails unseen,
// and the change resolves.
import type { KyselyPlugin } from 'kysely';
import { expect } from 'vitest';
import type { AccessWriter } from '../src/cluster/access-writer.ts';
import type { Store } from '../src/cluster/store/store.ts';

class StatementFailed extends Error {}

/** A writer of access without a barrier: all statements of a change are its own. */
export function createPlainAccess(store: Store): AccessWriter {
  async function write(_call: unknown, change: Parameters<AccessWriter['give']>[1]): Promise<number> {
    await store.transaction().execute(change);
    return 1;
  }
  return { give: write, takeAway: write };
}

/** Expects that the work rejects whichever of its statements fails. It is prepared each time; the last time it runs whole. */
export async function expectEachFailureTold(
  store: Store,
  work: (store: Store) => Promise<unknown>,
  prepare: () => Promise<unknown> = async () => {},
): Promise<void> {
  for (let at = 1; ; at += 1) {
    let asked = 0;
    await prepare();
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        asked += 1;
        if (asked === at) throw new StatementFailed(`Statement ${at} failed.`);
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const outcome = await work(store.withPlugin(plugin)).catch((error: unknown) => error);
    if (asked < at) {
      expect(outcome).not.toBeInstanceOf(Error);
      expect(at, 'it has statements').toBeGreaterThan(1);
      return;
    }
    const [told] = outcome instanceof AggregateError ? outcome.errors : [outcome];
    expect(told, `statement ${at} fails`).toBeInstanceOf(StatementFailed);
  }
}
