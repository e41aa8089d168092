// Lists the commands, options and arguments of the program for shell completion scripts.
import type { Argument, Command, Option } from 'commander';
import { summaryOf } from '../../terminal/help.ts';

/**
 * What the shell completes next: a file name, one of a list of words, a value that the script cannot know, or nothing.
 */
export type Value = 'file' | 'unknown' | 'none' | readonly string[];

export interface CommandCompletion {
  /** The words of the command: `user list`; empty for the program. */
  readonly words: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly CompletionOption[];
  /** The completion of the first argument. */
  readonly argument: Value;
}

export interface CompletionOption {
  readonly name: string;
  readonly description: string;
  readonly value: Value;
}

export function listCompletions(program: Command): CommandCompletion[] {
  const globals = program.options.filter(({ long }) => long !== '--version');
  const walk = (command: Command, words: string): CommandCompletion[] => [
    {
      words,
      commands: command.commands.map((child) => ({
        name: child.name(),
        description: summaryOf(child),
      })),
      options: [...new Set([...command.options, ...globals])].map(optionOf).concat(helpOption),
      argument: expected(command.registeredArguments[0]),
    },
    ...command.commands.flatMap((child) => walk(child, `${words} ${child.name()}`.trim())),
  ];
  return walk(program, '');
}

const helpOption: CompletionOption = { name: '--help', description: 'show how it is used', value: 'none' };

function optionOf(option: Option): CompletionOption {
  return {
    name: option.long ?? option.flags,
    description: firstLine(option.description),
    value: option.isBoolean() || option.negate ? 'none' : expected(option),
  };
}

function expected(part: Option | Argument | undefined): Value {
  if (part === undefined) return 'none';
  if (part.argChoices !== undefined) return part.argChoices;
  const text = 'flags' in part ? part.flags : part.name();
  return /\b(file|folder)\b/.test(text.replace(/^--\S+/, '')) ? 'file' : 'unknown';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

/**
 * Every pair of a command and one of its subcommands, as `<words> <name>`. Subcommands of the
 * program begin with a space.
 */
export function listSteps(completions: readonly CommandCompletion[]): string[] {
  return completions.flatMap(({ words, commands }) => commands.map(({ name }) => `${words} ${name}`));
}

/** Quotes a text for all three shells: single quotes, in which no character is special. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
