// Questions and secrets. Without a terminal nothing is asked: a script that lacks an answer ends with what to give.
import { text as readText } from 'node:stream/consumers';
import { confirm, isCancel, password as passwordPrompt } from '@clack/prompts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import { readFile } from './read-file.ts';

export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Throws where the answer is no, and where nobody can be asked and `--yes` was not given. */
export async function confirmOrEnd(question: string, { yes = false }: { yes?: boolean }): Promise<void> {
  if (yes) return;
  if (!hasTerminal())
    throw new CommandFailure(`${question} There is no terminal to ask on: give --yes.`, exitCodes.usage);
  const answer = await confirm({ message: question, initialValue: false, output: process.stderr });
  if (answer !== true) throw new CommandFailure('Nothing was changed.', exitCodes.interrupted);
}

interface SecretOptions {
  /** What `--…-file` was given; `-` is standard input. */
  readonly file: string | undefined;
  /** How the option is called, for the reason. */
  readonly option: string;
  readonly question: string;
}

/** One line; never from an argument, which other users of the machine can read. */
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
