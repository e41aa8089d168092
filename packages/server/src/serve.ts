// The life of a serving process: settings, app, listen, and a close that finishes what is in flight.
import { existsSync } from 'node:fs';
import { loginEndpoint } from '@portcullis/contract';
import { pino } from 'pino';
import { createPortcullis, type PortcullisOptions } from './app.ts';
import { type Config, loadConfig, makeThreadsFor } from './config.ts';
import type { FirstAdministrator } from './directory/first-start.ts';
import { createLineOutput } from './ops/line-output.ts';
import { StartRefusal } from './start-refusal.ts';

export const defaultSettingsFile = 'portcullis.yaml';

/** sysexits.h: the configuration is at fault. */
const exitConfiguration = 78;

interface ServeOptions extends Pick<PortcullisOptions, 'routes' | 'credentials'> {
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
  const output = createLineOutput(process.stdout);
  const logger = pino({ level: config.logLevel, serializers: { err: describeError } }, output);
  if (config.devKeys) warnOfDev(config);
  const countDroppedLines = () => output.droppedLines;
  const portcullis = await createPortcullis({ config, logger, countDroppedLines, ...parts }).catch(
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
export function loadConfigOrExit(settingsFile: string | undefined): Config {
  const file = settingsFile ?? (existsSync(defaultSettingsFile) ? defaultSettingsFile : undefined);
  try {
    return loadConfig({ file, environment: process.env });
  } catch (error) {
    return exitWithReason(error);
  }
}

export function exitWithReason(error: unknown): never {
  if (error instanceof StartRefusal) {
    process.stderr.write(
      `Portcullis does not start:\n${error.reasons.map((reason) => `  - ${reason}\n`).join('')}`,
    );
    process.exit(exitConfiguration);
  }
  process.stderr.write(`Portcullis stopped: ${reasonOf(error)}\n`);
  process.exit(1);
}

function reasonOf(error: unknown): string {
  const { name, message, code } = error as { name?: string; message?: string; code?: string };
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return `Postgres does not answer (${code}). Check \`database.url\` (DATABASE_URL), and that the server runs.`;
    case '3D000':
      return 'The database does not exist. Create it with `createdb`, or check `database.url` (DATABASE_URL).';
    case 'EADDRINUSE':
      return 'The port is taken. Stop what listens on it, or set `application.port` or `ops.port`.';
    default:
      return [name, code, message].filter(Boolean).join(' ');
  }
}

/** Never the whole error: a Postgres error repeats values, a parser error repeats input. */
function describeError(error: unknown) {
  const { name, message, code, stack } = error as {
    name?: string;
    message?: string;
    code?: string;
    stack?: string;
  };
  return { name, message, code, stack };
}

function warnOfDev({ listen, tokenLifetimeSeconds }: Config): void {
  const years = Math.round(tokenLifetimeSeconds / (365 * 86_400));
  process.stderr.write(
    `\n  MODE dev: no captcha, tokens of ${years} years. Never run this in production.\n  Listening on ${listen.host}.\n\n`,
  );
}

function showFirstAdministrator({ username, password }: FirstAdministrator, config: Config): void {
  const lines = [
    'The administrator was created. This password is shown once:',
    '',
    `  ${username}  ${password}`,
  ];
  if (!config.captchaRequired) {
    const body = JSON.stringify({ username, password });
    const address = `http://${config.listen.host}:${config.listen.port}${loginEndpoint.path}`;
    lines.push(
      '',
      'Log in with it:',
      '',
      `  curl -H 'Content-Type: application/json' -d '${body}' ${address}`,
    );
  }
  process.stderr.write(`\n${lines.map((line) => `  ${line}\n`).join('')}\n`);
}
