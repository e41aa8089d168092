// A running server under test: the business service of the rig, or the product's own command line.
import { masterKey } from './master-key.ts';
import { spoolFolderOf } from './spool-folder.ts';
import { businessService, type RigProcess, startProcess } from './start-process.ts';

export interface Server {
  readonly process: RigProcess;
  readonly port: number;
  readonly opsPort: number;
  /** 0 unless the settings have a `DECISION_SECRET`. */
  readonly decisionPort: number;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

export interface ServerOptions {
  readonly databaseUrl: string;
  /** Further settings, as the environment names them; they win. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly script?: string;
  readonly arguments?: readonly string[];
}

/** Settings of every server under test: any free port, and no limit that a suite could meet by accident. */
export function baseSettings(databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    AUTH_MASTER_KEY: masterKey,
    APPLICATION_PORT: '0',
    OPS_PORT: '0',
    DECISION_PORT: '0',
    APPLICATION_DRAIN_SECONDS: '0',
    LIMIT_REQUESTS_PER_SECOND: '1000000',
    LIMIT_BURST: '1000000',
    LIMIT_CAPTCHAS_PER_MINUTE: '1000000',
    LIMIT_PASSWORDS_SET_PER_MINUTE: '1000000',
    LIMIT_CONNECTIONS_PER_NETWORK: '1000000',
    THROTTLE_FAILURES_BEFORE_DELAY: '20',
    THROTTLE_NETWORK_FAILURES_PER_MINUTE: '1000000',
    LOGGER_SPOOL_FOLDER: spoolFolderOf(databaseUrl),
  };
}

export async function startServer(options: ServerOptions): Promise<Server> {
  const { process, line } = await startAwake(options);
  const { port, opsPort, decisionPort } = JSON.parse(line) as Pick<
    Server,
    'port' | 'opsPort' | 'decisionPort'
  >;
  return {
    process,
    port,
    opsPort,
    decisionPort,
    stop() {
      process.signal('SIGTERM');
      return process.exited;
    },
  };
}

/** What a start says that gave up after its two seconds for a connection or a statement, or was given up by Postgres. */
export const standstillText =
  /connection timeout|timeout exceeded|Query read timeout|statement timeout|Connection terminated/;
const patienceMilliseconds = 300_000;

/** Where the whole machine stood still for so long, it starts again. */
async function startAwake(
  options: ServerOptions,
  giveUpAt = performance.now() + patienceMilliseconds,
): Promise<{ process: RigProcess; line: string }> {
  const process = startProcess({
    script: options.script ?? businessService,
    ...(options.arguments === undefined ? {} : { arguments: options.arguments }),
    environment: { ...baseSettings(options.databaseUrl), ...options.settings },
  });
  try {
    return { process, line: await process.waitForLine(/"msg":"ready"/) };
  } catch (error) {
    if (performance.now() < giveUpAt && standstillText.test((error as Error).message))
      return await startAwake(options, giveUpAt);
    throw error;
  }
}
