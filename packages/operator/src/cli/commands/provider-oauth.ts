// `portcullis provider add-oauth`: adds an OAuth 2 provider without OpenID Connect.
import {
  createProviderEndpoint,
  type OAuthPresetName,
  OAuthSettings,
  oauthPresetNames,
  oauthPresets,
} from '@portcullis/contract';
import { compileSchema } from '@portcullis/gate';
import type { Command } from 'commander';
import { readSecret } from '../../terminal/ask.ts';
import { CommandFailure } from '../../terminal/exit-codes.ts';
import { addExamples } from '../../terminal/help.ts';
import { outputOf } from '../../terminal/output.ts';
import { readFile } from '../../terminal/read-file.ts';
import { refusedAs } from '../../terminal/refused-as.ts';
import { withOperator } from '../with-store.ts';

interface AddOptions {
  readonly name?: string;
  readonly secretFile?: string;
  readonly public?: boolean;
  readonly preset?: string;
  readonly settings?: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly tenant?: string;
  readonly agentId?: string;
}

export function addAddOAuth(provider: Command): void {
  const add = provider
    .command('add-oauth')
    .description('Add a provider that speaks OAuth 2 and no OpenID; it is not enabled yet.')
    .argument('<key>', 'its short name, such as `github`')
    .option('--preset <service>', oauthPresetNames.join(', '))
    .option('--settings <file>', 'JSON, of another service or beside the preset')
    .requiredOption('--client-id <id>', 'of this service there; in WeCom the corp')
    .requiredOption('--redirect-uri <address>', 'the page that people come back to')
    .option('--tenant <id>', 'the company that people must be of')
    .option('--agent-id <id>', 'of this app in WeCom')
    .option('--secret-file <file>', 'the secret of this service there, or -')
    .option('--public', 'there is no secret, but PKCE alone')
    .option('--name <name>', 'what people see on the button; the key unless given')
    .action((key: string, options: AddOptions) =>
      withOperator(add, async (operator) => {
        const settings = settingsOf(options);
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
              kind: 'oauth',
              name: options.name ?? key,
              settings,
              ...(secret === undefined ? {} : { secret }),
            },
          })
          .catch(
            refusedAs({
              conflict: `There is a provider with the key ${key} or with this redirect address already. \`portcullis provider list\` lists them.`,
              provider_settings_wrong:
                'The settings are not enough, or an address is not plain https. Feishu and DingTalk need --tenant, WeCom needs --agent-id, and another service all addresses and `subjectPath` in --settings.',
            }),
          );
        outputOf(add).show({ ...data, key }, () =>
          [
            `${key} is added, and not enabled yet. Look whether it answers: \`portcullis provider check ${key}\`.`,
            ...untriedNote(settings.preset),
          ].join('\n'),
        );
      }),
    );
  addExamples(
    add,
    'portcullis provider add-oauth github --preset github --client-id Iv1.2 \\\n      --redirect-uri https://admin.example.com/console/callback/github',
  );
}

const isSettings = compileSchema(OAuthSettings);

function settingsOf({ settings, preset, clientId, redirectUri, tenant, agentId }: AddOptions): OAuthSettings {
  const read: unknown = {
    ...(settings === undefined ? {} : readSettings(settings)),
    clientId,
    redirectUri,
    ...(preset === undefined ? {} : { preset }),
    ...(tenant === undefined ? {} : { tenant }),
    ...(agentId === undefined ? {} : { authorizationParameters: [{ name: 'agentid', value: agentId }] }),
  };
  if (!isSettings(read))
    throw new CommandFailure(
      `There is a setting that is not known, or a preset. Presets are ${oauthPresetNames.join(', ')}; the reference of \`POST /api/v1/providers\` has the settings.`,
    );
  return read;
}

function readSettings(file: string): object {
  const text = readFile(file);
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === 'object' && read !== null) return read;
  } catch {}
  throw new CommandFailure(`${file} is no JSON object.`);
}

function untriedNote(preset: OAuthPresetName | undefined): string[] {
  if (preset === undefined || oauthPresets[preset].tried) return [];
  return [
    `${oauthPresets[preset].title} is set from its public documents, and was not tried against the real service.`,
  ];
}
