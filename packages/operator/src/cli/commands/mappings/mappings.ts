// `portcullis provider mappings`: shows or sets the group mappings of a provider. It shows the plan before it applies
// it, and applies exactly this plan.
import {
  applyMappingsEndpoint,
  type ErrorKind,
  listDepartmentsEndpoint,
  listMappingsEndpoint,
  type Provider,
  planMappingsEndpoint,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { getDepartmentNamed } from '../../../terminal/get-named.ts';
import { addExamples } from '../../../terminal/help.ts';
import { readAll } from '../../../terminal/list-all.ts';
import { outputOf, table } from '../../../terminal/output.ts';
import { showWait } from '../../../terminal/progress.ts';
import { readFile } from '../../../terminal/read-file.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { withOperator } from '../../with-store.ts';
import { readRoles } from '../role-rules.ts';
import { describePlan, type Names, type Plan } from './describe-plan.ts';
import { type MappingFile, readMappingFile } from './mapping-file.ts';

interface MappingOptions {
  readonly file?: string;
  readonly dryRun?: boolean;
  readonly plan?: string;
  readonly yes?: boolean;
}

type GetProvider = (operator: Operator, key: string) => Promise<Provider>;

export function addMappings(provider: Command, getProvider: GetProvider): void {
  const mappings = provider
    .command('mappings')
    .summary('Show or set which groups give which role.')
    .description(
      'Show which groups of a provider give which role, or set it: with --file it says\nwho gains, who loses and who is locked out, asks, and changes exactly that.',
    )
    .argument('<key>', 'which provider')
    .option('--file <file>', 'set what it holds, as --json prints it')
    .option('--dry-run', 'only show who would change')
    .addOption(
      new Option('--plan <digest>', 'apply only what a dry run showed, and do not ask').conflicts('dryRun'),
    )
    .option('--yes', 'do not ask')
    .action((key: string, { file, ...options }: MappingOptions) =>
      withOperator(mappings, async (operator) => {
        const found = await getProvider(operator, key);
        if (file === undefined) return await show(mappings, operator, found);
        await set(mappings, operator, found, readMappingFile(readFile(file)), options);
      }),
    );
  addExamples(
    mappings,
    'portcullis provider mappings company --json > mappings.json',
    'portcullis provider mappings company --file mappings.json --dry-run',
    'portcullis provider mappings company --file mappings.json',
  );
}

const sources = {
  local: 'Roles are assigned in this service; groups do not change them.',
  first_login: 'Groups decide the role when an account is created, and not afterwards.',
  every_login: 'Groups decide at every login; people in no mapped group are refused.',
} as const;

async function show(command: Command, operator: Operator, { id }: Provider): Promise<void> {
  const { data } = await operator.call(listMappingsEndpoint, { params: { id } });
  const names = await readNames(operator);
  const file: MappingFile = {
    roleSource: data.roleSource,
    mappings: data.mappings.map(({ group, roleId, departmentId }) => ({
      group,
      role: names.role(roleId),
      department: departmentId,
    })),
  };
  const rows = data.mappings.map(({ group, roleId, departmentId }, index) => [
    index + 1,
    group,
    names.role(roleId),
    departmentId === null ? null : names.department(departmentId),
  ]);
  outputOf(command).show(file, () =>
    [
      sources[data.roleSource],
      rows.length === 0 ? 'There are no mappings.' : table(['', 'Group', 'Role', 'Department'], rows),
    ].join('\n'),
  );
}

async function set(
  command: Command,
  operator: Operator,
  { id, key }: Provider,
  file: MappingFile,
  options: Omit<MappingOptions, 'file'>,
): Promise<void> {
  const output = outputOf(command);
  const wanted = { roleSource: file.roleSource, mappings: await resolve(operator, file) };
  const planned = await showWait(
    `Asking ${key} who is in which group`,
    operator.call(planMappingsEndpoint, { params: { id }, body: wanted }).catch(refused(key)),
  );
  const plan = planned.data;
  const text = describePlan(plan, await readNames(operator));
  if (options.dryRun) {
    output.show({ changed: false, ...plan }, () =>
      [text, `Nothing was changed. To apply exactly this: --plan ${plan.digest}`].join('\n'),
    );
    if (!plan.keepsAdministrator) process.exitCode = exitCodes.refused;
    return;
  }
  process.stderr.write(`${text}\n`);
  if (!plan.keepsAdministrator) throw new CommandFailure('Nothing was changed.');
  if (options.plan === undefined && plan.changes.length > 0) await confirmOrEnd(questionOf(plan), options);
  await operator
    .call(applyMappingsEndpoint, { params: { id }, body: { ...wanted, digest: options.plan ?? plan.digest } })
    .catch(refused(key));
  output.show(
    { changed: true, ...plan, revision: operator.revision },
    () => `${key} has these mappings. ${enforcementOf(operator)}`,
  );
}

function questionOf({ changes }: Plan): string {
  const out = changes.filter(({ effect }) => effect === 'locked_out').length;
  return out === 0 ? 'Apply this?' : `Apply this? ${out} of them cannot log in any more.`;
}

/** Replaces the names in the file by ids. */
async function resolve(operator: Operator, { mappings }: MappingFile) {
  const roles = await readRoles(operator);
  const departments = new Map<string, number>();
  const resolved: { group: string; roleId: number; departmentId: number | null }[] = [];
  for (const { group, role: roleKey, department } of mappings) {
    const role = roles.get(roleKey);
    if (role === undefined)
      throw new CommandFailure(
        `Nothing was changed. There is no role ${roleKey}. \`portcullis role list\` lists the roles.`,
      );
    const name = department === null ? undefined : String(department);
    if (name !== undefined && !departments.has(name))
      departments.set(name, (await getDepartmentNamed(operator, name)).id);
    resolved.push({
      group,
      roleId: role.id,
      departmentId: name === undefined ? null : (departments.get(name) ?? null),
    });
  }
  return resolved;
}

async function readNames(operator: Operator): Promise<Names> {
  const keys = new Map([...(await readRoles(operator)).values()].map(({ id, roleKey }) => [id, roleKey]));
  const departments = await readAll(
    async (query) => (await operator.call(listDepartmentsEndpoint, { query })).data,
  );
  const names = new Map(departments.map(({ id, name }) => [id, name]));
  return { role: (id) => keys.get(id) ?? String(id), department: (id) => names.get(id) ?? String(id) };
}

function refused(key: string): (error: unknown) => never {
  const reasons: Partial<Record<ErrorKind, string>> = {
    plan_changed: `Nothing was changed: the directory, the accounts or the mappings are others than when this was shown. Look at it again: the same command with --dry-run.`,
    conflict: 'Nothing was changed: no administrator would be left.',
    provider_settings_wrong:
      'Nothing was changed. A group of a directory is a distinguished name, such as cn=sales,dc=example,dc=com, and * never gives admin.',
  };
  return refusedAs(reasons, { provider_unavailable: unreachableText(key) });
}

/** `provider recheck` uses this text too. */
export function unreachableText(key: string): string {
  return `Nothing was changed: ${key} does not answer. \`portcullis provider check ${key}\` says why.`;
}
