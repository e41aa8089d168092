// Part of the composition root: the host memory, beside the spool of the login log. It refuses a start on an older history.
import type { Revision } from '@portcullis/gate';
import type { Logger } from 'pino';
import type { Config } from '../base/settings/config.ts';
import { StartRefusal } from '../base/values/start-refusal.ts';
import { type HostMemory, openHostMemory } from '../cluster/host-memory.ts';
import { latchHistory, readHistory } from '../cluster/lost-history-store.ts';
import { findDeployment } from '../cluster/store/deployment.ts';
import type { Store } from '../cluster/store/store.ts';
import { spoolRoot } from '../logs/login-log/spool/owner.ts';

interface HostMemoryParts {
  readonly store: Store;
  readonly config: Config;
  readonly logger: Logger;
}

/** Undefined without a login log: the service then keeps nothing on the host. */
export async function composeHostMemory({
  store,
  config,
  logger,
}: HostMemoryParts): Promise<HostMemory | undefined> {
  if (!config.loginLogEnabled) return undefined;
  const folder = `${spoolRoot(config.loginLog.spoolFolder, await findDeployment(store))}-history`;
  const memory = await openHostMemory({
    folder,
    // Such a wait does not endanger the lease that runs meanwhile.
    patienceMilliseconds: config.leaseMilliseconds / 4,
    onFailure: (err) =>
      logger.error(
        { err, folder },
        'this host cannot keep which revision it knows; its memory is older than that',
      ),
  }).catch((error: unknown) => {
    throw new StartRefusal([
      `The service cannot read the newest access revision of this host from ${folder}: ${(error as Error).message} Give the service access to this folder. If its content is damaged, delete the folder and run \`portcullis recover\`: the database may have lost changes, and this host can no longer detect it.`,
    ]);
  });
  for (const known of memory.known) await refuseOlderHistory(store, known);
  return memory;
}

async function refuseOlderHistory(store: Store, known: Revision): Promise<void> {
  const { current, lacks } = await readHistory(store, known);
  if (!lacks) return;
  // For every other instance and guard too: they may have started on hosts that know less.
  await latchHistory(store, current);
  throw new StartRefusal([
    `The database is at revision ${current.n}, but this host has enforced revision ${known.n} of another history: a failover or a restored backup has lost changes, and revoked tokens may be valid again. Run \`portcullis recover\`, which ends every session, and start the service again (docs/how-to/backup.md). If the database is an intended copy, do the same, or set another \`logger.spoolFolder\`.`,
  ]);
}
