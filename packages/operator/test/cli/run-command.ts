// The command line as a process.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { commandLine, fileOf } from '../../../../test/rig/start-process.ts';

const main = fileOf(commandLine);
const compileCache = fileURLToPath(new URL('../../../../node_modules/.cache/node-compile', import.meta.url));
/** Of tests alone. */
export const masterKey = 'b7c1e0a94d5f26883a1be07fd2c4596e8f3b7d1a05c6e9f24873bd106ea5c8f2';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly url: string;
  /** What stands on standard input. */
  readonly input?: string;
  /** Told what has come on either. */
  readonly onStdout?: (text: string, interrupt: () => void) => void;
  readonly onStderr?: (text: string, interrupt: () => void) => void;
  /** Told at once. */
  readonly onStart?: (interrupt: () => void) => void;
  /** Beside what every command is given. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** @example expect(await runCommand(['rules', 'list'], { url: database.url })).toMatchObject({ code: 0 }); */
export async function runCommand(
  command: readonly string[],
  { url, input = '', onStdout, onStderr, onStart, environment }: RunOptions,
): Promise<Ended> {
  const { FORCE_COLOR: _, ...inherited } = process.env;
  // A process starts in half the time.
  const own = {
    NODE_COMPILE_CACHE: compileCache,
    DATABASE_URL: url,
    AUTH_MASTER_KEY: masterKey,
    APPLICATION_MODE: 'dev',
  };
  const env = { ...inherited, ...own, ...environment };
  const child = spawn(process.execPath, [main, ...command], { env });
  const ended = new Promise<number | null>((resolve) => {
    child.once('close', resolve);
  });
  // Once: a second signal ends a process that is about to end.
  const interrupt = () => void (child.killed || child.kill('SIGINT'));
  onStart?.(interrupt);
  child.stdin.on('error', () => {}).end(input);
  child.stdout.on('data', (chunk: Buffer) => onStdout?.(String(chunk), interrupt));
  child.stderr.on('data', (chunk: Buffer) => onStderr?.(String(chunk), interrupt));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
