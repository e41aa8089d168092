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
  let turn: Promise<void> = Promise.resolve();

  async function advance(): Promise<void> {
    if ((await readCurrentRevision(store)) === follower.revision) return;
    const newer = await listRevisionsAfter(store, follower.revision);
    if (newer[0]?.n === follower.revision + 1)
      for (const { n, changes } of newer) enforce(n, applying(changes));
    else await load();
  }

  async function load(): Promise<void> {
    const { revision, swaps } = await readAll(store, replicas);
    enforce(revision, swaps);
  }

  function applying(changes: readonly Change[]): (() => void)[] {
    return changes.flatMap((change) => replicas.map((replica) => () => replica.apply(change)));
  }

  /** In one step, so that no request sees half of a revision, or a change under an old generation. */
  function enforce(revision: number, steps: readonly (() => void)[]): void {
    for (const step of steps) step();
    follower.revision = revision;
    follower.generation += 1;
  }

  function catchUp(): Promise<void> {
    turn = turn.then(advance, advance);
    return turn;
  }

  const follower = { revision: -1, generation: 0, catchUp, stop: () => clearInterval(timer) };
  await load();
  const timer = setInterval(() => catchUp().catch(onFailure), options.intervalMilliseconds);
  return follower;
}

/** One transaction, so that all parts show the same moment. */
async function readAll(store: Store, replicas: readonly Replica[]) {
  return await store
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const revision = await readCurrentRevision(transaction);
      const swaps: (() => void)[] = [];
      for (const replica of replicas) swaps.push(await replica.load(transaction, revision));
      return { revision, swaps };
    });
}
