// The life of a serving process: settings, app, listen, and a close that finishes what is in flight.
import { existsSync } from 'node:fs';
import { loginEndpoint } from '@portcullis/contract';
import { type ComposeOptions, composePortcullis } from './compose/portcullis.ts';
import { warnOfDev } from './compose/warn-of-dev.ts';
import { type Config, loadProcessConfig, makeThreadsFor } from './config.ts';
import type { FirstAdministrator } from './directory/first-start.ts';
import { createProcessLog } from './ops/process-log.ts';
import { StartRefusal } from './start-refusal.ts';

export const defaultSettingsFile = 'portcullis.yaml';

/** sysexits.h: the configuration is at fault. */
const exitConfiguration = 78;

interface ServeOptions extends Pick<ComposeOptions, 'routes' | 'credentials'> {
  readonly settingsFile?: string | undefined;
}

/**
 * Runs the service until the process is told to stop.
 *
 * @example await serve({ routes: [route(listOrders, handleListOrders)] });
 */
export async function serve({ settingsFile, ...parts }: ServeOptions = {}): Promise<void> {
  const config = loadConfigOrExit(settingsFile);
  makeThreadsFor(config);
  const { logger, output } = createProcessLog(config.logLevel);
  warnOfDev(config);
  const countDroppedLines = () => output.droppedLines;
  const portcullis = await composePortcullis({ config, logger, countDroppedLines, ...parts }).catch(
    exitWithReason,
  );
  // Before it listens: a port that is taken must not cost the password.
  if (portcullis.firstAdministrator !== undefined)
    showFirstAdministrator(portcullis.firstAdministrator, config);
  const ports = await portcullis.listen().catch(async (error: unknown) => {
    await portcullis.close(0);
    return exitWithReason(error);
  });
  logger.info({ mode: config.mode, host: config.listen.host, ...ports }, 'ready');

  const stop = (drainMilliseconds: number) =>
    void portcullis
      .close(drainMilliseconds)
      .finally(output.flush)
      .then(() => process.exit(0), exitWithReason);
  process.once('SIGTERM', () => stop(config.drainMilliseconds));
  // From a terminal: nobody balances there.
  process.once('SIGINT', () => stop(0));
}

/** A given file must exist; the default one may be missing. */
export function findSettingsFile(given: string | undefined): string | undefined {
  return given ?? (existsSync(defaultSettingsFile) ? defaultSettingsFile : undefined);
}

function loadConfigOrExit(settingsFile: string | undefined): Config {
  const file = findSettingsFile(settingsFile);
  try {
    return loadProcessConfig({ file });
  } catch (error) {
    return exitWithReason(error);
  }
}

function exitWithReason(error: unknown): never {
  if (error instanceof StartRefusal) {
    process.stderr.write(
      `Portcullis does not start:\n${error.reasons.map((reason) => `  - ${reason}\n`).join('')}`,
    );
    process.exit(exitConfiguration);
  }
  process.stderr.write(`Portcullis stopped: ${reasonOf(error)}\n`);
  process.exit(1);
}

/** For the operator, with what to do where that is known. */
export function reasonOf(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `Postgres does not answer (${code}). Check \`database.url\` (DATABASE_URL), and that the server runs.`;
    case '3D000':
      return 'The database does not exist. Create it with `createdb`, or check `database.url` (DATABASE_URL).';
    case 'EADDRINUSE':
      return 'The port is taken. Stop what listens on it, or set `application.port`, `ops.port` or `decision.port`.';
    default:
      return [name, code, message].filter(Boolean).join(' ');
  }
}

function showFirstAdministrator({ username, password }: FirstAdministrator, config: Config): void {
  const lines = [
    'The administrator was created. This password is shown once:',
    '',
    `  ${username}  ${password}`,
  ];
  if (config.firstPasswordDue) {
    const way = config.consoleEnabled ? 'in the console (/console/)' : 'by `PUT /api/v1/user/password`';
    lines.push('', `Log in and change it, ${way}: nothing else is allowed until then.`);
  }
  if (!config.captchaRequired) {
    const body = JSON.stringify({ username, password });
    const address = `http://${config.listen.host}:${config.listen.port}`;
    lines.push(
      '',
      'Log in with it:',
      '',
      `  curl -H 'Content-Type: application/json' -d '${body}' ${address}${loginEndpoint.path}`,
    );
    if (config.consoleEnabled) lines.push('', `or in a browser: ${address}/console/`);
  }
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}
