// What every command's help has: it fits a screen, describes everything, and its examples can be typed as they stand.
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

const lines = 24;
const columns = 80;

interface Named {
  readonly name: string;
  readonly command: Command;
}

function walk(command: Command, parents = ''): Named[] {
  const name = `${parents} ${command.name()}`.trim();
  return [{ name, command }, ...command.commands.flatMap((child) => walk(child, name))];
}

const all = walk(await createProgram('0.0.0'));
const leaves = all.filter(({ command }) => command.commands.length === 0);

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
    getOutHelpWidth: () => columns,
  });
  command.outputHelp();
  return text.trimEnd();
}

const examplesOf = (command: Command) =>
  [...helpOf(command).matchAll(/^ {2}\$ ((?:.*\\\n)*.*)$/gm)].map(([, line = '']) =>
    line.replace(/\\\n\s*/g, ''),
  );

/** The words of each `portcullis …` in a line, as a shell would split it. */
function parseExample(line: string): string[][] {
  return line
    .split(/ \| | && /)
    .map((part) => part.replace(/\s(\d?>>?|<)\s.*$/, ''))
    .flatMap((part) => {
      const [program, ...words] = [...part.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
        ([, double, single, bare]) => double ?? single ?? bare ?? '',
      );
      return program === 'portcullis' ? [words] : [];
    });
}

/** A program in which nothing is done. */
async function createIdleProgram(ended: string[]): Promise<Command> {
  const program = await createProgram('0.0.0');
  for (const { name, command } of walk(program)) {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => void ended.push(name));
  }
  return program;
}

describe.each(all)('the help of `$name`', ({ command }) => {
  it(`fits a screen of ${lines} lines and ${columns} columns`, () => {
    const text = helpOf(command).split('\n');
    expect(text.length).toBeLessThanOrEqual(lines);
    expect(text.filter(({ length }) => length > columns)).toEqual([]);
  });

  it('describes the command, its options and its arguments', () => {
    expect(command.description()).toMatch(/^[A-Z].*\.$/s);
    const parts = [...command.options, ...command.registeredArguments];
    expect(parts.filter(({ description }) => description === '')).toEqual([]);
  });
});

describe.each(leaves)('the examples of `$name`', ({ name, command }) => {
  it('can be typed, and one of them is of this command', async () => {
    const ended: string[] = [];
    for (const words of examplesOf(command).flatMap(parseExample))
      await (await createIdleProgram(ended)).parseAsync(words, { from: 'user' });
    // What a shell would do with the output of `completion` is quoted.
    if (name === 'portcullis completion') ended.push(name);
    expect(ended).toContain(name);
  });
});

it('an example with an unknown option is found', async () => {
  const [words = []] = parseExample('portcullis user list --nmae li | head');
  await expect((await createIdleProgram([])).parseAsync(words, { from: 'user' })).rejects.toThrow(/--nmae/);
});
