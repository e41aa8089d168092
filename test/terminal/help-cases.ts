// Every command's help, as the program has it: on one screen, without a wrapped line, with an example.
import type { Command } from 'commander';
import { createProgram } from '../../packages/operator/src/cli/program.ts';
import { expect } from './expect.ts';
import type { Terminal } from './terminal.ts';

const screen = { lines: 24 } as const;

export interface ListedCommand {
  /** As it is typed, without `portcullis`. */
  readonly name: string;
  readonly isLeaf: boolean;
}

export async function listCommands(): Promise<ListedCommand[]> {
  const list = (command: Command, path: readonly string[]): ListedCommand[] => [
    { name: path.join(' '), isLeaf: command.commands.length === 0 },
    ...command.commands.flatMap((child) => list(child, [...path, child.name()])),
  ];
  return list(await createProgram('0.0.0'), []);
}

export async function tryHelp(terminal: Terminal, name: string, isLeaf: boolean): Promise<void> {
  await terminal.start(`portcullis ${name} --help`);
  const { code, text } = await terminal.ended();
  expect(code === 0, `it ended with ${code}:\n${text}`);
  const { lines, wrapped } = await terminal.countLines();
  expect(lines <= screen.lines, `it has ${lines} lines`);
  expect(wrapped === 0, `${wrapped} lines wrapped:\n${text}`);
  if (isLeaf) expect(/^ +\$ portcullis /m.test(text), `it has no example:\n${text}`);
}
