// `portcullis login --key`: gets a token for a script with the key of a service account. It needs the URL of the
// service, but neither its settings nor its database.
import { ClientError } from '@portcullis/client';
import { createMachineTokens, parseMachineKey } from '@portcullis/client/machine';
import type { Command } from 'commander';
import { CommandFailure, exitCodes } from '../../../terminal/exit-codes.ts';
import { addExamples } from '../../../terminal/help.ts';
import { outputOf } from '../../../terminal/output.ts';
import { wholeNumber } from '../../../terminal/parse-argument.ts';
import { readFile } from '../../../terminal/read-file.ts';
import { endCommand } from '../../with-store.ts';

interface LoginOptions {
  readonly key: string;
  readonly url?: string;
  readonly patience: number;
}

export function addLogin(program: Command): void {
  const login = program
    .command('login')
    .description('Log in with the key of a service account, and print the token.')
    .requiredOption('--key <file>', 'as `portcullis service-keys new` writes it')
    .option('--url <address>', 'of the service (default: the audience of the key, where that is an address)')
    .option(
      '--patience <seconds>',
      'how long it is tried again while no instance answers',
      wholeNumber(3600),
      30,
    )
    .action(async (options: LoginOptions) => {
      try {
        const token = await logIn(options);
        outputOf(login).show({ token, expire: expiryOf(token) }, token);
      } catch (error) {
        endCommand(failureOf(error));
      }
    });
  addExamples(
    login,
    'portcullis login --key deploy-key.json',
    'TOKEN=$(portcullis login --key deploy-key.json --url http://127.0.0.1:8000)',
  );
}

async function logIn({ key: file, url, patience }: LoginOptions): Promise<string> {
  const key = parseMachineKey(readFile(file));
  const baseUrl = url ?? key.audience;
  if (!/^https?:\/\//.test(baseUrl))
    throw new CommandFailure('Give the address of the service with --url.', exitCodes.usage);
  return await createMachineTokens({ baseUrl, key, patienceSeconds: patience }).get();
}

function expiryOf(token: string): string {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
    exp: number;
  };
  return new Date(claims.exp * 1000).toISOString();
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof ClientError)) return error;
  const isAway = ['network', 'timed_out', 'unavailable', 'not_understood'].includes(error.kind);
  return new CommandFailure(
    isAway ? 'The service does not answer. Check --url, and try again.' : error.message,
    isAway ? exitCodes.unavailable : exitCodes.refused,
  );
}
