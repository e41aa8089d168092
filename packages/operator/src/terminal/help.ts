// The format of the help texts: every command shows an example, and the help of the program fits on one screen.
import { type Command, Help } from 'commander';

/** @example addExamples(command, 'portcullis user list --role clerk'); */
export function addExamples(command: Command, ...examples: readonly [string, ...string[]]): Command {
  const title = examples.length === 1 ? 'Example:' : 'Examples:';
  return command.addHelpText('after', `\n${[title, ...examples.map((line) => `  $ ${line}`)].join('\n')}`);
}

/** For `configureHelp` of the program; its commands inherit it. */
export const helpStyle = {
  showGlobalOptions: false,
  sortSubcommands: false,
  // Without the command `help`, which does the same as `--help`.
  visibleCommands: (command: Command) => [...command.commands],
  subcommandTerm: (command: Command) => command.name(),
  subcommandDescription: summaryOf,
  formatHelp: (command: Command, help: Help) =>
    command.parent === null ? formatProgram(command) : Help.prototype.formatHelp.call(help, command, help),
};

/** The first sentence of the description. */
export function summaryOf(command: Command): string {
  const [summary = ''] = command
    .description()
    .replaceAll('\n', ' ')
    .split(/(?<=\.)\s|;/, 1);
  return command.summary() || `${summary.replace(/\.$/, '')}.`;
}

/** Rarely used commands share one line, so that the program's help fits on one screen. */
const seldom: readonly string[] = ['import', 'recover', 'config', 'calibrate', 'self-test', 'completion'];

function formatProgram(program: Command): string {
  const often = program.commands.filter((command) => !seldom.includes(command.name()));
  const width = Math.max(...often.map((command) => command.name().length));
  const commands = often.map((command) => `  ${command.name().padEnd(width)}  ${summaryOf(command)}`);
  const others = program.commands.map((command) => command.name()).filter((name) => seldom.includes(name));
  if (others.length > 0) commands.push(`  and ${others.join(', ')}`);
  return `Usage: ${program.name()} <command> [options]    ${program.description()}

${commands.join('\n')}

  --config <file>  settings file; portcullis.yaml where it exists
  --json           print the result as JSON
  --help           also behind a command, which tells all of it; or --version
`;
}
