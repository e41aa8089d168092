// `portcullis sessions`: lists live sessions and ends them.
import {
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  listSessionsEndpoint,
} from '@portcullis/contract';
import type { Command } from 'commander';
import type { Operator } from '../../compose-operator.ts';
import { confirmOrEnd } from '../../terminal/ask.ts';
import { enforcementOf } from '../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { getUserNamed } from '../../terminal/get-named.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, shortMoment } from '../../terminal/output.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { showList } from '../../terminal/show-list.ts';
import { withOperator } from '../with-store.ts';

export function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('Sessions: the logins that have not ended.');
  addList(sessions);
  addEnd(sessions);
}

type Page = Awaited<ReturnType<typeof readPage>>;
async function readPage(operator: Operator, query: { limit: number; after?: string; userId?: number }) {
  return (await operator.call(listSessionsEndpoint, { query })).data;
}

function addList(sessions: Command): void {
  const list = sessions
    .command('list')
    .description('List live sessions, newest first, the first 100 of them.')
    .option('--user <username>', 'only those of this user')
    .option('--all', 'all of them, however many')
    .action(({ user, all }: { user?: string; all?: boolean }) =>
      withOperator(list, async (operator) => {
        const filter = user === undefined ? {} : { userId: (await getUserNamed(operator, user)).id };
        await showList<Page['items'][number]>(list, (page) => readPage(operator, { ...filter, ...page }), {
          all,
          noun: 'session',
          columns: {
            Session: ({ jti }) => jti,
            Username: ({ username }) => username,
            Role: ({ roleKey }) => roleKey,
            Address: ({ ip }) => ip,
            'Logged in': ({ issuedAt }) => shortMoment(issuedAt),
            Until: ({ expiresAt }) => shortMoment(expiresAt),
          },
        });
      }),
    );
  addExamples(list, 'portcullis sessions list --user alice');
}

interface EndOptions {
  readonly user?: string;
  readonly all?: boolean;
  readonly yes?: boolean;
}

function addEnd(sessions: Command): void {
  const end = sessions
    .command('end')
    .description('End one session, the sessions of a user, or all sessions.')
    .argument('[jti]', 'which, as `sessions list` shows it')
    .option('--user <username>', 'all sessions of this user')
    .option('--all', 'all sessions; replaces all signing keys')
    .option('--yes', 'do not ask before --all')
    .action((jti: string | undefined, options: EndOptions) =>
      withOperator(end, async (operator) => {
        const { value, text } = await endOf(operator, jti, options);
        outputOf(end).show(
          { ...value, revision: operator.revision },
          () => `${text} ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(
    end,
    'portcullis sessions end Rk3vYw1xQm2ZpT8uLb0HcA',
    'portcullis sessions end --user alice',
    'portcullis sessions end --all --yes',
  );
}

async function endOf(operator: Operator, jti: string | undefined, { user, all, yes }: EndOptions) {
  if ([jti, user, all].filter((way) => way !== undefined).length !== 1)
    throw new CommandFailure('Give one of: a session, --user <username>, --all.', exitCodes.usage);
  if (jti !== undefined) {
    await operator.call(endSessionEndpoint, { params: { jti } }).catch(
      refusedAs({
        record_not_found: 'There is no such live session. `portcullis sessions list` lists them.',
      }),
    );
    return { value: { jti }, text: 'The session is ended.' };
  }
  if (user !== undefined) {
    const { id, username } = await getUserNamed(operator, user);
    await operator.call(endUserSessionsEndpoint, { params: { id } });
    return { value: { username }, text: `The sessions of ${username} are ended.` };
  }
  await confirmOrEnd('End all sessions? All users have to log in again.', { yes: yes ?? false });
  await operator.call(endAllSessionsEndpoint, {});
  return { value: { all: true }, text: 'Every session is ended.' };
}
