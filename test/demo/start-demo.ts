// Starts a demo as a person at a terminal would, and ends it as Ctrl-C does: for the command and all below it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isGroupRunning } from '../rig/process-group.ts';
import { type PrintedCommand, readBox } from './read-box.ts';

export interface RunningDemo {
  readonly box: string;
  readonly commands: readonly PrintedCommand[];
  /** From the start of the command to the answer of the first login. */
  readonly firstLoginMilliseconds: number;
  /** Ends it, and says how long that took and what it left in the folder for temporary files. */
  interrupt(): Promise<{ readonly milliseconds: number; readonly left: readonly string[] }>;
}

const patienceMilliseconds = 300_000;

export async function startDemo(
  command: string,
  given: readonly string[],
  cwd: string,
  home: Readonly<Record<string, string>> = {},
): Promise<RunningDemo> {
  const temporary = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const env = {
    ...process.env,
    ...home,
    TMPDIR: temporary,
    // The demo must not look at a database that the environment names.
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    npm_config_update_notifier: 'false',
  };
  const startedAt = performance.now();
  const child = spawn(command, given, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const { pid: group } = child;
  if (group === undefined) throw new Error(`There is no ${command}.`);
  // Whatever fails, nothing may go on holding the port.
  const kill = () => isGroupRunning(group) && process.kill(-group, 'SIGKILL');
  process.once('exit', kill);
  const box = await readUntilBox(child);
  const commands = readBox(box);
  const [first] = commands;
  const answer = await runInShell(first?.command ?? 'false');
  if (!answer.includes('"token"')) throw new Error(`The first login was answered with ${answer}`);
  const firstLoginMilliseconds = performance.now() - startedAt;
  return {
    box,
    commands,
    firstLoginMilliseconds,
    async interrupt() {
      const interruptedAt = performance.now();
      const ended = once(child, 'exit');
      process.kill(-group, 'SIGINT');
      await ended;
      // What npm started may outlive it by a moment.
      while (isGroupRunning(group)) await sleep(10);
      process.off('exit', kill);
      const milliseconds = performance.now() - interruptedAt;
      const left = (await readdir(temporary)).filter((name) => name.startsWith('portcullis'));
      await rm(temporary, { recursive: true });
      return { milliseconds, left };
    },
  };
}

function readUntilBox(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const edge = '─'.repeat(80);
  let [box, errors] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    box += text;
    if (box.split(edge).length > 2) resolve(box);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.once('exit', (code) => reject(new Error(`The demo ended with ${code}.\n${errors}`)));
  setTimeout(() => reject(new Error(`There is no box.\n${errors}`)), patienceMilliseconds).unref();
  return promise;
}

export async function runInShell(script: string): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  return stdout;
}
