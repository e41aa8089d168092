// `portcullis migrate`
import type { Command } from 'commander';
import { migrate } from '../store/migrate.ts';
import { grantServiceRole } from '../store/service-role.ts';
import { withStore } from './with-store.ts';

export function addMigrate(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to date.')
    .option('--service-role <role>', 'give this database role what the service needs, and no more')
    .action(({ serviceRole }: { serviceRole?: string }) =>
      withStore(
        program,
        async (store) => {
          const done = await migrate(store);
          process.stdout.write(
            done.length === 0 ? 'Nothing to do.\n' : done.map((name) => `Applied ${name}.\n`).join(''),
          );
          if (serviceRole === undefined) return;
          await grantServiceRole(store, serviceRole);
          process.stdout.write(`The role ${serviceRole} has what the service needs.\n`);
        },
        { statementTimeoutMilliseconds: 0 },
      ),
    );
}
