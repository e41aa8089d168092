// The examples, started as their READMEs say: where the orders are, where one logs in, and what was entered.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '../rig/create-database.ts';
import {
  commandLine,
  type RigProcess,
  repository,
  startProcess,
  startProgram,
} from '../rig/start-process.ts';
import { startServer } from '../rig/start-server.ts';
import { findFreePort } from '../rig/tcp-proxy.ts';
import { startNginx } from './start-nginx.ts';

export interface Example {
  /** Where browsers reach the orders. */
  readonly port: number;
  /** Where they log in and out. */
  readonly portcullisPort: number;
  /** The process that holds the handlers. */
  readonly process: RigProcess;
  stop(): Promise<void>;
}

const run = promisify(execFile);
const secret = 'orders-0123456789-abcdefghijklmnop';

async function startInProcess({ url }: Database): Promise<Example> {
  const server = await startServer({ databaseUrl: url, script: 'examples/in-process/main.ts' });
  const { port, process } = server;
  return {
    port,
    portcullisPort: port,
    process,
    stop: async () => expectEnd(await server.stop(), process),
  };
}

/** A Node service with the guard in it. `build` makes its script, where Node cannot run the source. */
function guarded(script: string, build: () => Promise<unknown> = async () => {}) {
  return async ({ url }: Database): Promise<Example> => {
    const [portcullis] = await Promise.all([startPortcullis(url), build()]);
    const environment = { ...environmentOf(portcullis.decisionPort), DATABASE_URL: url };
    const process = startProcess({ script, environment });
    const port = await portOf(process);
    return {
      port,
      portcullisPort: portcullis.port,
      process,
      async stop() {
        process.signal('SIGTERM');
        expectEnd(await process.exited, process);
        await portcullis.stop();
      },
    };
  };
}

const startNest = guarded('examples/nest/dist/nest/main.js', () =>
  run('node_modules/.bin/tsc', ['-p', 'examples/nest'], { cwd: repository }),
);

/** As its own project elsewhere, with the packed guard: what Next weighs is not for everybody who works on this. */
async function startNext({ url }: Database): Promise<Example> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-nextjs-'));
  const [portcullis] = await Promise.all([startPortcullis(url), buildNext(folder)]);
  const port = await findFreePort();
  const next = join(folder, 'node_modules/next/dist/bin/next');
  const words = [next, 'start', folder, '--hostname', '127.0.0.1', '--port', String(port)];
  const environment = { ...environmentOf(portcullis.decisionPort), NEXT_TELEMETRY_DISABLED: '1' };
  const program = startProgram(process.execPath, words, environment);
  await program.waitForLine(/Ready in/);
  return {
    port,
    portcullisPort: portcullis.port,
    process: program,
    async stop() {
      program.signal('SIGTERM');
      await program.exited;
      await portcullis.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function buildNext(folder: string): Promise<void> {
  const npm = (words: string, cwd: string) =>
    run('npm', words.split(' '), { cwd, env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1' } });
  await cp(join(repository, 'examples/nextjs'), folder, { recursive: true });
  await cp(join(repository, 'examples/orders.ts'), join(folder, 'orders.ts'));
  await run(process.execPath, ['packages/portcullis/src/build-library.ts'], { cwd: repository });
  await npm(`pack --silent ${join(repository, 'packages/guard/dist')}`, folder);
  const [packed] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  const manifest = await readFile(join(folder, 'package.json'), 'utf8');
  const changed = manifest.replace(/("@portcullis\/guard": )"[^"]+"/, `$1"file:${packed}"`);
  await writeFile(join(folder, 'package.json'), changed);
  await npm('install --no-audit --no-fund --prefer-offline --ignore-scripts', folder);
  await npm('run build', folder);
}

/** A service of any language behind nginx, by the program that it is, made in a separate folder. */
function behindNginx(prepare: (folder: string) => Promise<readonly [program: string, ...words: string[]]>) {
  return async ({ url }: Database): Promise<Example> => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-orders-'));
    const [portcullis, [program, ...words]] = await Promise.all([startPortcullis(url), prepare(folder)]);
    const { decisionPort } = portcullis;
    const process = startProgram(program, words, {
      ...environmentOf(decisionPort),
      ORDERS_FILE: join(folder, 'orders.db'),
    });
    const nginx = await startNginx({ decisionPort, servicePort: await portOf(process), secret });
    return {
      port: nginx.port,
      portcullisPort: portcullis.port,
      process,
      async stop() {
        await nginx.stop();
        process.signal('SIGTERM');
        await process.exited;
        await portcullis.stop();
        await rm(folder, { recursive: true });
      },
    };
  };
}

const startPython = behindNginx(async () => ['python3', 'examples/python-nginx/orders.py']);
const startGo = behindNginx(async (folder) => {
  const program = join(folder, 'orders');
  await run('go', ['build', '-o', program, 'examples/go-nginx/orders.go'], { cwd: repository });
  return [program];
});

/** Takes half a minute to build: only where it is asked for by its name. */
export const slowExamples = [['nextjs', startNext]] as const;

export const examples = [
  ['in-process', startInProcess],
  ['express-guard', guarded('examples/express-guard/main.ts')],
  ['hono', guarded('examples/hono/main.ts')],
  ['nest', startNest],
  ['python-nginx', startPython],
  ['go-nginx', startGo],
] as const;

function startPortcullis(databaseUrl: string) {
  const settings = { DECISION_SECRET: secret };
  return startServer({ databaseUrl, script: commandLine, arguments: ['serve'], settings });
}

function environmentOf(decisionPort: number): Record<string, string> {
  return { DECISION_URL: `http://127.0.0.1:${decisionPort}`, DECISION_SECRET: secret, PORT: '0' };
}

async function portOf(process: RigProcess): Promise<number> {
  return Number((await process.waitForLine(/^Listening on \d+$/)).split(' ').at(-1));
}

function expectEnd(code: number | null, { output }: RigProcess): void {
  if (code !== 0) throw new Error(`The example ended with ${code}:\n${output}`);
}
