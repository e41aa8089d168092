// Runs the pipeline of the login log alone, composed as in the service: from an attempt to its row in the table.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { LoginAttempt } from '@portcullis/contract';
import { pino } from 'pino';
import { loadConfig } from '../../packages/server/src/base/settings/config.ts';
import { openStore } from '../../packages/server/src/cluster/store/store.ts';
import { composeLoginLog } from '../../packages/server/src/compose/login-log.ts';
import { baseSettings } from '../../test/rig/start-server.ts';

/** The number of concurrent attempts. */
const attemptsAtOnce = 500;

/** The seconds until all attempts are in the table. */
export async function recordAll(url: string, attempts: readonly LoginAttempt[]): Promise<number> {
  const config = loadConfig({ environment: baseSettings(url) });
  const store = openStore({ ...config.database, onConnectionLost: () => {} });
  try {
    const logger = pino({ level: 'error' }, process.stderr);
    const log = await composeLoginLog({ store, instance: randomUUID(), config, logger });
    const startedAt = performance.now();
    let next = 0;
    const answer = async () => {
      for (let attempt = attempts[next++]; attempt !== undefined; attempt = attempts[next++])
        await log.record(attempt);
    };
    await Promise.all(Array.from({ length: attemptsAtOnce }, answer));
    // Waits for an empty spool: a close leaves records that the database does not accept before the
    // deadline to the next start.
    while (log.status().spoolBytes > 0) await setTimeout(1);
    await log.close();
    return (performance.now() - startedAt) / 1000;
  } finally {
    await store.destroy();
  }
}
