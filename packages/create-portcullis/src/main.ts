// `npm create portcullis`: writes a project, installs its dependencies and starts it with the
// project's own `npm start`.
import { spawn } from 'node:child_process';
import { relative } from 'node:path';
import { frameworks } from './frameworks.ts';
import { readChoices, UsageError, usage } from './read-choices.ts';
import { writeProject } from './write-project.ts';

const usageCode = 64;
/** Ctrl-C or Ctrl-D at a question. */
const interruptedCode = 130;

try {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const choices = await readChoices(process.argv.slice(2), { isTerminal });
  if (choices === 'help') process.stdout.write(usage);
  else {
    const folder = await writeProject(choices);
    const { title } = frameworks[choices.framework];
    const shown = relative(process.cwd(), folder) || '.';
    console.log(
      `\nWrote ${shown}: a service in ${title}${choices.hasWeb ? ', with a page that signs in' : ''}.`,
    );
    if (choices.starts) await start(folder, shown);
    else console.log(`\nNext:\n  cd ${shown}\n  npm install\n  npm start`);
  }
} catch (error) {
  if ((error as Error).name === 'AbortError') {
    console.error('\nNothing was written.');
    process.exit(interruptedCode);
  }
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\`npm create portcullis -- --help\` lists the options.`);
  process.exitCode = usageCode;
}

async function start(folder: string, shown: string): Promise<void> {
  console.log('Installing its packages ...');
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  // Installs dev dependencies even if NODE_ENV is production: the builds of the page and of Nest need them.
  const all = '--include=dev';
  const again = `  cd ${shown}\n  npm install\n  npm start`;
  if ((await run('npm', ['install', all, ...quiet], folder)) !== 0) {
    console.error(
      `npm could not install the packages: its reason is above. When it is gone:\n${again}\nWhere your registry has no Portcullis, begin anew with --packages and the folder of its tarballs.`,
    );
    process.exitCode = 1;
    return;
  }
  process.exitCode = await run('npm', ['start', '--silent'], folder);
  console.log(`\nTo start it again:\n  cd ${shown}\n  npm start`);
}

/** Ctrl-C reaches the child process too; this process waits until the child has ended. */
async function run(command: string, words: readonly string[], cwd: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  // On Windows, npm is a shell script.
  const shell = process.platform === 'win32';
  const child = spawn(command, words, { cwd, stdio: 'inherit', shell });
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass);
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 0));
  return await promise;
}
