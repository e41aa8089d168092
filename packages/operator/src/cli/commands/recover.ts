// `portcullis recover`: ends every session after a restored backup or a failover that lost transactions.

import type { Config } from '@portcullis/server/base/settings/config.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { createRecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import { recover } from '@portcullis/server/sign-in/sessions/recover.ts';
import type { Command } from 'commander';
import { composeBarrier, createOperatorCall } from '../../compose-operator.ts';
import { confirmOrEnd } from '../../terminal/ask.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';
import { refusePending, waitForInstances, withStore } from '../with-store.ts';

export function addRecover(program: Command): void {
  const command = program
    .command('recover')
    .summary('End every session after a restored backup or a lossy failover.')
    .description(
      'After a restored backup or a failover that lost changes: end every session, so that the instances serve again.',
    )
    .option('--yes', 'do not ask')
    .action(({ yes = false }: { yes?: boolean }) =>
      withStore(command, async (store, config) => {
        await refusePending(store);
        await confirmOrEnd('End every session? All users have to log in again.', { yes });
        const written = await write(store, config);
        await composeBarrier(store, waitForInstances).pass(written);
        outputOf(command).show(
          { revision: written.n },
          () => `Every session is ended. Every instance enforces revision ${written.n}.`,
        );
      }),
    );
  addExamples(command, 'portcullis recover', 'portcullis recover --yes');
}

async function write(store: Store, { devKeys: dev, masterKey }: Config) {
  const recordChange = createRecordChange();
  return await store.transaction().execute(async (transaction) => {
    const written = await recover(transaction, { dev, sealingKey: masterKey.sealing });
    await recordChange(transaction, createOperatorCall(), {
      action: 'session.recover',
      target: 'every session',
      before: null,
      after: { revision: written.n },
    });
    return written;
  });
}
