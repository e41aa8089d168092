// Every command's help, as the program has it: on one screen, without a wrapped line, with an example. Before a change
// lands, only what has commands below it is asked in a terminal; at night all are.
import type { Command } from 'commander';
import { createProgram } from '../../packages/operator/src/cli/program.ts';
import { expect } from './expect.ts';
import type { Terminal } from './terminal.ts';

const screen = { lines: 24, columns: 80 } as const;
const asksAllInTerminal = process.env.CI !== 'true';
export const leftForTheNight = asksAllInTerminal
  ? undefined
  : 'the help of single commands, here as the program writes it, in a terminal';

export interface ListedCommand {
  /** As it is typed, without `portcullis`. */
  readonly name: string;
  readonly isLeaf: boolean;
  readonly command: Command;
}

export async function listCommands(): Promise<ListedCommand[]> {
  const list = (command: Command, path: readonly string[]): ListedCommand[] => [
    { name: path.join(' '), isLeaf: command.commands.length === 0, command },
    ...command.commands.flatMap((child) => list(child, [...path, child.name()])),
  ];
  return list(await createProgram('0.0.0'), []);
}

export async function tryHelp(terminal: Terminal, { name, isLeaf, command }: ListedCommand): Promise<void> {
  const isAsked = asksAllInTerminal || !isLeaf;
  const { text, lines, wrapped } = isAsked ? await askHelp(terminal, name) : readHelp(command);
  expect(lines <= screen.lines, `it has ${lines} lines`);
  expect(wrapped === 0, `${wrapped} lines wrapped:\n${text}`);
  if (isLeaf) expect(/^ +\$ portcullis /m.test(text), `it has no example:\n${text}`);
}

interface Help {
  readonly text: string;
  readonly lines: number;
  readonly wrapped: number;
}

async function askHelp(terminal: Terminal, name: string): Promise<Help> {
  await terminal.start(`portcullis ${name} --help`);
  const { code, text } = await terminal.ended();
  expect(code === 0, `it ended with ${code}:\n${text}`);
  return { text, ...(await terminal.countLines()) };
}

function readHelp(command: Command): Help {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => screen.columns,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  const lines = text.trimEnd().split('\n');
  return { text, lines: lines.length, wrapped: lines.filter(({ length }) => length > screen.columns).length };
}
