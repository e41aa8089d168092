// What commands on the database share: settings, a connection, and an end with a reason.
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { exitWithReason, loadConfigOrExit } from '../serve.ts';
import { openStore, type Store } from '../store/store.ts';

export async function withStore(
  program: Command,
  work: (store: Store, config: Config) => Promise<void>,
  { statementTimeoutMilliseconds = 60_000 } = {},
): Promise<void> {
  const config = loadConfigOrExit(program.opts<{ config?: string }>().config);
  const store = openStore({
    ...config.database,
    statementTimeoutMilliseconds,
    onConnectionLost: exitWithReason,
  });
  await work(store, config).catch(exitWithReason);
  await store.destroy();
}
