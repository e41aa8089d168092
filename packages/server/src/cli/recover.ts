// `portcullis recover`
import type { Command } from 'commander';
import { createBarrier } from '../cluster/barrier.ts';
import { createBarrierStore } from '../cluster/barrier-store.ts';
import { createDoorbell } from '../cluster/member-store.ts';
import { recover } from '../identity/recover.ts';
import { withStore } from './with-store.ts';

export function addRecover(program: Command): void {
  program
    .command('recover')
    .description(
      'After a restored backup or a failover that lost changes: end every session, and let instances serve again.',
    )
    .action(() =>
      withStore(program, async (store, { devKeys: dev, masterKey }) => {
        const written = await store
          .transaction()
          .execute((transaction) => recover(transaction, { dev, sealingKey: masterKey.sealing }));
        process.stdout.write('Every session is ended. Waiting for the instances.\n');
        const monotonic = () => performance.now();
        const barrier = createBarrier({
          store: createBarrierStore(store),
          doorbell: createDoorbell(store),
          monotonic,
        });
        await barrier.pass(written);
        process.stdout.write(`Every instance enforces revision ${written.n}.\n`);
      }),
    );
}
