// Starts a server under test as a process, and measures it under load from wrk.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };

export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /**
   * The number of connections of the load generator. With many connections, a slow server would still be busy when
   * the next server is measured.
   */
  readonly connections: number;
  stop(): Promise<void>;
}

/** CPU affinity: one core for the server under test, the other for the load generator. */
const serverCore = '0';
const generatorCore = '1';

/**
 * The Node options of `npm start`, for every server: otherwise the benchmark would measure a garbage collector
 * setting as the cost of a check.
 */
const nodeOptions =
  /node (-.*?) packages/.exec(manifest.scripts.start)?.[1]?.split(' ') ?? fail('npm start has no flags.');

function fail(text: string): never {
  throw new Error(text);
}

interface ServerOptions {
  readonly name: string;
  readonly file: string;
  readonly arguments?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly connections?: number;
  /** Whether it can use all cores instead of one. */
  readonly isFree?: boolean;
}

/** Resolves when the server has printed its ready line. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const file = resolve(import.meta.dirname, options.file);
  const cores = options.isFree === true ? `${serverCore},${generatorCore}` : serverCore;
  const words = [...nodeOptions, file, ...(options.arguments ?? [])];
  const child = spawn('taskset', ['-c', cores, process.execPath, ...words], {
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

/** One measurement of a server. */
export interface Measurement {
  readonly requestsPerSecond: number;
  /** CPU time of all threads of the server per request: it stays comparable when other programs use the machine. */
  readonly cpuMicroseconds: number;
}

/** Runs wrk with the Lua script against the server. */
export async function measureServer(
  server: ServerProcess,
  script: string,
  seconds: number,
): Promise<Measurement> {
  const before = readRunMicroseconds(server.pid);
  const { rate, requests } = await load(server, script, seconds);
  return {
    requestsPerSecond: rate,
    cpuMicroseconds: (readRunMicroseconds(server.pid) - before) / requests,
  };
}

export async function requestsPerSecond(
  server: ServerProcess,
  script: string,
  seconds: number,
): Promise<number> {
  return (await load(server, script, seconds)).rate;
}

async function load({ name, port, connections }: ServerProcess, script: string, seconds: number) {
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
  const requests = /(\d+) requests in/.exec(stdout)?.[1];
  if (rate === undefined || /Non-2xx|Socket errors/.test(stdout))
    throw new Error(`wrk on ${name}:\n${stdout}`);
  return { rate: Number(rate), requests: Number(requests) };
}

/** The CPU time that the scheduler counts, in nanoseconds. */
function readRunMicroseconds(pid: number): number {
  const folder = `/proc/${pid}/task`;
  return readdirSync(folder)
    .map((task) => Number(readFileSync(`${folder}/${task}/schedstat`, 'utf8').split(' ')[0]) / 1000)
    .reduce((sum, microseconds) => sum + microseconds, 0);
}
