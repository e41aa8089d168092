// One bash for a page, as a reader has one: what a block exports, and where it goes, holds for the next ones. A block
// that goes on running gets a separate process group, as in a second terminal, until the page is done.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isGroupRunning } from '../rig/process-group.ts';

/** Only what hangs takes so long: an installation takes minutes where the machine is slow. */
const limitMilliseconds = 1_800_000;
const endMilliseconds = 60_000;

export interface BlockResult {
  readonly status: number;
  readonly printed: string;
}

export class PageShell {
  readonly #bash: ChildProcess;
  readonly #folder: string;
  readonly #groups: number[] = [];
  #count = 0;

  /** Keeps what the blocks print in `folder`, and begins in `start`. */
  constructor(folder: string, start: string, environment: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#bash = spawn('bash', ['--norc'], {
      cwd: start,
      env: { ...readerEnvironment(), ...environment },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    this.#bash.stdin?.write('set -meo pipefail\n');
  }

  /** Ends with the block's last command, or with the first one that fails, and the shell with it. */
  async run(text: string, mayFail: boolean): Promise<BlockResult> {
    const { script, output, done } = this.#prepare(text);
    const line = `source ${script} > ${output} 2>&1 < /dev/null`;
    const either = `if ${line}; then echo 0; else echo $?; fi > ${done}`;
    this.#bash.stdin?.write(mayFail ? `${either}\n` : `${line}; echo 0 > ${done}\n`);
    await waitFor(() => read(done).endsWith('\n') || this.#bash.exitCode !== null, 'The block did not end.');
    return { status: Number(read(done).trim() || 1), printed: read(output) };
  }

  /** Starts the block, and returns when it has printed what was expected, or has ended before. */
  async start(text: string, isPrinted: (printed: string) => boolean): Promise<BlockResult> {
    const { script, output, done } = this.#prepare(text);
    const pid = `${done}.pid`;
    this.#bash.stdin?.write(`( source ${script} > ${output} 2>&1 < /dev/null ) & echo $! > ${pid}\n`);
    await waitFor(() => read(pid).endsWith('\n'), 'The block did not start.');
    const group = Number(read(pid));
    this.#groups.push(group);
    await waitFor(
      () => isPrinted(read(output)) || !isGroupRunning(group),
      'It did not print what the page shows.',
    );
    return { status: isGroupRunning(group) ? 0 : 1, printed: read(output) };
  }

  /** What goes on running is interrupted, as by Ctrl-C, and then the shell ends. */
  async close(): Promise<void> {
    for (const group of this.#groups.reverse()) {
      signal(group, 'SIGINT');
      await waitFor(() => !isGroupRunning(group), '', endMilliseconds).catch(() => signal(group, 'SIGKILL'));
      // The next page needs its ports.
      await waitFor(
        () => !isGroupRunning(group),
        'What went on running could not be ended.',
        endMilliseconds,
      );
    }
    this.#bash.stdin?.end('exit\n');
    this.#bash.kill();
  }

  #prepare(text: string): { script: string; output: string; done: string } {
    this.#count += 1;
    const name = join(this.#folder, `block-${this.#count}`);
    writeFileSync(`${name}.sh`, `${text}\n`);
    return { script: `${name}.sh`, output: `${name}.out`, done: `${name}.done` };
  }
}

/** Without what `npm run` tells its script: to a reader's own npm it would be about another folder. */
function readerEnvironment(): NodeJS.ProcessEnv {
  const ofNpm = /^(?:npm_(?:package|lifecycle|config_local_prefix|command)|INIT_CWD$)/;
  const kept = Object.entries(process.env).filter(([name]) => !ofNpm.test(name));
  const folders = process.env.PATH?.split(':').filter((folder) => !folder.endsWith('node_modules/.bin'));
  return { ...Object.fromEntries(kept), PATH: folders?.join(':') };
}

async function waitFor(
  isSo: () => boolean,
  otherwise: string,
  milliseconds = limitMilliseconds,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(otherwise);
    await sleep(50);
  }
}

function signal(group: number, name: NodeJS.Signals): void {
  if (isGroupRunning(group)) process.kill(-group, name);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
