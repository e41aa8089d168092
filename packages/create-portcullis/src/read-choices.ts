// Reads the choices for the project from the command line. It asks for missing ones on a terminal, and uses
// defaults without a terminal.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { type FrameworkName, frameworkNames, frameworks } from './frameworks.ts';

export interface Choices {
  readonly folder: string;
  readonly framework: FrameworkName;
  readonly hasWeb: boolean;
  /** Whether the project is installed and started; otherwise it is only written. */
  readonly starts: boolean;
  /** A folder with the packed packages; without it they come from npm. */
  readonly packages: string | undefined;
}

/** An error in the command line; its text is for the user. */
export class UsageError extends Error {}

export const usage = `Usage: npm create portcullis [folder] -- [options]

Writes a service that is guarded by Portcullis into a new folder, starts both,
and shows a first refusal with its reason. What is not given is asked for.

Options:
  --framework <name>   ${frameworkNames.join(', ')} (default: express)
  --front-end          with a page that signs in (built by Vite)
  --no-front-end       without one (default)
  --no-start           write it, and neither install nor start it
  --packages <folder>  take Portcullis's packages from the tarballs in a folder
  --yes                ask nothing: take the defaults for what is not given
  --help               show this
`;

type Ask = (question: string) => Promise<string>;

export async function readChoices(
  words: readonly string[],
  terminal: { readonly isTerminal: boolean },
): Promise<Choices | 'help'> {
  const given = parse(words);
  if (given.values.help === true) return 'help';
  if (given.positionals.length > 1) throw new UsageError('Give one folder.');
  const framework = given.values.framework;
  if (framework !== undefined && !isFramework(framework))
    throw new UsageError(`There is no framework ${framework}. Take one of ${frameworkNames.join(', ')}.`);
  const [folder] = given.positionals;
  const hasWeb = given.values['front-end'];
  const rest = { starts: given.values.start !== false, packages: given.values.packages };
  if (given.values.yes === true || !terminal.isTerminal)
    return {
      folder: folder ?? 'my-admin',
      framework: framework ?? 'express',
      hasWeb: hasWeb ?? false,
      ...rest,
    };
  const input = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const ask: Ask = (question) => input.question(question);
    return {
      folder: folder ?? ((await ask('Folder (my-admin): ')).trim() || 'my-admin'),
      framework: framework ?? (await askFramework(ask)),
      hasWeb: hasWeb ?? (await askYes(ask, 'With a page that signs in? (y/N): ')),
      ...rest,
    };
  } finally {
    input.close();
  }
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      allowPositionals: true,
      allowNegative: true,
      options: {
        framework: { type: 'string' },
        'front-end': { type: 'boolean' },
        start: { type: 'boolean' },
        packages: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function isFramework(name: string): name is FrameworkName {
  return Object.hasOwn(frameworks, name);
}

async function askFramework(ask: Ask): Promise<FrameworkName> {
  const list = frameworkNames.map((name, place) => `${place + 1} ${frameworks[name].title}`).join(', ');
  for (;;) {
    const answer = (await ask(`Framework: ${list} (1): `)).trim().toLowerCase();
    const chosen = answer === '' ? frameworkNames[0] : (frameworkNames[Number(answer) - 1] ?? answer);
    if (chosen !== undefined && isFramework(chosen)) return chosen;
    console.log(`  Type a number from 1 to ${frameworkNames.length}.`);
  }
}

async function askYes(ask: Ask, question: string): Promise<boolean> {
  for (;;) {
    const answer = (await ask(question)).trim().toLowerCase();
    if (['y', 'yes'].includes(answer)) return true;
    if (['', 'n', 'no'].includes(answer)) return false;
    console.log('  Type y or n.');
  }
}
