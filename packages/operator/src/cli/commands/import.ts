// `portcullis import`: the import from the database of go-admin.

import { readGoAdminUrl } from '@portcullis/server/base/settings/config.ts';
import { createAccessWriter } from '@portcullis/server/cluster/access-writer.ts';
import type { Store } from '@portcullis/server/cluster/store/store.ts';
import { createRecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { composeBarrier, createOperatorCall } from '../../compose-operator.ts';
import { describeImport } from '../../go-admin/describe-import.ts';
import { type ImportReport, importGoAdmin } from '../../go-admin/import-go-admin.ts';
import { openSource } from '../../go-admin/open-source.ts';
import { type Source, SourceFailure } from '../../go-admin/source.ts';
import { type RuleTable, ruleTables } from '../../go-admin/source-tables.ts';
import { confirmOrEnd, readSecret } from '../../terminal/ask.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, paint, plain, table } from '../../terminal/output.ts';
import { createProgress } from '../../terminal/progress.ts';
import { refusePending, withStore } from '../with-store.ts';

interface GoAdminOptions {
  readonly fromFile?: string;
  readonly role?: ReadonlyMap<string, string>;
  readonly rulesTable?: RuleTable;
  readonly addRules?: true;
  readonly dryRun?: true;
  readonly strict?: true;
  readonly yes?: true;
}

/** One statement can insert thousands of rows while other programs use the database. */
const statementTimeoutMilliseconds = 600_000;

export function addImport(program: Command): void {
  const group = program.command('import').description('Import from another product.');
  const goAdmin = group
    .command('go-admin')
    .description(
      'Add departments, roles, users with their passwords, rules and menus from the\ndatabase of go-admin. Nothing that exists here is changed but the copy of menus.',
    )
    .option(
      '--from-file <file>',
      'file with the URL of the database; - is standard\ninput (default: GO_ADMIN_DATABASE_URL)',
    )
    .option('--role <old=new>', 'another key for a role; may be repeated', addRoleKey)
    .addOption(new Option('--rules-table <name>', 'where both hold rules').choices(ruleTables))
    .option('--add-rules', 'also give existing roles the rules they lack')
    .option('--dry-run', 'show the report and change nothing')
    .option('--strict', 'exit with 1 if something did not fit')
    .option('--yes', 'do not ask')
    .action((options: GoAdminOptions) =>
      withStore(goAdmin, (store) => importFromGoAdmin(goAdmin, store, options), {
        statementTimeoutMilliseconds,
      }),
    );
  addExamples(
    goAdmin,
    'portcullis import go-admin --from-file url.txt --dry-run',
    'portcullis import go-admin --from-file url.txt --role Tester=tester',
  );
}

async function importFromGoAdmin(command: Command, store: Store, options: GoAdminOptions): Promise<void> {
  await refusePending(store);
  const url = await readUrl(options.fromFile);
  if (!options.dryRun)
    await confirmOrEnd('Add what go-admin has to this database?', { yes: options.yes === true });
  const report = await withSource(url, (source) => runImport(store, source, options));
  outputOf(command).show(report, () =>
    describeImport(report, { table, plain, strong: (text) => paint('bold', text) }),
  );
  if (options.strict && report.findings.length > 0)
    throw new CommandFailure('Something did not fit; see the report.');
}

async function runImport(store: Store, source: Source, options: GoAdminOptions): Promise<ImportReport> {
  const progress = createProgress();
  return await importGoAdmin({
    source,
    access: createAccessWriter(
      store,
      composeBarrier(store, (waiting) => waiting),
    ),
    recordChange: createRecordChange(),
    call: createOperatorCall(),
    isDryRun: options.dryRun === true,
    roleKeys: options.role ?? new Map(),
    addsToRoles: options.addRules === true,
    rulesTable: options.rulesTable,
    onProgress: progress.show,
  }).finally(progress.end);
}

async function withSource<T>(url: string, work: (source: Source) => Promise<T>): Promise<T> {
  try {
    const source = await openSource(url);
    return await work(source).finally(source.close);
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    throw new CommandFailure(error.message, error.isOutage ? exitCodes.unavailable : exitCodes.refused);
  }
}

async function readUrl(file: string | undefined): Promise<string> {
  const fromEnvironment = file === undefined ? readGoAdminUrl() : undefined;
  if (fromEnvironment !== undefined) return fromEnvironment;
  const question = "URL of go-admin's database (mysql://user:password@host:3306/name):";
  return await readSecret({ file, option: '--from-file', question });
}

function addRoleKey(
  text: string,
  keys: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const [, old, key] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (old === undefined || key === undefined) throw new InvalidArgumentError('Write it as old=new.');
  // The role `admin` passes every permission check, so an option never assigns it.
  if (key === 'admin') throw new InvalidArgumentError('No role can become admin by an import.');
  if (old === 'admin') throw new InvalidArgumentError('The role admin keeps its key.');
  return new Map([...keys, [old, key]]);
}
