// Starts the demo: the real service on an in-process Postgres with made-up data. Everything is in memory except the
// spool of the login log and a settings file, which are in a folder that the caller removes.
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Config,
  type GivenSettings,
  loadConfig,
  makeThreadsFor,
} from '@portcullis/server/base/settings/config.ts';
import { migrate } from '@portcullis/server/cluster/store/migrate.ts';
import { openStore } from '@portcullis/server/cluster/store/store.ts';
import { composePortcullis } from '@portcullis/server/compose/portcullis.ts';
import { warnOfDev } from '@portcullis/server/compose/warn-of-dev.ts';
import { createRandomPassword } from '@portcullis/server/people/passwords/random-password.ts';
import type { Logger } from 'pino';
import { createDemoFacts, type DemoFacts } from './demo-facts.ts';
import { type DemoPasswords, fillDatabase } from './fill-database.ts';
import { createOrders } from './orders.ts';
import { type InnerPostgres, startPostgres } from './start-postgres.ts';

interface DemoOptions {
  readonly port: number;
  readonly folder: string;
  /** With a secret, guards and gateways that know it can ask for decisions. */
  readonly decisionSecret: string | undefined;
  readonly logger: Logger;
  /** A Postgres that is already starting. */
  readonly postgres: Promise<InnerPostgres> | undefined;
  /** Receives the current step. */
  readonly report: (step: string) => void;
}

export interface Demo {
  readonly facts: DemoFacts;
  close(): Promise<void>;
}

export async function startDemo({
  port,
  folder,
  decisionSecret,
  logger,
  report,
  ...options
}: DemoOptions): Promise<Demo> {
  report('Starting Postgres inside the process');
  const postgres = await (options.postgres ?? startPostgres());
  const settings: GivenSettings = {
    application: { mode: 'dev', host: '127.0.0.1', port },
    ops: { port: 0 },
    ...(decisionSecret === undefined
      ? {}
      : { decision: { host: '127.0.0.1', port: 0, secret: decisionSecret } }),
    // All connections share one session, so more connections would only wait.
    database: { url: postgres.url, poolSize: 4 },
    auth: { masterKey: randomBytes(32).toString('hex') },
    logger: { level: 'warn', spoolFolder: join(folder, 'spool') },
  };
  // Without environment variables: they could name the database of a real service.
  const config = loadConfig({ values: settings, environment: {} });
  makeThreadsFor(config);
  const settingsFile = join(folder, 'portcullis.yaml');
  // JSON is valid YAML.
  await writeFile(settingsFile, `${JSON.stringify(settings, undefined, 2)}\n`, { mode: 0o600 });
  const passwords = {
    administrator: createRandomPassword(randomBytes),
    others: createRandomPassword(randomBytes),
  };
  report('Making up a company with two weeks of logins');
  await prepareDatabase(config, passwords);
  report('Starting Portcullis');
  warnOfDev(config);
  const portcullis = await composePortcullis({ config, logger, routes: createOrders() });
  const { decisionPort } = await portcullis.listen();
  const decision = decisionSecret === undefined ? {} : { decision: `http://127.0.0.1:${decisionPort}` };
  return {
    facts: createDemoFacts({ address: `http://127.0.0.1:${port}`, passwords, settingsFile, ...decision }),
    async close() {
      await portcullis.close(0);
      await postgres.stop();
    },
  };
}

async function prepareDatabase(config: Config, passwords: DemoPasswords): Promise<void> {
  const store = openStore({
    ...config.database,
    statementTimeoutMilliseconds: 60_000,
    onConnectionLost: () => {},
  });
  try {
    await migrate(store);
    await fillDatabase(store, config, passwords);
  } finally {
    await store.destroy();
  }
}
