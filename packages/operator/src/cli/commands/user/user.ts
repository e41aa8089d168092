// `portcullis user`: lists, shows and creates users.
import { createUserEndpoint, listUsersEndpoint, type User } from '@portcullis/contract';
import type { Command } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { getDepartmentNamed, getUserNamed } from '../../../terminal/get-named.ts';
import { linkLines } from '../../../terminal/given-link.ts';
import { passwordLines, readPassword } from '../../../terminal/given-password.ts';
import { addExamples } from '../../../terminal/help.ts';
import { fields, outputOf, plain, shortMoment } from '../../../terminal/output.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { showList } from '../../../terminal/show-list.ts';
import { withOperator } from '../../with-store.ts';
import { getRole } from '../role-rules.ts';
import { addUserChanges } from './user-changes.ts';
import { addUserErasure } from './user-erasure.ts';

export function addUser(program: Command): void {
  const user = program.command('user').description('Users: who can log in, and with which role.');
  addList(user);
  addShow(user);
  addCreate(user);
  addUserChanges(user);
  addUserErasure(user);
}

function addList(user: Command): void {
  const list = user
    .command('list')
    .description('List users by name, the first 100 of them.')
    .option('--name <prefix>', 'only usernames that begin with this')
    .option('--role <key>', 'only those with this role')
    .option('--all', 'all of them, however many')
    .action(({ name, role: roleKey, all }: { name?: string; role?: string; all?: boolean }) =>
      withOperator(list, async (operator) => {
        const filter = {
          ...(name === undefined ? {} : { username: name }),
          ...(roleKey === undefined ? {} : { roleId: (await getRole(operator, roleKey)).id }),
        };
        const readPage = async (page: object) =>
          (await operator.call(listUsersEndpoint, { query: { ...filter, ...page } })).data;
        await showList<User>(list, readPage, {
          all,
          noun: 'user',
          columns: {
            Id: ({ id }) => id,
            Username: ({ username }) => username,
            Name: ({ name }) => name,
            Role: ({ roleKey }) => roleKey,
            Department: ({ departmentName }) => departmentName,
            State: stateOf,
          },
        });
      }),
    );
  addExamples(list, 'portcullis user list --name li --role clerk');
}

function addShow(user: Command): void {
  const show = user
    .command('show')
    .description('Show a user.')
    .argument('<username>', 'whom')
    .action((username: string) =>
      withOperator(show, async (operator) => {
        const found = await getUserNamed(operator, username);
        outputOf(show).show(found, () =>
          fields({
            Id: found.id,
            Username: found.username,
            Name: found.name,
            Role: `${found.roleKey} (${found.roleName})`,
            Department: `${found.departmentName} (${found.departmentId})`,
            State: stateOf(found),
            Mail: found.mail ?? '',
            Created: shortMoment(found.createdAt),
          }),
        );
      }),
    );
  addExamples(show, 'portcullis user show alice');
}

function stateOf({ enabled, kind, passwordChangeRequired }: User): string {
  if (!enabled) return 'disabled';
  if (kind === 'service') return 'enabled, service account';
  return passwordChangeRequired ? 'enabled, must change the password' : 'enabled';
}

interface CreateOptions {
  readonly name?: string;
  readonly role: string;
  readonly department: string;
  readonly passwordFile?: string;
  readonly service?: boolean;
  readonly mail?: string;
  readonly invite?: true;
}

function addCreate(user: Command): void {
  const create = user
    .command('create')
    .description('Create a user; the password must be changed at the first login.')
    .argument('<username>', 'under which the user logs in')
    .option('--name <name>', 'as it is shown (default: the username)')
    .requiredOption('--role <key>', 'what the user may do')
    .requiredOption('--department <id or name>', 'where the user belongs')
    .option('--password-file <file>', 'the password, - for standard input; else one is made')
    .option('--service', 'a service account, which logs in with keys')
    .option('--mail <address>', 'where mail to the user goes')
    .option('--invite', 'no password, but a link that sets one')
    .action((username: string, options: CreateOptions) =>
      withOperator(create, async (operator) => {
        const body = { username, ...(await readBody(operator, username, options)) };
        const { data } = await operator.call(createUserEndpoint, { body }).catch(
          refusedAs({
            conflict:
              options.mail === undefined
                ? `There is already a user ${username}. Choose another username.`
                : `There is already a user ${username}, or another user with that address. Choose another one.`,
          }),
        );
        outputOf(create).show({ username, ...data }, () =>
          [
            `${plain(username)} is created, with the role ${options.role}.`,
            ...passwordLines(data.password),
            ...(data.invitation === undefined ? [] : linkLines(data.invitation)),
          ].join('\n'),
        );
      }),
    );
  addExamples(
    create,
    'portcullis user create deploy --service --role deployer --department Sales',
    'portcullis user create alice --role clerk --department Sales \\\n      --mail alice@example.com --invite',
    'pass show alice | portcullis user create alice --name "Alice Liu" \\\n      --role clerk --department 3 --password-file -',
  );
}

async function readBody(operator: Operator, username: string, options: CreateOptions) {
  const { name = username, passwordFile } = options;
  const { id: roleId } = await getRole(operator, options.role);
  const { id: departmentId } = await getDepartmentNamed(operator, options.department);
  const { mail, invite, service } = options;
  return {
    name,
    roleId,
    departmentId,
    ...(service === true ? { kind: 'service' as const } : {}),
    ...(await readPassword(passwordFile)),
    ...(mail === undefined ? {} : { mail }),
    ...(invite ? { invite } : {}),
  };
}
