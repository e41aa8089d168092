// Part of the composition root: the login log, if the settings enable it.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { traced } from '../base/ops/trace.ts';
import type { Config } from '../base/settings/config.ts';
import { StartRefusal } from '../base/values/start-refusal.ts';
import { findDeployment } from '../cluster/store/deployment.ts';
import { mayChangeLoginLog } from '../cluster/store/service-role.ts';
import type { Store } from '../cluster/store/store.ts';
import { insertHead } from '../logs/evidence/head-store.ts';
import { createClientFacts } from '../logs/login-log/client-facts.ts';
import { createFailureLine } from '../logs/login-log/failure-line.ts';
import { createHeads } from '../logs/login-log/heads.ts';
import { type LoginLog, noLoginLog, openLoginLog } from '../logs/login-log/login-log.ts';
import { findLastErasure, insertLoginRows, insertRejectedRecord } from '../logs/login-log/login-log-store.ts';
import { createPseudonymize } from '../logs/login-log/pseudonym.ts';
import { spoolRoot } from '../logs/login-log/spool/owner.ts';

interface LoginLogParts {
  readonly store: Store;
  readonly instance: string;
  readonly config: Config;
  readonly logger: Logger;
}

const monotonic = () => performance.now();

export async function composeLoginLog({ store, instance, config, logger }: LoginLogParts): Promise<LoginLog> {
  if (!config.loginLogEnabled) return noLoginLog;
  if (!config.migrateOnStart && (await mayChangeLoginLog(store)))
    logger.warn(
      'the database role of the service may change and delete the login log; give the service a separate role with `portcullis migrate --service-role`',
    );
  const { spoolFolder, spoolMegabytes, logFailedLogins } = config.loginLog;
  const describeClient = await createClientFacts({ ...config.loginLog, monotonic });
  const [chainKey] = config.chainKeys;
  const root = spoolRoot(spoolFolder, await findDeployment(store));
  return await openLoginLog({
    root,
    maxBytes: spoolMegabytes * 1024 * 1024,
    store: {
      insert: traced(
        'login log drain',
        (texts) => insertLoginRows(store, texts),
        ({ length }) => ({ 'portcullis.login_log.records': length }),
      ),
      insertRejected: (text, cause) => insertRejectedRecord(store, text, cause),
    },
    findLastErasure: () => findLastErasure(store),
    heads: createHeads({ key: chainKey, insert: (head) => insertHead(store, head) }),
    chainKey,
    instance,
    describeClient,
    hideName: createPseudonymize(config.masterKey.names),
    onFailedAttempt: logFailedLogins ? createFailureLine(logger) : () => {},
    onFailure: (err, what) => logger.error({ err }, what),
    onBacklog: (left) => logger.info(left, 'what is left in the spool of an ended instance is being stored'),
    now: Date.now,
    monotonic,
    randomBytes,
    randomUuid: randomUUID,
  }).catch((error: unknown) => {
    throw new StartRefusal([
      `The service cannot use ${root} for the login log spool: ${(error as Error).message} Create a folder for this service on a local disk, with a short path, and set \`logger.spoolFolder\` (LOGGER_SPOOL_FOLDER) to it.`,
    ]);
  });
}
