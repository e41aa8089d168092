// Performs an erasure that has begun: erases the person's data in both logs batch by batch, then everything else. The work can stop
// after any batch and be resumed: a later run erases what is left, and the name, by which records are found, is erased last.
import { AppError, type ErasureReceipt } from '@portcullis/contract';
import { runEach } from '../../base/jobs/run-each.ts';
import { findDeployment } from '../../cluster/store/deployment.ts';
import type { Store } from '../../cluster/store/store.ts';
import { eraseAuditLog } from './erase-audit-records.ts';
import { eraseLoginLog } from './erase-login-records.ts';
import { isSignedErasureAuthorization } from './erasure-authorization.ts';
import { findAccount, findErasure, listOpenErasures, type StoredErasure } from './erasure-store.ts';
import { finishErasure } from './finish-store.ts';
import { describeErasure } from './receipts.ts';

export interface ErasureWorkOptions {
  readonly store: Store;
  /** The first key makes the attestations. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  /** How the login log can contain a username in attempts without an account. */
  readonly namesOf: (username: string) => readonly string[];
  readonly forgiveGuesses: (username: string) => Promise<void>;
}

export interface Pace {
  /** Whether to stop for now; asked after every batch. */
  readonly isOver?: () => boolean;
  /** Called after every batch with the number of erased records. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

export interface ErasureWork {
  /** Continues the erasure. Resolves with the receipt when the erasure is finished, or when `isOver` stops it. */
  goOn(userId: number, pace: Pace): Promise<ErasureReceipt>;
  /** Finishes the erasures that any instance began. After a failure it continues with the others, and rejects at the end. */
  finishOpen(signal?: AbortSignal): Promise<void>;
}

/** If new records keep arriving, a later run continues. */
const mostRounds = 10;
const openAtOnce = 20;
const firstId = '00000000-0000-0000-0000-000000000000';

export function createErasureWork({ store, keys, namesOf, forgiveGuesses }: ErasureWorkOptions): ErasureWork {
  async function eraseLogs(erasure: StoredErasure, names: readonly string[], pace: Pace): Promise<boolean> {
    const { id, userId } = erasure;
    const deployment = await findDeployment(store);
    const logs = [
      eraseLoginLog(store, { keys, erasure: id, userId, names }),
      eraseAuditLog(store, { keys, deployment, erasure: id, userId }),
    ];
    for (const log of logs)
      for await (const records of log) {
        pace.onProgress?.(records);
        if (pace.isOver?.() === true) return false;
      }
    return true;
  }

  async function work(erasure: StoredErasure, pace: Pace): Promise<void> {
    const { id, userId } = erasure;
    // Without a valid signature no instance wrote the row: the right to erase this person was never checked.
    if (!isSignedErasureAuthorization(keys, await findDeployment(store), erasure)) return;
    for (let round = 0; round < mostRounds; round += 1) {
      const username = (await findAccount(store, userId))?.username;
      if (!(await eraseLogs(erasure, username === undefined ? [] : namesOf(username), pace))) return;
      if (username !== undefined) await forgiveGuesses(username);
      if (await finishErasure(store, id, { userId, username })) return;
    }
  }

  return {
    async goOn(userId, pace) {
      const begun = await findErasure(store, userId);
      if (begun !== undefined && begun.finishedAt === null) await work(begun, pace);
      const erasure = await findErasure(store, userId);
      if (erasure === undefined) throw new AppError('record_not_found');
      return await describeErasure(store, erasure);
    },
    async finishOpen(signal) {
      const finish = (erasure: StoredErasure) => work(erasure, { isOver: () => signal?.aborted === true });
      await runEach(readOpen(store), finish, 'Some erasures could not be finished.', signal);
    },
  };
}

/** Reads page by page, so that erasures that cannot be finished do not block later ones. */
async function* readOpen(store: Store): AsyncGenerator<StoredErasure> {
  for (let after = firstId; ; ) {
    const page = await listOpenErasures(store, { after, most: openAtOnce });
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
