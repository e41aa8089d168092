// A server under test as a process, and the load that is put on it.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** How many the generator opens. A slow server with many would still be busy in its neighbour's turn. */
  readonly connections: number;
  stop(): Promise<void>;
}

/** One core for the server under test, the other for the generator. */
const serverCore = '0';
const generatorCore = '1';

interface ServerOptions {
  readonly name: string;
  readonly file: string;
  readonly arguments?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly connections?: number;
  /** Whether it may use all cores and not only its own. */
  readonly isFree?: boolean;
}

/** Resolves when the server has printed the line that it is ready. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const file = join(import.meta.dirname, options.file);
  const cores = options.isFree === true ? `${serverCore},${generatorCore}` : serverCore;
  const child = spawn('taskset', ['-c', cores, process.execPath, file, ...(options.arguments ?? [])], {
    env: { ...process.env, ...options.environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  child.stdin.end(options.input ?? '');
  const port = await readPort(child);
  if (port === undefined) throw new Error(`${options.name} did not start.`);
  return {
    name: options.name,
    pid: child.pid ?? 0,
    port,
    connections: options.connections ?? 32,
    async stop() {
      child.kill();
      await exited;
    },
  };
}

function readPort(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    if (child.stdout === null) return resolve(undefined);
    const lines = createInterface(child.stdout);
    lines.on('line', (line) => {
      const { msg, port } = JSON.parse(line) as { msg?: string; port?: number };
      if (msg === 'ready') resolve(port);
    });
    lines.on('close', () => resolve(undefined));
  });
}

/** Runs wrk with the Lua script against the server. */
export async function requestsPerSecond(
  { name, port, connections }: ServerProcess,
  script: string,
  seconds: number,
): Promise<number> {
  const load = [
    'wrk',
    '-t1',
    `-c${connections}`,
    '--timeout',
    '30s',
    `-d${seconds}s`,
    '-s',
    script,
    `http://127.0.0.1:${port}`,
  ];
  const { stdout } = await promisify(execFile)('taskset', ['-c', generatorCore, ...load]);
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk on ${name}:\n${stdout}`);
  return Number(rate);
}
