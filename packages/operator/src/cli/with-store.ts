// What commands on the database share: loading the settings, a connection, calls of endpoint handlers, and error
// handling with a reason and an exit code.
import { AppError } from '@portcullis/contract';
import { type Config, loadProcessConfig } from '@portcullis/server/base/settings/config.ts';
import { StartRefusal } from '@portcullis/server/base/values/start-refusal.ts';
import { isUnavailable } from '@portcullis/server/cluster/store/is-unavailable.ts';
import { listPendingMigrations } from '@portcullis/server/cluster/store/migrate.ts';
import { openStore, type Store } from '@portcullis/server/cluster/store/store.ts';
import { reasonOf } from '@portcullis/server/compose/reason-of.ts';
import type { Command } from 'commander';
import { composeOperator, type Operator } from '../compose-operator.ts';
import { CommandFailure, exitCodes } from '../terminal/exit-codes.ts';
import { printOnInterrupt } from '../terminal/interrupt.ts';
import { showWait } from '../terminal/progress.ts';
import { settingsFileOf } from './commands/config.ts';

/** A long timeout: a person waits for the command, and on a busy host a connection can take long. */
const connectionTimeoutMilliseconds = 20_000;

export async function withStore(
  program: Command,
  work: (store: Store, config: Config) => Promise<void>,
  { statementTimeoutMilliseconds = 60_000 } = {},
): Promise<void> {
  const config = loadConfig(program);
  const store = openStore({
    ...config.database,
    statementTimeoutMilliseconds,
    connectionTimeoutMilliseconds,
    // Nothing to do: a lost connection also fails the statement that runs on it.
    onConnectionLost: () => {},
  });
  await work(store, config)
    .finally(() => store.destroy())
    .catch(endCommand);
}

function loadConfig(command: Command): Config {
  try {
    return loadProcessConfig({ file: settingsFileOf(command) });
  } catch (error) {
    return endCommand(error);
  }
}

/** For commands that call an endpoint's handler. */
export async function withOperator(
  program: Command,
  work: (operator: Operator) => Promise<void>,
): Promise<void> {
  await withStore(program, async (store, config) => {
    await refusePending(store);
    const operator = await composeOperator(store, config, waitForInstances);
    await work(operator).finally(operator.close);
  });
}

/** At this point the change is stored, even if the wait fails. */
export async function waitForInstances(waiting: Promise<void>): Promise<void> {
  await printOnInterrupt(
    'It is stored, and the instances will apply it.',
    showWait('It is stored. Waiting for every instance', waiting),
  ).catch((error: unknown) => {
    if (!(error instanceof AppError && error.kind === 'unavailable')) throw error;
    throw new CommandFailure(
      'It is stored, but Postgres failed before every instance had confirmed that it enforces it. Run the command again.',
      exitCodes.unavailable,
    );
  });
}

export async function refusePending(store: Store): Promise<void> {
  const pending = await listPendingMigrations(store);
  if (pending.length > 0)
    throw new CommandFailure('The database lacks tables. Run `portcullis migrate` first.');
}

/** The error handler of all commands: prints the reason and exits with its code. */
export function endCommand(error: unknown): never {
  const { reason, exitCode } = endOf(error);
  process.stderr.write(`${reason}\n`);
  process.exit(exitCode);
}

function endOf(error: unknown): { reason: string; exitCode: number } {
  if (error instanceof CommandFailure) return { reason: error.message, exitCode: error.exitCode };
  if (error instanceof AppError) return endOfRefusal(error);
  if (error instanceof StartRefusal)
    return { reason: reasonOfRefusal(error), exitCode: exitCodes.configuration };
  return {
    reason: reasonOf(error),
    exitCode: isUnavailable(error) ? exitCodes.unavailable : exitCodes.refused,
  };
}

function reasonOfRefusal({ message, reasons }: StartRefusal): string {
  if (reasons.length === 1) return message;
  const lines = reasons.map((reason) => `  - ${reason}`);
  return ['The settings are refused; `portcullis config print` shows where they are from:', ...lines].join(
    '\n',
  );
}

function endOfRefusal({ kind, text: { en }, cause }: AppError): { reason: string; exitCode: number } {
  switch (kind) {
    case 'unavailable':
      return { reason: en, exitCode: exitCodes.unavailable };
    case 'params_invalid':
      return { reason: cause instanceof Error ? cause.message : en, exitCode: exitCodes.usage };
    default:
      return { reason: en, exitCode: exitCodes.refused };
  }
}
