// Asks for confirmation and for secrets on the terminal. Without a terminal it asks nothing: the command fails and
// names the option to give.
import { text as readText } from 'node:stream/consumers';
import { confirm, isCancel, password as passwordPrompt } from '@clack/prompts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { readFile } from './read-file.ts';

function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Throws if the answer is no, or if there is no terminal and no `--yes`. */
export async function confirmOrEnd(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!hasTerminal())
    throw new CommandFailure(`${question} There is no terminal to ask on: give --yes.`, exitCodes.usage);
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (answer !== true) throw new CommandFailure('Nothing was changed.', exitCodes.interrupted);
}

interface SecretOptions {
  /** The value of `--…-file`; `-` is standard input. */
  readonly file: string | undefined;
  /** The name of the option, for the error. */
  readonly option: string;
  readonly question: string;
}

/** Reads one line. A secret is never an argument, because other users of the machine can read arguments. */
export async function readSecret({ file, option, question }: SecretOptions): Promise<string> {
  if (file !== undefined) return firstLine(file === '-' ? await readText(process.stdin) : readFile(file));
  if (!hasTerminal())
    throw new CommandFailure(
      `Give ${option} with a file, or with - for standard input: there is no terminal to ask on.`,
      exitCodes.usage,
    );
  const secret = await passwordPrompt({ message: question, output: process.stderr });
  if (isCancel(secret)) throw new CommandFailure('Nothing was changed.', exitCodes.interrupted);
  return secret;
}

function firstLine(text: string): string {
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '')
    throw new CommandFailure('The secret is empty. Put it on the first line.', exitCodes.usage);
  return line;
}
