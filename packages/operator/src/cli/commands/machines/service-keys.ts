// `portcullis service-keys`: the keys of service accounts. The command writes the private key to a local
// file and sends it nowhere.
import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import {
  addUserKeyEndpoint,
  endUserKeyEndpoint,
  listUserKeysEndpoint,
  type PublicKey,
} from '@portcullis/contract';
import { type Command, Option } from 'commander';
import type { Operator } from '../../../compose-operator.ts';
import { enforcementOf } from '../../../terminal/enforcement.ts';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { getUserNamed } from '../../../terminal/get-named.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf, plain, shortMoment, table } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { readFile } from '../../../terminal/read-file.ts';
import { refusedAs } from '../../../terminal/refused-as.ts';
import { endCommand, withOperator } from '../../with-store.ts';

export function addServiceKeys(program: Command): void {
  const key = program
    .command('service-keys')
    .description('Keys of service accounts: programs log in with them.');
  addNew(key);
  addAdd(key);
  addList(key);
  addEnd(key);
}

const curves = ['ed25519', 'p256'] as const;

interface NewOptions {
  readonly out: string;
  readonly name?: string;
  readonly curve: (typeof curves)[number];
  readonly audience?: string;
}

function addNew(key: Command): void {
  const make = key
    .command('new')
    .description(
      'Create a key for a service account, write it to a file, and add its public part to the account.',
    )
    .argument('<username>', 'the service account')
    .requiredOption('--out <file>', 'a new file for the private key')
    .option('--name <text>', 'its name in the list (default: the name of the file)')
    .addOption(new Option('--curve <name>', 'the curve of the key').choices(curves).default('ed25519'))
    .option(
      '--audience <text>',
      '`serviceAccount.audience` of the service, for a host without its database: prints the public part and adds it to no account',
    )
    .action(async (username: string, options: NewOptions) => {
      if (options.audience === undefined)
        return await withOperator(make, (operator) => addTo(operator, username));
      try {
        const publicKey = writeKey(username, options.audience, options);
        outputOf(make).show({ publicKey }, () =>
          [
            `The key is in ${options.out}. Add its public part to ${plain(username)}, in the console or with \`portcullis service-keys add\`:`,
            '',
            JSON.stringify(publicKey),
          ].join('\n'),
        );
      } catch (error) {
        endCommand(error);
      }

      async function addTo(operator: Operator, name: string): Promise<void> {
        const { user, audience } = await findAccount(operator, name);
        if (audience === null) throw new CommandFailure(offText, exitCodes.configuration);
        const publicKey = writeKey(user.username, audience, options);
        const added = await addPublicKey(operator, user, options.name ?? options.out, publicKey);
        outputOf(make).show(
          { username: user.username, ...added },
          () => `${user.username} has the key ${added.id}. Its private part is only in ${options.out}.`,
        );
      }
    });
  addExamples(
    make,
    'portcullis service-keys new deploy --out deploy-key.json',
    'portcullis service-keys new deploy --out deploy-key.json \\\n      --audience https://admin.example.com',
  );
}

const offText =
  'Keys of service accounts are disabled. Set `serviceAccount.audience` to the address of the service, in its settings and in the settings of this command.';

/** Writes the private key with mode 0600, and never overwrites an existing file. */
function writeKey(account: string, audience: string, { out, curve }: NewOptions): PublicKey {
  const pair =
    curve === 'p256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  const content = { account, audience, privateKey: pair.privateKey.export({ format: 'jwk' }) };
  try {
    writeFileSync(out, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'EEXIST' ? 'exists already. Give another name' : `cannot be written (${code})`;
    throw new CommandFailure(`${out} ${reason}.`, exitCodes.usage);
  }
  return pair.publicKey.export({ format: 'jwk' }) as PublicKey;
}

function addAdd(key: Command): void {
  const add = key
    .command('add')
    .description('Add a public key to a service account.')
    .argument('<username>', 'the service account')
    .argument('<file>', 'a JWK or a PEM, of P-256 or Ed25519')
    .option('--name <text>', 'its name in the list (default: the name of the file)')
    .action((username: string, file: string, { name = file }: { name?: string }) =>
      withOperator(add, async (operator) => {
        const publicKey = readPublicKey(file);
        const { user } = await findAccount(operator, username);
        const added = await addPublicKey(operator, user, name, publicKey);
        outputOf(add).show(
          { username: user.username, ...added },
          () => `${user.username} has the key ${added.id}.`,
        );
      }),
    );
  addExamples(add, 'portcullis service-keys add deploy deploy.pub.pem');
}

/** Rejects a file with a private key before it parses the file: a private key must not be imported here. */
function readPublicKey(file: string): PublicKey {
  const text = readFile(file);
  if (/PRIVATE KEY|"d"\s*:|"privateKey"/.test(text))
    throw new CommandFailure(
      `${file} contains a private key. Give a file with only the public part.`,
      exitCodes.usage,
    );
  try {
    const key = text.trimStart().startsWith('{')
      ? createPublicKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' })
      : createPublicKey(text);
    return key.export({ format: 'jwk' }) as PublicKey;
  } catch {
    throw new CommandFailure(`${file} contains no public key, neither as a JWK nor as PEM.`, exitCodes.usage);
  }
}

function addList(key: Command): void {
  const list = key
    .command('list')
    .description('List the keys of a service account, with their last use.')
    .argument('<username>', 'the service account')
    .action((username: string) =>
      withOperator(list, async (operator) => {
        const { user, items, audience } = await findAccount(operator, username);
        outputOf(list).show({ username: user.username, audience, items }, () =>
          items.length === 0
            ? `${user.username} has no keys: it cannot log in.`
            : table(
                ['Id', 'Name', 'Algorithm', 'Created', 'Last login', 'Key id'],
                items.map((item) => [
                  item.id,
                  item.name,
                  item.algorithm,
                  shortMoment(item.createdAt),
                  shortMoment(item.usedAt),
                  item.kid,
                ]),
              ),
        );
      }),
    );
  addExamples(list, 'portcullis service-keys list deploy');
}

function addEnd(key: Command): void {
  const end = key
    .command('end')
    .description('End a key and its sessions.')
    .argument('<username>', 'the service account')
    .argument('<id>', 'as `service-keys list` shows it', wholeNumber())
    .action((username: string, keyId: number) =>
      withOperator(end, async (operator) => {
        const { user } = await findAccount(operator, username);
        await operator.call(endUserKeyEndpoint, { params: { id: user.id, keyId } }).catch(
          refusedAs({
            record_not_found: `${user.username} has no key ${keyId}. \`portcullis service-keys list ${user.username}\` lists them.`,
          }),
        );
        outputOf(end).show(
          { username: user.username, id: keyId, revision: operator.revision },
          () => `The key ${keyId} of ${user.username} is ended. ${enforcementOf(operator)}`,
        );
      }),
    );
  addExamples(end, 'portcullis service-keys end deploy 12');
}

async function findAccount(operator: Operator, username: string) {
  const user = await getUserNamed(operator, username);
  const { data } = await operator.call(listUserKeysEndpoint, { params: { id: user.id } }).catch(
    refusedAs({
      account_kind_wrong: `${user.username} is a person. \`portcullis user create --service\` creates a service account.`,
    }),
  );
  return { user, ...data };
}

async function addPublicKey(
  operator: Operator,
  { id, username }: { readonly id: number; readonly username: string },
  name: string,
  publicKey: PublicKey,
) {
  const body = { name: nameOf(name), publicKey };
  const { data } = await operator.call(addUserKeyEndpoint, { params: { id }, body }).catch(
    refusedAs({
      conflict: `The key was not added: ${username} has ten keys, or an account has or had this key. End a key first, or create another one.`,
    }),
  );
  return data;
}

/** The last part of a path, cut to the length of a key's name. */
function nameOf(text: string): string {
  return (text.split(/[\\/]/).at(-1) ?? text).slice(0, 64);
}
