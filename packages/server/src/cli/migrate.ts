// `portcullis migrate`
import type { Command } from 'commander';
import { exitWithReason, loadConfigOrExit } from '../serve.ts';
import { migrate } from '../store/migrate.ts';
import { openStore } from '../store/store.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date.')
    .action(async () => {
      const config = loadConfigOrExit(program.opts<{ config?: string }>().config);
      const store = openStore({
        ...config.database,
        statementTimeoutMilliseconds: 0,
        onConnectionLost: exitWithReason,
      });
      const done = await migrate(store).catch(exitWithReason);
      process.stdout.write(
        done.length === 0 ? 'Nothing to do.\n' : done.map((name) => `Applied ${name}.\n`).join(''),
      );
      await store.destroy();
    });
}
