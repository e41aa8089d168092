// A composed service on a separate database, whose background jobs run when a test says so. What it logs as a warning or
// worse is kept.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { waitByTimer } from '../../src/base/jobs/jobs.ts';
import { type Config, loadConfig } from '../../src/base/settings/config.ts';
import { composePortcullis, type Portcullis } from '../../src/compose/portcullis.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string };
}

export interface ComposedWorld {
  readonly database: FreshDatabase;
  /** For another instance of the same service. */
  readonly environment: Readonly<Record<string, string>>;
  readonly config: Config;
  readonly portcullis: Portcullis;
  readonly warnings: readonly LogLine[];
  readonly spoolFolder: string;
  /** Resolves when every background job that runs every minute has run once. */
  runJobs(): Promise<void>;
  /** Closes the service, where it still runs, and drops the database. */
  remove(): Promise<void>;
}

const warn = 40;
const minute = 60_000;

export async function composeWorld(settings: Record<string, string> = {}): Promise<ComposedWorld> {
  const [database, spoolFolder] = await Promise.all([
    createFreshDatabase(),
    mkdtemp(join(tmpdir(), 'portcullis-composed-')),
  ]);
  const environment = {
    DATABASE_URL: database.url,
    AUTH_MASTER_KEY: randomBytes(32).toString('hex'),
    APPLICATION_MODE: 'dev',
    APPLICATION_HOST: '127.0.0.1',
    APPLICATION_PORT: '0',
    APPLICATION_CONSOLE: 'false',
    OPS_PORT: '0',
    DECISION_PORT: '0',
    LOGGER_SPOOL_FOLDER: spoolFolder,
    ...settings,
  };
  const config = loadConfig({ environment });
  const warnings: LogLine[] = [];
  const stream = { write: (line: string) => void warnings.push(JSON.parse(line) as LogLine) };
  const pauses = new Map<string, PromiseWithResolvers<void>>();
  const passes = new Map<string, PromiseWithResolvers<void>>();
  const portcullis = await composePortcullis({
    config,
    logger: pino({ level: 'warn' }, { write: stream.write }),
    async wait(milliseconds, signal, job) {
      if (job === undefined || milliseconds < minute) return await waitByTimer(milliseconds, signal);
      passes.get(job.name)?.resolve();
      const pause = Promise.withResolvers<void>();
      pauses.set(job.name, pause);
      if (signal.aborted) pause.resolve();
      signal.addEventListener('abort', () => pause.resolve());
      await pause.promise;
    },
  });
  let closing: Promise<void> | undefined;
  const close = (drainMilliseconds = 0) => {
    closing ??= portcullis.close(drainMilliseconds);
    return closing;
  };
  return {
    database,
    environment,
    config,
    portcullis: { ...portcullis, close },
    get warnings() {
      return warnings.filter(({ level }) => level >= warn);
    },
    spoolFolder,
    async runJobs() {
      if (pauses.size === 0) throw new Error('No background job waits.');
      await Promise.all(
        [...pauses].map(([name, pause]) => {
          const pass = Promise.withResolvers<void>();
          passes.set(name, pass);
          pause.resolve();
          return pass.promise;
        }),
      );
    },
    async remove() {
      await close();
      await database.drop();
      await rm(spoolFolder, { recursive: true, force: true });
    },
  };
}
