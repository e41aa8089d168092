// Runs a script of the repository as a separate process, with a clean environment, and keeps what it writes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { notesVariable } from './notes.ts';

export const repository = fileURLToPath(new URL('../../', import.meta.url));
export const commandLine = 'packages/operator/src/main.ts';
export const businessService = 'test/rig/business-service.ts';
/** Those that `npm run bundles` bundles, by the name of the bundle. */
export const bundledScripts: Readonly<Record<string, string>> = {
  portcullis: commandLine,
  'business-service': businessService,
  'guard-service': 'test/chaos/guard-service.ts',
  'run-members': 'test/chaos/members/run-members.ts',
};
/** In the tree, so that a bundle finds what is installed. */
export const bundlesFolder = join(repository, 'node_modules/.cache/portcullis-bundles');

/** What Node is to run for a script of the repository: its bundle where there are bundles, or itself. */
export function fileOf(script: string): string {
  const isBundled = process.env.PORTCULLIS_TEST_BUNDLES === 'true';
  const [name] = Object.entries(bundledScripts).find(([, source]) => isBundled && source === script) ?? [];
  return name === undefined ? resolve(repository, script) : join(bundlesFolder, `${name}.mjs`);
}

/** Those that the product runs itself with. */
const nodeOptions =
  /^#!.* node (.*)$/m.exec(readFileSync(join(repository, commandLine), 'utf8'))?.[1]?.split(' ') ?? [];

export interface RigProcess {
  readonly pid: number;
  /** Everything it has written to stdout and stderr so far. */
  readonly output: string;
  /** Resolves with the first line, written or still to come, that matches; rejects when the process ends without. */
  waitForLine(pattern: RegExp): Promise<string>;
  signal(name: NodeJS.Signals): void;
  /** The exit code, once the process has ended and its output is complete; null where a signal ended it. */
  readonly exited: Promise<number | null>;
}

export interface ProcessOptions {
  readonly script: string;
  readonly arguments?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export function startProcess(options: ProcessOptions): RigProcess {
  const words = [...nodeOptions, fileOf(options.script), ...(options.arguments ?? [])];
  return startProgram(process.execPath, words, options.environment);
}

/** Any other program. */
export function startProgram(
  program: string,
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): RigProcess {
  const child = spawn(program, words, {
    cwd: repository,
    env: { ...baseEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('output');
    });
  const exited = once(child, 'close').then(([code]) => code as number | null);
  /** Half a line may match already, so one counts when its end has come. */
  const findLine = (pattern: RegExp, hasEnded: boolean) =>
    output
      .split('\n')
      .slice(0, hasEnded ? undefined : -1)
      .find((line) => pattern.test(line));

  async function waitForLine(pattern: RegExp): Promise<string> {
    const ended = exited.then(() => true);
    for (let hasEnded = false; ; ) {
      const line = findLine(pattern, hasEnded);
      if (line !== undefined) return line;
      if (hasEnded) throw new Error(`The process ended without a line ${pattern}. It wrote:\n${output}`);
      hasEnded = await Promise.race([ended, once(child, 'output').then(() => false)]);
    }
  }

  return {
    pid: child.pid ?? 0,
    get output() {
      return output;
    },
    waitForLine,
    signal: (name) => void child.kill(name),
    exited,
  };
}

/**
 * The time zone is none that prints like UTC, so that a local time in an answer shows; and the many starts of a suite
 * share their compiled code.
 */
function baseEnvironment(): Record<string, string> {
  const { PATH = '', [notesVariable]: notes } = process.env;
  return {
    PATH,
    TZ: 'Asia/Kolkata',
    NODE_COMPILE_CACHE: join(tmpdir(), 'portcullis-rig-compile-cache'),
    ...(notes === undefined ? {} : { [notesVariable]: notes }),
  };
}
