// Starts a demo as somebody at a terminal would, and ends it as Ctrl-C does: for the command and all below it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PrintedCommand, readBox } from './read-box.ts';

export interface RunningDemo {
  readonly box: string;
  readonly commands: readonly PrintedCommand[];
  /** From the start of the command to the answer of the first login. */
  readonly firstLoginMilliseconds: number;
  /** Ends it, and says how long that took and what it left in the folder for temporary files. */
  interrupt(): Promise<{ readonly milliseconds: number; readonly left: readonly string[] }>;
}

const patienceMilliseconds = 120_000;

export async function startDemo(
  command: string,
  given: readonly string[],
  cwd: string,
): Promise<RunningDemo> {
  const temporary = await mkdtemp(join(tmpdir(), 'demo-test-'));
  const startedAt = performance.now();
  // The demo must not look at a database that the environment names.
  const env = { ...process.env, TMPDIR: temporary, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const child = spawn(command, given, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
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
      process.kill(-(child.pid ?? 0), 'SIGINT');
      await ended;
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
  child.stdout?.on('data', (text) => {
    box += text;
    if (box.split(edge).length > 2) resolve(box);
  });
  child.stderr?.on('data', (text) => {
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
