// `portcullis migrate`: runs the pending database migrations.

import { listPendingMigrations, migrate } from '@portcullis/server/cluster/store/migrate.ts';
import { grantServiceRole } from '@portcullis/server/cluster/store/service-role.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import type { Command } from 'commander';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';
import { showWait } from '../../terminal/progress.ts';
import { withStore } from '../with-store.ts';

interface MigrateOptions {
  readonly dryRun?: boolean;
  readonly serviceRole?: string;
}

export function addMigrate(program: Command): void {
  const command = program
    .command('migrate')
    .description('Bring the tables of the database up to date, all or nothing.')
    .option('--dry-run', 'only list what would be applied')
    .option('--service-role <role>', 'give this database role what the service needs, and no more')
    .action(({ dryRun = false, serviceRole }: MigrateOptions) =>
      withStore(
        command,
        (store) => (dryRun ? showPending(command, store) : apply(command, store, serviceRole)),
        { statementTimeoutMilliseconds: 0 },
      ),
    );
  addExamples(
    command,
    'portcullis migrate --dry-run',
    'portcullis migrate --service-role portcullis_service',
  );
}

async function showPending(command: Command, store: Store): Promise<void> {
  const pending = await listPendingMigrations(store);
  outputOf(command).show({ pending }, () =>
    pending.length === 0
      ? 'Nothing to do.'
      : [
          ...pending.map((name) => `Would apply ${name}.`),
          'Nothing was changed. Leave out --dry-run to apply.',
        ].join('\n'),
  );
}

async function apply(command: Command, store: Store, serviceRole: string | undefined): Promise<void> {
  let current = 'Looking at the tables';
  const applying = migrate(store, (name) => {
    current = `Applying ${name}`;
  });
  const applied = await showWait(() => current, applying);
  if (serviceRole !== undefined) await grantServiceRole(store, serviceRole);
  outputOf(command).show({ applied, serviceRole: serviceRole ?? null }, () =>
    [
      ...(applied.length === 0 ? ['Nothing to do.'] : applied.map((name) => `Applied ${name}.`)),
      ...(serviceRole === undefined ? [] : [`The role ${serviceRole} has what the service needs.`]),
    ].join('\n'),
  );
}
