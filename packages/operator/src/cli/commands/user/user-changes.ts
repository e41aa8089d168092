// `portcullis user disable`, `enable`, `role`, `reset-password`, `reset-factors`, `invite`, `mail` and `delete`. A
// command that revokes something finishes when every instance enforces the change.
import {
  createPasswordLinkEndpoint,
  deleteUserEndpoint,
  resetUserFactorsEndpoint,
  setUserEnabledEndpoint,
  setUserMailEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  type User,
} from '@portcullis/contract';
import type { Command } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { confirmOrEnd } from '../../../terminal/ask.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { getUserNamed } from '../../../terminal/get-named.ts';
import { linkLines } from '../../../terminal/given-link.ts';
import { passwordLines, readPassword } from '../../../terminal/given-password.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, shortMoment } from '../../../terminal/output.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { withOperator } from '../../with-store.ts';
import { getRole } from '../role-rules.ts';

export function addUserChanges(user: Command): void {
  addDisable(user);
  addEnable(user);
  addRole(user);
  addResetPassword(user);
  addResetFactors(user);
  addInvite(user);
  addMail(user);
  addDelete(user);
}

interface Changed {
  /** The new state, for programs (`--json`). */
  readonly value: object;
  /** The new state as a sentence. */
  readonly text: string;
  /** Secrets to show once, below the sentence. */
  readonly shown?: readonly string[];
}

/** Applies one change to one user, given by name. */
function changing<Options>(
  command: Command,
  change: (operator: Operator, user: User, options: Options) => Promise<Changed>,
) {
  return (username: string, options: Options) =>
    withOperator(command, async (operator) => {
      const user = await getUserNamed(operator, username);
      const {
        value,
        text,
        shown = [],
      } = await change(operator, user, options).catch(refusedAs({ conflict: conflictOf(user) }));
      outputOf(command).show({ username: user.username, ...value, revision: operator.revision }, () =>
        [operator.isEnforced ? `${text} ${enforcementOf(operator)}` : text, ...shown].join('\n'),
      );
    });
}

function conflictOf({ username, roleKey }: User): string {
  return roleKey === 'admin'
    ? `${username} is the last administrator who can log in. Give another user the role admin first.`
    : `${username} was changed at the same time. Run the command again.`;
}

function addDisable(user: Command): void {
  const disable = user
    .command('disable')
    .description('Disable a user, and end all sessions of that user.')
    .argument('<username>', 'whom');
  disable.action(
    changing(disable, async (operator, { id, username }) => {
      await operator.call(setUserEnabledEndpoint, { params: { id }, body: { enabled: false } });
      return { value: { enabled: false }, text: `${username} is disabled.` };
    }),
  );
  addExamples(disable, 'portcullis user disable alice');
}

function addEnable(user: Command): void {
  const enable = user
    .command('enable')
    .description('Let a disabled user log in again.')
    .argument('<username>', 'whom');
  enable.action(
    changing(enable, async (operator, { id, username }) => {
      await operator.call(setUserEnabledEndpoint, { params: { id }, body: { enabled: true } });
      return { value: { enabled: true }, text: `${username} is enabled.` };
    }),
  );
  addExamples(enable, 'portcullis user enable alice');
}

function addRole(user: Command): void {
  const role = user
    .command('role')
    .description('Give a user another role.')
    .argument('<username>', 'whom')
    .argument('<role-key>', 'which role')
    .action((username: string, roleKey: string) => {
      const change = changing(role, async (operator, { id, username: name }) => {
        const { id: roleId } = await getRole(operator, roleKey);
        await operator.call(setUserRoleEndpoint, { params: { id }, body: { roleId } });
        return { value: { roleKey }, text: `${name} has the role ${roleKey}.` };
      });
      return change(username, undefined);
    });
  addExamples(role, 'portcullis user role alice editor');
}

function addResetPassword(user: Command): void {
  const reset = user
    .command('reset-password')
    .description(
      'Give a user a new password; it must be changed at the next login. Ends all sessions of that user.',
    )
    .argument('<username>', 'whom')
    .option(
      '--password-file <file>',
      'first line is the password, - for standard input; without it, one is made and shown once',
    );
  reset.action(
    changing(reset, async (operator, { id, username }, options: { passwordFile?: string }) => {
      const body = await readPassword(options.passwordFile);
      const { data } = await operator.call(setUserPasswordEndpoint, { params: { id }, body });
      return { value: data, text: `${username} has a new password.`, shown: passwordLines(data.password) };
    }),
  );
  addExamples(
    reset,
    'portcullis user reset-password alice',
    'portcullis user reset-password alice --password-file - < /run/secrets/alice',
  );
}

function addResetFactors(user: Command): void {
  const reset = user
    .command('reset-factors')
    .description('Remove the second factors of a user who lost them, and end all sessions of the user.')
    .argument('<username>', 'whom')
    .option('--yes', 'do not ask');
  reset.action(
    changing(reset, async (operator, { id, username }, options: { yes?: boolean }) => {
      await confirmOrEnd(`Remove every second factor of ${username}?`, options);
      const { data } = await operator.call(resetUserFactorsEndpoint, { params: { id } });
      const until = shortMoment(data.expiresAt);
      return {
        value: data,
        text: `${username} has no second factors.`,
        shown: [
          `If the role requires a second factor, this code sets up a new one at the next login, once, until ${until}:`,
          '',
          `  ${data.enrolmentCode}`,
          '',
        ],
      };
    }),
  );
  addExamples(reset, 'portcullis user reset-factors alice');
}

function addInvite(user: Command): void {
  const invite = user
    .command('invite')
    .description('Send a link that sets a password once; it is shown where there is no mail.')
    .argument('<username>', 'whom');
  invite.action(
    changing(invite, async (operator, { id, username }) => {
      const { data } = await operator
        .call(createPasswordLinkEndpoint, { params: { id } })
        .catch(refusedAs({ conflict: `${username} is disabled, or no person. Enable the user first.` }));
      return { value: data, text: `${username} can set a password.`, shown: linkLines(data) };
    }),
  );
  addExamples(invite, 'portcullis user invite alice');
}

function addMail(user: Command): void {
  const mail = user
    .command('mail')
    .description('Set where mail to a user goes.')
    .argument('<username>', 'whom')
    .argument('[address]', 'left out, the user has none any more')
    .action((username: string, address: string | undefined) => {
      const change = changing(mail, async (operator, { id, username: name }) => {
        const body = { mail: address ?? null };
        await operator
          .call(setUserMailEndpoint, { params: { id }, body })
          .catch(refusedAs({ conflict: 'Another user has that address. Use another one.' }));
        const text =
          address === undefined ? `${name} has no address.` : `Mail to ${name} goes to ${address}.`;
        return { value: body, text };
      });
      return change(username, undefined);
    });
  addExamples(mail, 'portcullis user mail alice alice@example.com', 'portcullis user mail alice');
}

function addDelete(user: Command): void {
  const remove = user
    .command('delete')
    .description('Delete a user permanently, and end all sessions of the user.')
    .argument('<username>', 'whom')
    .option('--yes', 'do not ask');
  remove.action(
    changing(remove, async (operator, { id, username, name }, options: { yes?: boolean }) => {
      await confirmOrEnd(`Delete the user ${username} (${name}) permanently?`, options);
      await operator.call(deleteUserEndpoint, { params: { id } });
      return { value: { deleted: true }, text: `${username} is deleted.` };
    }),
  );
  addExamples(remove, 'portcullis user delete alice', 'portcullis user delete alice --yes --json');
}
