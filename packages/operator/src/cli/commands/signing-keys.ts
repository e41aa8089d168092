// `portcullis signing-keys`: lists, creates, rotates, retires and re-encrypts the signing keys of tokens.
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

export function addSigningKeys(program: Command): void {
  const keys = program.command('signing-keys').description('Signing keys: sign and verify the tokens.');
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
  addExamples(list, 'portcullis signing-keys list');
}

function addCreate(keys: Command): void {
  const create = keys
    .command('create')
    .description('Create a key that every instance knows. It does not sign until it is activated.')
    .action(() =>
      withOperator(create, async (operator) => {
        const { data } = await operator.call(createKeyEndpoint, {});
        outputOf(create).show(
          { ...data, revision: operator.revision },
          () =>
            `${data.kid} is created, and every instance knows it (revision ${operator.revision}). To sign with it: \`portcullis signing-keys activate ${data.kid}\`.`,
        );
      }),
    );
  addExamples(create, 'portcullis signing-keys create');
}

interface Change {
  readonly work: (operator: Operator) => Promise<unknown>;
  readonly state: string;
  readonly text: string;
  readonly conflict: string;
}

async function change(command: Command, kid: string, { work, state, text, conflict }: Change): Promise<void> {
  await withOperator(command, async (operator) => {
    const record_not_found = `There is no key ${kid}. \`portcullis signing-keys list\` lists the keys.`;
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
    .description('Sign with a key from now on. Tokens of the previous key stay valid.')
    .argument('<kid>', 'as `signing-keys list` shows it')
    .action((kid: string) =>
      change(activate, kid, {
        work: (operator) => operator.call(activateKeyEndpoint, { params: { kid } }),
        state: 'signing',
        text: `${kid} signs from now on.`,
        conflict: `${kid} is retired permanently. Create a new key with \`portcullis signing-keys create\`.`,
      }),
    );
  addExamples(activate, 'portcullis signing-keys activate k7f3q2');
}

function addRetire(keys: Command): void {
  const retire = keys
    .command('retire')
    .description('Retire a key that has signed no valid token.')
    .argument('<kid>', 'as `signing-keys list` shows it')
    .action((kid: string) =>
      change(retire, kid, {
        work: (operator) => operator.call(retireKeyEndpoint, { params: { kid } }),
        state: 'retired',
        text: `${kid} is retired.`,
        conflict: `${kid} is active, or tokens that it signed can still be valid. Activate another key and wait for one token lifetime, or end these tokens at once with \`portcullis signing-keys emergency-retire ${kid}\`.`,
      }),
    );
  addExamples(retire, 'portcullis signing-keys retire k7f3q2');
}

function addEmergencyRetire(keys: Command): void {
  const retire = keys
    .command('emergency-retire')
    .description('Retire a leaked key at once, and end the sessions of its tokens.')
    .argument('<kid>', 'as `signing-keys list` shows it')
    .option('--yes', 'do not ask')
    .action((kid: string, options: { yes?: boolean }) =>
      change(retire, kid, {
        async work(operator) {
          await confirmOrEnd(`Retire ${kid} and end every session of its tokens?`, options);
          await operator.call(emergencyRetireKeyEndpoint, { params: { kid } });
        },
        state: 'retired',
        text: `${kid} is retired, and the sessions of its tokens are ended.`,
        conflict: `${kid} was changed at the same time. Run the command again.`,
      }),
    );
  addExamples(retire, 'portcullis signing-keys emergency-retire k7f3q2 --yes');
}

function addReseal(keys: Command): void {
  const reseal = keys
    .command('reseal')
    .description(
      'Encrypt all stored keys and secrets with `auth.masterKey`, after a change of the master key. Needs `auth.previousMasterKey`.',
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
            `Encrypted ${result.resealed} signing keys and ${result.totpSecrets} secrets of authenticator apps, ${result.providerSecrets} of providers and ${result.webhookSecrets} of webhooks with the master key.`,
            ...result.left.map((kid) => `Neither master key can decrypt ${kid}. It is unchanged.`),
          ].join('\n'),
        );
      }),
    );
  addExamples(reseal, 'portcullis signing-keys reseal');
}
