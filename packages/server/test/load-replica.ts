// A replica with everything that the database holds, in force, as at the start of an instance.
import type { Replica } from '@portcullis/gate';
import type { Store } from '../src/cluster/store/store.ts';
import { createAccessSource } from '../src/compose/access.ts';

const production = { devKeys: false, maxTokenLifetimeSeconds: 86_400 };

export const sourceOf = (store: Store, mode: Partial<typeof production> = {}) =>
  createAccessSource(store, { ...production, ...mode });

export async function loadReplica<R extends Replica>(
  store: Store,
  replica: R,
  mode?: Partial<typeof production>,
): Promise<R> {
  const loading = replica.load();
  const { n } = await sourceOf(store, mode).readAll(loading.take);
  loading.finish(n)();
  return replica;
}
