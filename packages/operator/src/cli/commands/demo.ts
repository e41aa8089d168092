// `portcullis demo`: runs the service with made-up users, rules and logins, in memory.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createProcessLog } from '@portcullis/server/base/ops/process-log.ts';
import { type Command, InvalidArgumentError } from 'commander';
import { findFreePort } from '../../demo/find-free-port.ts';
import { formatBox } from '../../demo/format-box.ts';
import { startDemo } from '../../demo/start-demo.ts';
import type { InnerPostgres } from '../../demo/start-postgres.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';
import { readFile } from '../../terminal/read-file.ts';
import { endCommand } from '../with-store.ts';

const defaultPort = 8000;

/** If a Postgres was started early, the demo uses it. */
export function addDemo(program: Command, postgres?: Promise<InnerPostgres>): void {
  const demo = program
    .command('demo')
    .description(
      `Try it: a service with made-up users, rules and logins.
Needs no database. It listens on this host alone, until Ctrl-C.`,
    )
    .option('--port <number>', `port of the service (default: ${defaultPort}, or a free one)`, parsePort)
    .option(
      '--decision-secret-file <file>',
      'let guards and gateways that know the secret in the file ask (on a free port)',
    )
    .action((given: Given) => runDemo(demo, given, postgres).catch(endCommand));
  addExamples(demo, 'portcullis demo', 'portcullis demo --port 9000');
}

interface Given {
  readonly port?: number;
  readonly decisionSecretFile?: string;
}

async function runDemo(
  command: Command,
  { port: wanted, decisionSecretFile }: Given,
  postgres: Promise<InnerPostgres> | undefined,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-demo-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  let stop = (): void => process.exit(exitCodes.interrupted);
  // `on` and not `once`: npx forwards a signal that the terminal has already sent to this process.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop());
  const decisionSecret = decisionSecretFile === undefined ? undefined : readFile(decisionSecretFile).trim();
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const port = await findFreePort(wanted ?? defaultPort, wanted === undefined);
  if (port === undefined)
    throw new CommandFailure(`Port ${wanted} is taken. Give another one with --port.`, exitCodes.unavailable);
  if (wanted === undefined && port !== defaultPort)
    say(`Port ${defaultPort} is taken, so this is on port ${port}.`);
  const { logger, output } = createProcessLog('warn', { stream: process.stderr });
  const demo = await startDemo({
    port,
    folder,
    decisionSecret,
    logger,
    postgres,
    report: (step) => say(`${step} ...`),
  });
  stop = () => {
    stop = () => {};
    void demo
      .close()
      .finally(output.flush)
      .then(() => process.exit(exitCodes.done), endCommand);
  };
  outputOf(command).show(demo.facts, () => formatBox(demo.facts));
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new InvalidArgumentError('It is a number from 1 to 65535.');
  return port;
}
