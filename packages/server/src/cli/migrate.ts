// `portcullis migrate`
import type { Command } from 'commander';
import { migrate } from '../store/migrate.ts';
import { withStore } from './with-store.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date.')
    .action(() =>
      withStore(
        program,
        async (store) => {
          const done = await migrate(store);
          process.stdout.write(
            done.length === 0 ? 'Nothing to do.\n' : done.map((name) => `Applied ${name}.\n`).join(''),
          );
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
}
