// `portcullis mail`: lists queued, sent and failed mails, and retries one.
import {
  listMailsEndpoint,
  type Mail,
  type MailState,
  mailStates,
  retryMailEndpoint,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, shortMoment } from '../../../terminal/output.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { showList } from '../../../terminal/show-list.ts';
import { withOperator } from '../../with-store.ts';

export function addMail(program: Command): void {
  const mail = program.command('mail').description('Mails: what is queued, sent and given up.');
  addList(mail);
  addRetry(mail);
}

function addList(mail: Command): void {
  const list = mail
    .command('list')
    .description('List mails, newest first, the first 100 of them.')
    .addOption(new Option('--state <state>', 'only those that are so').choices(mailStates))
    .option('--all', 'all of them, however many')
    .action(({ state, all }: { state?: MailState; all?: boolean }) =>
      withOperator(list, async (operator) => {
        const filter = state === undefined ? {} : { state };
        const readPage = async (page: object) =>
          (await operator.call(listMailsEndpoint, { query: { ...filter, ...page } })).data;
        await showList<Mail>(list, readPage, {
          all,
          noun: 'mail',
          columns: {
            Mail: ({ id }) => id,
            To: ({ username }) => username ?? '',
            Kind: ({ kind }) => kind,
            State: ({ state }) => state,
            Tries: ({ tries }) => tries,
            Since: ({ createdAt }) => shortMoment(createdAt),
            Reason: ({ reason }) => reason ?? '',
          },
        });
      }),
    );
  addExamples(list, 'portcullis mail list --state dead');
}

function addRetry(mail: Command): void {
  const retry = mail
    .command('retry')
    .description('Try to send a mail again, at once.')
    .argument('<id>', 'which, as `mail list` shows it')
    .action((id: string) =>
      withOperator(retry, async (operator) => {
        await operator
          .call(retryMailEndpoint, { params: { id } })
          .catch(refusedAs({ conflict: 'This mail was sent. Make another one: `portcullis user invite`.' }));
        outputOf(retry).show({ id, state: 'queued' }, () => 'The mail is queued: an instance sends it next.');
      }),
    );
  addExamples(retry, 'portcullis mail retry 6f1c2d1e-6f6b-4d0e-9a51-0d9f2a3c4b5e');
}
