// `portcullis rules export`, `import` and `compare`: rules as JSON, CSV or casbin files.
import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { compareRulesEndpoint, type RuleComparison, ruleChangesLimit } from '@portcullis/contract';
import {
  type FileRule,
  type Remark,
  type RuleFormat,
  readRuleFile,
  ruleFormats,
  writeRuleFile,
} from '@portcullis/policy';
import { type Command, Option } from 'commander';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { countOf } from '../../../terminal/count-of.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, paint, plain, table } from '../../../terminal/output.ts';
import { createProgress } from '../../../terminal/progress.ts';
import { withOperator } from '../../with-store.ts';
import { getRole, readRoles, readRules } from '../role-rules.ts';
import { applyPlans, planRules, type RolePlan } from './plan-rules.ts';

interface FileOptions {
  readonly role?: string;
  readonly format?: RuleFormat;
}

export function addRuleFiles(rules: Command): void {
  addExport(rules);
  addImport(rules);
  addCompare(rules);
}

const formatOption = () => new Option('--format <name>', 'how the file is written').choices(ruleFormats);

function addExport(rules: Command): void {
  const exporting = rules
    .command('export')
    .summary('Write the rules to standard output.')
    .description('Write the rules to standard output, for `rules import` or for casbin.')
    .option('--role <key>', 'only of this role')
    .addOption(formatOption().default('json'))
    .action(({ role: key, format = 'json' }: FileOptions) =>
      withOperator(exporting, async (operator) => {
        const roles =
          key === undefined ? [...(await readRoles(operator)).values()] : [await getRole(operator, key)];
        const progress = createProgress();
        const stored: { roleKey: string; method: string; path: string }[] = [];
        for (const role of roles) {
          for (const rule of (await readRules(operator, role)).rules)
            stored.push({ roleKey: role.roleKey, ...rule });
          progress.show(countOf(stored.length, 'rule'));
        }
        progress.end();
        const { text, leftOut } = writeRuleFile(stored, outputOf(exporting).json ? 'json' : format);
        process.stdout.write(text);
        if (leftOut > 0)
          process.stderr.write(
            `Left out ${countOf(leftOut, 'stored rule')}, not in force because of invalid syntax.\n`,
          );
      }),
    );
  addExamples(exporting, 'portcullis rules export --format casbin > policy.csv');
}

interface ImportOptions extends FileOptions {
  readonly replace?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

function addImport(rules: Command): void {
  const importing = rules
    .command('import')
    .summary('Give roles the rules of a file.')
    .description('Give the roles of a file the rules that they lack, in one change per role.')
    .argument('<file>', 'JSON, CSV or casbin policy; - is standard input')
    .option('--role <key>', 'only the rules of this role')
    .addOption(formatOption())
    .option('--replace', 'also remove rules that these roles have and the file lacks')
    .option('--dry-run', 'only show what would change')
    .option('--yes', 'do not ask')
    .action((file: string, { replace = false, ...options }: ImportOptions) =>
      withOperator(importing, async (operator) => {
        const plans = await planRules(operator, await readFile(file, options), { replace });
        const output = outputOf(importing);
        const planned = plans.map(rowOf);
        const removed = planned.reduce((sum, { removes }) => sum + removes, 0);
        if (options.dryRun)
          return output.show({ changed: false, roles: planned }, () =>
            [tableOf(planned), 'Nothing was changed. Leave out --dry-run to import.'].join('\n'),
          );
        if (removed > 0 && !options.yes) {
          process.stderr.write(`${tableOf(planned)}\n`);
          await confirmOrEnd(`Take away ${countOf(removed, 'rule')}?`, options);
        }
        const applied = await applyPlans(operator, plans);
        const { revision } = operator;
        output.show({ changed: applied.roles > 0, ...applied, revision }, () =>
          applied.roles === 0
            ? 'The roles already have these rules. Nothing was changed.'
            : `Added ${countOf(applied.added, 'rule')} and removed ${applied.removed}, in ${countOf(applied.roles, 'role')}. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(
    importing,
    'portcullis rules import policy.csv --dry-run',
    'portcullis rules import rules.json --replace',
  );
}

function rowOf({ role, add, remove, kept }: RolePlan) {
  return { roleKey: role.roleKey, adds: add.length, removes: remove.length, keeps: kept };
}

function tableOf(rows: readonly ReturnType<typeof rowOf>[]): string {
  return table(
    ['Role', 'Adds', 'Removes', 'Keeps'],
    rows.map(({ roleKey, adds, removes, keeps }) => [roleKey, adds, removes, keeps]),
  );
}

function addCompare(rules: Command): void {
  const compare = rules
    .command('compare')
    .summary('Say who would gain and lose what.')
    .description('Say who would gain and lose what if the roles of a file had its rules.')
    .argument('<file>', 'JSON, CSV or casbin policy; - is standard input')
    .option('--role <key>', 'only the rules of this role')
    .addOption(formatOption())
    .action((file: string, options: FileOptions) =>
      withOperator(compare, async (operator) => {
        const plans = await planRules(operator, await readFile(file, options), { replace: true });
        const compared: ({ roleKey: string } & RuleComparison)[] = [];
        for (const { role, add, remove } of plans) {
          const count = add.length + remove.length;
          if (count > ruleChangesLimit)
            throw new CommandFailure(
              `${role.roleKey} differs by ${countOf(count, 'rule')}, and ${ruleChangesLimit.toLocaleString('en')} can be compared. See how many with \`rules import --replace --dry-run\`.`,
            );
          if (count === 0) continue;
          const { data } = await operator.call(compareRulesEndpoint, {
            params: { id: role.id },
            body: { add: [...add], remove: [...remove] },
          });
          compared.push({ roleKey: role.roleKey, ...data });
        }
        outputOf(compare).show({ roles: compared }, () =>
          compared.length === 0
            ? 'The roles have exactly these rules.'
            : compared.map(describeComparison).join('\n\n'),
        );
      }),
    );
  addExamples(compare, 'portcullis rules compare rules.json');
}

const mostLines = 20;

function describeComparison({
  roleKey,
  gains,
  losses,
  routes,
  users,
}: { roleKey: string } & RuleComparison): string {
  const who =
    users.count === 0 ? 'no user has it' : `${users.more ? 'more than ' : ''}${countOf(users.count, 'user')}`;
  const lines = [
    ...gains.map(({ method, path }) => `  ${paint('green', '+')} ${method.padEnd(7)} ${path}`),
    ...losses.map(({ method, path }) => `  ${paint('red', '-')} ${method.padEnd(7)} ${plain(path)}`),
  ];
  const rest = lines.length - mostLines;
  return [
    `${paint('bold', roleKey)} (${who}): gains ${routes.gained.count} and loses ${countOf(routes.lost.count, 'known route')}`,
    ...(lines.length === 0
      ? ['  The differences change nothing about what is allowed.']
      : lines.slice(0, mostLines)),
    ...(rest > 0 ? [`  ... and ${rest} more; --json shows all`] : []),
  ].join('\n');
}

const mostRemarks = 10;

async function readFile(file: string, { role, format }: FileOptions): Promise<FileRule[]> {
  const { rules, rejected, narrowed } = readRuleFile(await readInput(file), format);
  if (rejected.length > 0)
    throw new CommandFailure(
      ['Nothing was changed. These cannot be rules:', ...describeRemarks(rejected)].join('\n'),
    );
  if (narrowed.length > 0)
    process.stderr.write(
      `${['These allow less than in casbin:', ...describeRemarks(narrowed)].join('\n')}\n`,
    );
  const chosen = role === undefined ? rules : rules.filter(({ roleKey }) => roleKey === role);
  if (chosen.length === 0)
    throw new CommandFailure(`Nothing was changed: ${file} has no rules${role ? ` of ${role}` : ''}.`);
  return [...chosen];
}

function describeRemarks(remarks: readonly Remark[]): string[] {
  const rest = remarks.length - mostRemarks;
  return [
    ...remarks.slice(0, mostRemarks).map(({ place, reason }) => `  ${place}: ${plain(reason)}`),
    ...(rest > 0 ? [`  ... and ${rest} more`] : []),
  ];
}

async function readInput(file: string): Promise<string> {
  try {
    return file === '-' ? await readText(process.stdin) : readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${file} cannot be read (${code}). Check its name and permissions.`,
      exitCodes.usage,
    );
  }
}
