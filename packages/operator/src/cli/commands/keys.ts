// `portcullis keys`: lists, creates, rotates, retires and re-encrypts the signing keys of tokens.
import {
  activateKeyEndpoint,
  createKeyEndpoint,
  emergencyRetireKeyEndpoint,
  listKeysEndpoint,
  retireKeyEndpoint,
} from '@portcullis/contract';
import { resealSecrets } from '@portcullis/server/cluster/store/reseal-store.ts';
import { createRecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import type { Command } from 'commander';
import { createOperatorCall, type Operator } from '../../compose-operator.ts';
import { confirmOrEnd } from '../../terminal/ask.ts';
import { enforcementOf } from '../../terminal/enforcement.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf, shortMoment } from '../../terminal/output.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { showList } from '../../terminal/show-list.ts';
import { withOperator, withStore } from '../with-store.ts';

export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Signing keys: what tokens are signed with.');
  addList(keys);
  addCreate(keys);
  addActivate(keys);
  addRetire(keys);
  addEmergencyRetire(keys);
  addReseal(keys);
}

type Page = Awaited<ReturnType<typeof readPage>>;
async function readPage(operator: Operator, query: { limit: number; after?: string }) {
  return (await operator.call(listKeysEndpoint, { query })).data;
}

function addList(keys: Command): void {
  const list = keys
    .command('list')
    .description('List the signing keys, newest first.')
    .action(() =>
      withOperator(list, (operator) =>
        showList<Page['items'][number]>(list, (query) => readPage(operator, query), {
          all: true,
          noun: 'key',
          columns: {
            Key: ({ kid }) => kid,
            State: ({ state }) => state,
            Created: ({ createdAt }) => shortMoment(createdAt),
            'Signed until': ({ deactivatedAt }) => shortMoment(deactivatedAt),
            Retired: ({ retiredAt }) => shortMoment(retiredAt),
          },
        }),
      ),
    );
  addExamples(list, 'portcullis keys list');
}

function addCreate(keys: Command): void {
  const create = keys
    .command('create')
    .description('Create a key that every instance knows and that does not sign yet.')
    .action(() =>
      withOperator(create, async (operator) => {
        const { data } = await operator.call(createKeyEndpoint, {});
        outputOf(create).show(
          { ...data, revision: operator.revision },
          () =>
            `${data.kid} is created, and every instance knows it (revision ${operator.revision}). Sign with it: \`portcullis keys activate ${data.kid}\`.`,
        );
      }),
    );
  addExamples(create, 'portcullis keys create');
}

interface Change {
  readonly work: (operator: Operator) => Promise<unknown>;
  readonly state: string;
  readonly text: string;
  readonly conflict: string;
}

async function change(command: Command, kid: string, { work, state, text, conflict }: Change): Promise<void> {
  await withOperator(command, async (operator) => {
    const record_not_found = `There is no key ${kid}. \`portcullis keys list\` lists the keys.`;
    await work(operator).catch(refusedAs({ conflict, record_not_found }));
    outputOf(command).show(
      { kid, state, revision: operator.revision },
      () => `${text} ${enforcementOf(operator)}`,
    );
  });
}

function addActivate(keys: Command): void {
  const activate = keys
    .command('activate')
    .description('Sign with a key from now on. The previous key goes on verifying.')
    .argument('<kid>', 'which, as `keys list` shows it')
    .action((kid: string) =>
      change(activate, kid, {
        work: (operator) => operator.call(activateKeyEndpoint, { params: { kid } }),
        state: 'signing',
        text: `${kid} signs from now on.`,
        conflict: `${kid} is retired for good. Make a new key with \`portcullis keys create\`.`,
      }),
    );
  addExamples(activate, 'portcullis keys activate k7f3q2');
}

function addRetire(keys: Command): void {
  const retire = keys
    .command('retire')
    .description('Retire a key that no live token carries any more.')
    .argument('<kid>', 'which, as `keys list` shows it')
    .action((kid: string) =>
      change(retire, kid, {
        work: (operator) => operator.call(retireKeyEndpoint, { params: { kid } }),
        state: 'retired',
        text: `${kid} is retired.`,
        conflict: `${kid} signs, or tokens that it signed may still be alive. Activate another key and wait for as long as a token lives, or end them at once with \`portcullis keys emergency-retire ${kid}\`.`,
      }),
    );
  addExamples(retire, 'portcullis keys retire k7f3q2');
}

function addEmergencyRetire(keys: Command): void {
  const retire = keys
    .command('emergency-retire')
    .description('Retire a key at once, and end the sessions of its tokens: it has leaked.')
    .argument('<kid>', 'which, as `keys list` shows it')
    .option('--yes', 'do not ask')
    .action((kid: string, options: { yes?: boolean }) =>
      change(retire, kid, {
        async work(operator) {
          await confirmOrEnd(`Retire ${kid} and end every session of its tokens?`, options);
          await operator.call(emergencyRetireKeyEndpoint, { params: { kid } });
        },
        state: 'retired',
        text: `${kid} is retired, and the sessions of its tokens are ended.`,
        conflict: `Somebody else has just changed ${kid}. Run the command again.`,
      }),
    );
  addExamples(retire, 'portcullis keys emergency-retire k7f3q2 --yes');
}

function addReseal(keys: Command): void {
  const reseal = keys
    .command('reseal')
    .description(
      'Seal the signing keys and the secrets of authenticator apps and webhooks with `auth.masterKey`, opened with `auth.previousMasterKey` where needed.',
    )
    .action(() =>
      withStore(reseal, async (store, { sealingKeys }) => {
        const recordChange = createRecordChange();
        const result = await resealSecrets(store, sealingKeys, (transaction, after) =>
          recordChange(transaction, createOperatorCall(), {
            action: 'key.reseal',
            target: 'every key',
            before: null,
            after,
          }),
        );
        outputOf(reseal).show(result, () =>
          [
            `Sealed ${result.resealed} keys and ${result.totpSecrets} secrets of authenticator apps, ${result.providerSecrets} of providers and ${result.webhookSecrets} of webhooks with the master key.`,
            ...result.left.map((kid) => `Left ${kid}, which neither master key opens.`),
          ].join('\n'),
        );
      }),
    );
  addExamples(reseal, 'portcullis keys reseal');
}
