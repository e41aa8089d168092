// `portcullis role`: lists, shows, creates and changes roles.
import {
  createRoleEndpoint,
  type DataScope,
  dataScopes,
  deleteRoleEndpoint,
  type Factor,
  getRoleEndpoint,
  listRolesEndpoint,
  type RoleItem,
  setRequiredFactorEndpoint,
  setRoleDataScopeEndpoint,
  setRoleEnabledEndpoint,
} from '@portcullis/contract';
import { Argument, type Command, Option } from 'commander';
import type { Operator } from '../../compose-operator.ts';
import { confirmOrEnd } from '../../terminal/ask.ts';
import { enforcementOf } from '../../terminal/enforcement.ts';
import { getDepartmentNamed } from '../../terminal/get-named.ts';
import { addExamples } from '../../terminal/help.ts';
import { fields, outputOf, shortMoment } from '../../terminal/output.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { showList } from '../../terminal/show-list.ts';
import { withOperator } from '../with-store.ts';
import { getRole } from './role-rules.ts';

const scopeTexts: Readonly<Record<DataScope, string>> = {
  '1': 'all rows',
  '2': 'chosen departments',
  '3': 'own department',
  '4': 'own department and below',
  '5': 'own rows',
};
const scopeHelp = Object.entries(scopeTexts)
  .map(([scope, text]) => `${scope} ${text}`)
  .join(', ');
const factorTexts = { '1': 'one factor', '2': 'a second factor', '3': 'a passkey' };
const factorHelp = Object.entries(factorTexts)
  .map(([factor, text]) => `${factor} ${text}`)
  .join(', ');
const departmentHelp = 'one of the departments of scope 2; can be repeated';

export function addRole(program: Command): void {
  const role = program.command('role').description('Roles: what their users may see. Their rules: `rules`.');
  addList(role);
  addShow(role);
  addCreate(role);
  addEnabled(role);
  addDataScope(role);
  addRequiredFactor(role);
  addDelete(role);
}

function addList(role: Command): void {
  const list = role
    .command('list')
    .description('List the roles by key.')
    .action(() =>
      withOperator(list, async (operator) => {
        const readPage = async (query: { limit: number; after?: string }) =>
          (await operator.call(listRolesEndpoint, { query })).data;
        await showList<RoleItem>(list, readPage, {
          all: true,
          noun: 'role',
          columns: {
            Id: ({ id }) => id,
            Key: ({ roleKey }) => roleKey,
            Name: ({ name }) => name,
            'Data scope': ({ dataScope }) => `${dataScope} ${scopeTexts[dataScope]}`,
            State: stateOf,
          },
        });
      }),
    );
  addExamples(list, 'portcullis role list');
}

const stateOf = ({ enabled }: { readonly enabled: boolean }) => (enabled ? 'enabled' : 'disabled');

function addShow(role: Command): void {
  const show = role
    .command('show')
    .description('Show a role.')
    .argument('<role-key>', 'which')
    .action((roleKey: string) =>
      withOperator(show, async (operator) => {
        const { id } = await getRole(operator, roleKey);
        const { data } = await operator.call(getRoleEndpoint, { params: { id } });
        outputOf(show).show(data, () =>
          fields({
            Id: data.id,
            Key: data.roleKey,
            Name: data.name,
            'Data scope': `${data.dataScope} ${scopeTexts[data.dataScope]}`,
            ...(data.dataScope === '2' ? { Departments: data.departmentIds.join(', ') } : {}),
            State: stateOf(data),
            Created: shortMoment(data.createdAt),
          }),
        );
      }),
    );
  addExamples(show, 'portcullis role show clerk');
}

interface ScopeOptions {
  readonly department?: readonly string[];
}

function departmentOption(): Option {
  return new Option('--department <id or name>', departmentHelp).argParser(
    (text: string, before: readonly string[] = []) => [...before, text],
  );
}

async function readScope(operator: Operator, dataScope: DataScope, { department }: ScopeOptions) {
  if (department === undefined) return { dataScope };
  const departmentIds: number[] = [];
  for (const text of department) departmentIds.push((await getDepartmentNamed(operator, text)).id);
  return { dataScope, departmentIds };
}

const missingDepartments = 'Data scope 2 needs its departments: give --department for each of them.';

function addCreate(role: Command): void {
  const create = role
    .command('create')
    .description('Create a role. It may call nothing until `portcullis rules grant`.')
    .argument('<role-key>', 'lowercase letters, digits, _ and -; it cannot be changed')
    .option('--name <name>', 'as it is shown (default: the key)')
    .addOption(new Option('--data-scope <scope>', scopeHelp).choices(dataScopes).default('5'))
    .addOption(departmentOption())
    .action((roleKey: string, options: ScopeOptions & { name?: string; dataScope: DataScope }) =>
      withOperator(create, async (operator) => {
        const scope = await readScope(operator, options.dataScope, options);
        const body = { roleKey, name: options.name ?? roleKey, ...scope };
        const { data } = await operator.call(createRoleEndpoint, { body }).catch(
          refusedAs({
            conflict: `${roleKey} is taken, or looks like admin. Choose another key.`,
            ...(scope.dataScope === '2' && scope.departmentIds === undefined
              ? { params_invalid: missingDepartments }
              : {}),
          }),
        );
        outputOf(create).show(
          { roleKey, ...data, revision: operator.revision },
          () => `${roleKey} is created. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(
    create,
    'portcullis role create clerk --name Clerk --data-scope 3',
    'portcullis role create auditor --data-scope 2 --department Sales',
  );
}

interface Changed {
  readonly value: object;
  readonly text: string;
}

/** Applies one change to one role, given by its key. */
async function change(
  command: Command,
  roleKey: string,
  work: (operator: Operator, role: RoleItem) => Promise<Changed>,
  conflict = 'The role admin is what every check rests on, and stays as it is. Name another role.',
): Promise<void> {
  await withOperator(command, async (operator) => {
    const role = await getRole(operator, roleKey);
    const { value, text } = await work(operator, role).catch(
      refusedAs({ conflict, params_invalid: missingDepartments }),
    );
    outputOf(command).show(
      { roleKey, ...value, revision: operator.revision },
      () => `${text} ${enforcementOf(operator)}`,
    );
  });
}

function addEnabled(role: Command): void {
  for (const [name, enabled, description] of [
    ['disable', false, 'Disable a role: its users may do nothing.'],
    ['enable', true, 'Enable a disabled role: its rules apply again.'],
  ] as const) {
    const command = role
      .command(name)
      .description(description)
      .argument('<role-key>', 'which')
      .action((roleKey: string) =>
        change(command, roleKey, async (operator, { id }) => {
          await operator.call(setRoleEnabledEndpoint, { params: { id }, body: { enabled } });
          return { value: { enabled }, text: `${roleKey} is ${stateOf({ enabled })}.` };
        }),
      );
    addExamples(command, `portcullis role ${name} clerk`);
  }
}

function addDataScope(role: Command): void {
  const scope = role
    .command('data-scope')
    .description('Set which rows the users of a role see.')
    .argument('<role-key>', 'which')
    .addArgument(new Argument('<scope>', scopeHelp).choices(dataScopes))
    .addOption(departmentOption())
    .action((roleKey: string, dataScope: DataScope, options: ScopeOptions) =>
      change(scope, roleKey, async (operator, { id }) => {
        const body = await readScope(operator, dataScope, options);
        await operator.call(setRoleDataScopeEndpoint, { params: { id }, body });
        return { value: body, text: `${roleKey} has data scope ${dataScope}, ${scopeTexts[dataScope]}.` };
      }),
    );
  addExamples(
    scope,
    'portcullis role data-scope clerk 4',
    'portcullis role data-scope auditor 2 --department Sales --department 7',
  );
}

function addRequiredFactor(role: Command): void {
  const required = role
    .command('required-factor')
    .description('Set the factor that a role requires at login, and end every session that proves less.')
    .argument('<role-key>', 'which')
    .addArgument(new Argument('<factor>', factorHelp).choices(Object.keys(factorTexts)))
    .action((roleKey: string, text: keyof typeof factorTexts) =>
      change(
        required,
        roleKey,
        async (operator, { id }) => {
          const requiredFactor = Number(text) as Factor;
          await operator.call(setRequiredFactorEndpoint, { params: { id }, body: { requiredFactor } });
          return { value: { requiredFactor }, text: `${roleKey} requires ${factorTexts[text]}.` };
        },
        'Passkeys are off here: set `mfa.passkeyDomain` first.',
      ),
    );
  addExamples(required, 'portcullis role required-factor admin 2');
}

function addDelete(role: Command): void {
  const remove = role
    .command('delete')
    .description('Delete a role without users, with its rules.')
    .argument('<role-key>', 'which')
    .option('--yes', 'do not ask')
    .action((roleKey: string, options: { yes?: boolean }) =>
      change(
        remove,
        roleKey,
        async (operator, { id }) => {
          await confirmOrEnd(`Delete the role ${roleKey} and its rules?`, options);
          await operator.call(deleteRoleEndpoint, { params: { id } });
          return { value: { deleted: true }, text: `${roleKey} is deleted.` };
        },
        roleKey === 'admin'
          ? undefined
          : `Users have the role ${roleKey}. Give them another first: \`portcullis user list --role ${roleKey}\` shows them.`,
      ),
    );
  addExamples(remove, 'portcullis role delete clerk', 'portcullis role delete clerk --yes');
}
