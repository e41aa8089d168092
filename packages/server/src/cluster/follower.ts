// Keeps an instance's memory at the newest revision: a full load at the start and after a gap, else the changes.
import type { Store, StoreTransaction } from '../store/store.ts';
import type { Change } from './change.ts';
import { listRevisionsAfter, readCurrentRevision } from './revision-store.ts';

/** A part of access that is held in memory. */
export interface Replica {
  /** Reads everything; the returned function puts it in force and must not wait for anything. */
  load(transaction: StoreTransaction, revision: number): Promise<() => void>;
  apply(change: Change): void;
}

export interface Follower {
  readonly revision: number;
  /** Differs after every change in memory. Revisions do not: a failover can lose one and use its number again. */
  readonly generation: number;
  /** Resolves when memory is at the newest revision that was committed before the call. */
  catchUp(): Promise<void>;
  stop(): void;
}

interface FollowerOptions {
  readonly store: Store;
  readonly replicas: readonly Replica[];
  readonly intervalMilliseconds: number;
  readonly onFailure: (cause: unknown) => void;
}

export async function startFollower(options: FollowerOptions): Promise<Follower> {
  const { store, replicas, onFailure } = options;
  let revision = await loadAll(store, replicas);
  let generation = 0;
  let turn: Promise<void> = Promise.resolve();

  async function advance(): Promise<void> {
    const current = await readCurrentRevision(store);
    if (current === revision) return;
    const newer = await listRevisionsAfter(store, revision);
    if (newer[0]?.n !== revision + 1) {
      revision = await loadAll(store, replicas);
      generation += 1;
      return;
    }
    for (const { n, changes } of newer) {
      for (const change of changes) for (const replica of replicas) replica.apply(change);
      revision = n;
      generation += 1;
    }
  }

  function catchUp(): Promise<void> {
    turn = turn.then(advance, advance);
    return turn;
  }

  const timer = setInterval(() => catchUp().catch(onFailure), options.intervalMilliseconds);
  return {
    get revision() {
      return revision;
    },
    get generation() {
      return generation;
    },
    catchUp,
    stop: () => clearInterval(timer),
  };
}

/** One transaction, so that all parts show the same moment; one step, so that no request sees half of it. */
async function loadAll(store: Store, replicas: readonly Replica[]): Promise<number> {
  const loaded = await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const revision = await readCurrentRevision(transaction);
      const swaps: (() => void)[] = [];
      for (const replica of replicas) swaps.push(await replica.load(transaction, revision));
      return { revision, swaps };
    });
  for (const swap of loaded.swaps) swap();
  return loaded.revision;
}
