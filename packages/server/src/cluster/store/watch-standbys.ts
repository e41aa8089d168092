// Monitors the standbys: checks at the start and from time to time whether acknowledged changes would survive the loss of the
// primary, and warns when they would not.
import type { Logger } from 'pino';
import { countSynchronous, readStandbys } from './standby-store.ts';
import type { Store } from './store.ts';

export interface StandbyWatch {
  check(): Promise<void>;
  /** As of the last check. */
  readonly synchronous: number;
}

interface StandbyOptions {
  readonly store: Store;
  /** Whether there should be a synchronous standby. */
  readonly isExpected: boolean;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export async function watchStandbys({ store, isExpected, logger }: StandbyOptions): Promise<StandbyWatch> {
  let synchronous: number | undefined;
  async function check(): Promise<void> {
    const found = await readStandbys(store);
    const before = synchronous;
    synchronous = countSynchronous(found);
    if (!isExpected) return;
    if (synchronous === 0 && before !== 0)
      logger.warn(
        found.synchronousStandbyNames === '' || found.standbys > 0
          ? 'no synchronous standby: a lost primary takes acknowledged changes with it, such as a user who was disabled; set `synchronous_standby_names` and `synchronous_commit = on` in Postgres, or `database.durability` to `storage` where the storage itself is replicated'
          : 'no standby of `synchronous_standby_names` is connected: every change waits for one',
      );
    if (synchronous > 0 && before === 0) logger.info('changes wait for a synchronous standby again');
  }
  await check();
  return {
    check,
    get synchronous() {
      return synchronous ?? 0;
    },
  };
}
