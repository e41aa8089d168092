// What can be typed where: the program's commands as completion scripts need them.
import type { Argument, Command, Option } from 'commander';
import { summaryOf } from '../../terminal/help.ts';

/** What comes next: a file's name, one of some words, something that nobody can guess, or nothing of its own. */
export type Value = 'file' | 'unknown' | 'none' | readonly string[];

export interface Place {
  /** The words that lead here: `user list`; empty for the program itself. */
  readonly words: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly PlaceOption[];
  /** Of the first argument. */
  readonly argument: Value;
}

export interface PlaceOption {
  readonly name: string;
  readonly description: string;
  readonly value: Value;
}

export function listPlaces(program: Command): Place[] {
  const globals = program.options.filter(({ long }) => long !== '--version');
  const walk = (command: Command, words: string): Place[] => [
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

const helpOption: PlaceOption = { name: '--help', description: 'show how it is used', value: 'none' };

function optionOf(option: Option): PlaceOption {
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

/** Every step from a place to one below it, as `<words> <name>`: a leading space where it begins. */
export function listSteps(places: readonly Place[]): string[] {
  return places.flatMap(({ words, commands }) => commands.map(({ name }) => `${words} ${name}`));
}

/** For all three shells: nothing is special inside. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
