// `portcullis provider`: lists, adds, checks, enables and disables identity providers, and rechecks
// the sessions of directories.
import {
  checkProviderEndpoint,
  createProviderEndpoint,
  listProvidersEndpoint,
  type Provider,
  recheckProviderEndpoint,
  setProviderEnabledEndpoint,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import type { Operator } from '../../compose-operator.ts';
import { confirmOrEnd, readSecret } from '../../terminal/ask.ts';
import { countOf } from '../../terminal/count-of.ts';
import { enforcementOf } from '../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { fields, outputOf } from '../../terminal/output.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { showList } from '../../terminal/show-list.ts';
import { withOperator } from '../with-store.ts';
import { addMappings, unreachableText } from './mappings/mappings.ts';
import { addAddOAuth } from './provider-oauth.ts';

export function addProvider(program: Command): void {
  const provider = program
    .command('provider')
    .description('Providers: who else says who a person is, such as your company.');
  addList(provider);
  addAdd(provider);
  addAddOAuth(provider);
  addCheck(provider);
  addEnable(provider);
  addDisable(provider);
  addMappings(provider, getProvider);
  addRecheck(provider);
}

function addList(provider: Command): void {
  const list = provider
    .command('list')
    .description('List the providers.')
    .action(() =>
      withOperator(list, async (operator) => {
        const readPage = async () => ({ items: await readAll(operator), next: null });
        await showList<Provider>(list, readPage, {
          all: true,
          noun: 'provider',
          columns: {
            Key: ({ key }) => key,
            Kind: ({ kind }) => kind,
            Name: ({ name }) => name,
            Admits: ({ provisioning }) => provisioning,
            State: ({ enabled }) => (enabled ? 'enabled' : 'disabled'),
          },
        });
      }),
    );
  addExamples(list, 'portcullis provider list');
}

async function readAll(operator: Operator): Promise<Provider[]> {
  return (await operator.call(listProvidersEndpoint, {})).data.items;
}

async function getProvider(operator: Operator, key: string): Promise<Provider> {
  const found = (await readAll(operator)).find((each) => each.key === key);
  if (found === undefined)
    throw new CommandFailure(`There is no provider ${key}. \`portcullis provider list\` lists them.`);
  return found;
}

interface AddOptions {
  readonly name?: string;
  readonly secretFile?: string;
  readonly public?: boolean;
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scope?: readonly string[];
  readonly tid?: string;
  readonly hd?: string;
}

function addAdd(provider: Command): void {
  const add = provider
    .command('add')
    .description('Add an OpenID provider, which is not enabled yet.')
    .argument('<key>', 'its short name, such as `keycloak`')
    .requiredOption('--issuer <address>', 'as its discovery document has it')
    .requiredOption('--client-id <id>', 'of this service there')
    .requiredOption('--redirect-uri <address>', 'the page that people come back to')
    .option('--secret-file <file>', 'the secret of this service there, or -')
    .option('--public', 'there is no secret, but PKCE alone')
    .option('--name <name>', 'what people see on the button; the key unless given')
    .option('--scope <scope...>', 'what is asked for beside `openid`')
    .addOption(new Option('--tid <tenant>', 'the tenant of Entra that people must be of'))
    .addOption(new Option('--hd <domain>', 'the domain of Google that people must be of').conflicts('tid'))
    .action((key: string, options: AddOptions) =>
      withOperator(add, async (operator) => {
        const secret = options.public
          ? undefined
          : await readSecret({
              file: options.secretFile,
              option: '--secret-file',
              question: 'The secret of this service at the provider',
            });
        const { data } = await operator
          .call(createProviderEndpoint, {
            body: {
              key,
              kind: 'oidc',
              name: options.name ?? key,
              settings: settingsOf(options),
              ...(secret === undefined ? {} : { secret }),
            },
          })
          .catch(
            refusedAs({
              conflict: `There is a provider with the key ${key} or with this redirect address already. \`portcullis provider list\` lists them.`,
            }),
          );
        outputOf(add).show(
          { ...data, key },
          () =>
            `${key} is added, and not enabled yet. Look whether it answers: \`portcullis provider check ${key}\`.`,
        );
      }),
    );
  addExamples(
    add,
    'portcullis provider add keycloak --client-id portcullis \\\n      --issuer https://sso.example.com/realms/company \\\n      --redirect-uri https://admin.example.com/console/callback/keycloak',
  );
}

function settingsOf({ issuer, clientId, redirectUri, scope, tid, hd }: AddOptions) {
  const pinned = tid ?? hd;
  return {
    issuer,
    clientId,
    redirectUri,
    ...(scope === undefined ? {} : { scopes: [...scope] }),
    ...(pinned === undefined
      ? {}
      : { tenant: { claim: tid === undefined ? ('hd' as const) : ('tid' as const), value: pinned } }),
  };
}

function addCheck(provider: Command): void {
  const check = provider
    .command('check')
    .description('Ask a provider whether people could sign in by it.')
    .argument('<key>', 'which')
    .action((key: string) =>
      withOperator(check, async (operator) => {
        const { id } = await getProvider(operator, key);
        const { data } = await operator.call(checkProviderEndpoint, { params: { id } });
        outputOf(check).show(data, () =>
          data.findings
            .map(({ what, ok, text }) => `${ok ? 'ok    ' : 'FAILED'} ${what}: ${text}`)
            .join('\n'),
        );
        if (!data.ok) process.exitCode = exitCodes.refused;
      }),
    );
  addExamples(check, 'portcullis provider check keycloak');
}

function addEnable(provider: Command): void {
  const enable = provider
    .command('enable')
    .description('Let people sign in by a provider that passes its check.')
    .argument('<key>', 'which')
    .action((key: string) =>
      withOperator(enable, async (operator) => {
        const { id } = await getProvider(operator, key);
        const failed = `${key} does not pass its check, and stays as it is. \`portcullis provider check ${key}\` says why.`;
        await operator
          .call(setProviderEnabledEndpoint, { params: { id }, body: { enabled: true } })
          .catch(refusedAs({ provider_check_failed: failed }));
        outputOf(enable).show({ key, enabled: true }, () => `People can sign in by ${key}.`);
      }),
    );
  addExamples(enable, 'portcullis provider enable keycloak');
}

function addDisable(provider: Command): void {
  const disable = provider
    .command('disable')
    .description('Disable a provider: refuse its logins, and end its sessions.')
    .argument('<key>', 'which')
    .option('--yes', 'do not ask')
    .action((key: string, options: { yes?: boolean }) =>
      withOperator(disable, async (operator) => {
        const { id } = await getProvider(operator, key);
        await confirmOrEnd(`Disable ${key}? All users who signed in with it are signed out.`, options);
        await operator.call(setProviderEnabledEndpoint, { params: { id }, body: { enabled: false } });
        outputOf(disable).show(
          { key, enabled: false, revision: operator.revision },
          () => `${key} is disabled. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(disable, 'portcullis provider disable keycloak');
}

function addRecheck(provider: Command): void {
  const recheck = provider
    .command('recheck')
    .summary('Check the users with a session of a directory again.')
    .description(
      'Check the users with a session of a directory again, and end the sessions of users\nwhom the directory no longer accepts. The service does this every few minutes.',
    )
    .argument('<key>', 'which directory')
    .action((key: string) =>
      withOperator(recheck, async (operator) => {
        const { id } = await getProvider(operator, key);
        const { data } = await operator.call(recheckProviderEndpoint, { params: { id } }).catch(
          refusedAs(
            {
              provider_unknown: `${key} is not a directory, or is not enabled, so it has no sessions.`,
            },
            { provider_unavailable: unreachableText(key) },
          ),
        );
        outputOf(recheck).show({ ...data, revision: operator.revision }, () =>
          [
            `Looked for ${countOf(data.people, 'person', 'people')} with a session.`,
            fields({
              Gone: data.gone,
              Disabled: data.disabled,
              'In no mapped group': data.unmapped,
              'Other role': data.moved,
            }),
            enforcementOf(operator),
          ].join('\n'),
        );
      }),
    );
  addExamples(recheck, 'portcullis provider recheck company');
}
