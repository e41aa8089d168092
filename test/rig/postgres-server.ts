// A Postgres of the test's own, which it may kill, start again and promote: one data directory, one free port, no
// password. It ends with the process of the test, however that ends.
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { closeSync, globSync, openSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { appendFile, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from './tcp-proxy.ts';

export interface PostgresServer {
  readonly port: number;
  /** The postmaster's; undefined while it is down. */
  readonly pid: number | undefined;
  url(database?: string): string;
  /** As the superuser, over a separate connection. */
  query<Row extends pg.QueryResultRow>(
    text: string,
    values?: readonly unknown[],
    database?: string,
  ): Promise<Row[]>;
  /** SIGKILL to all of it, the postmaster first, as if its machine had died; resolves when every process is gone. */
  kill(): Promise<void>;
  /** After a kill this is crash recovery. Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Ends as it stands, without a checkpoint: the next start recovers. */
  stopImmediate(): Promise<void>;
  /** Ends its sessions, then itself with a checkpoint. */
  stopFast(): Promise<void>;
  /** Makes a standby the primary; resolves when it accepts writes. */
  promote(): Promise<void>;
  readLog(): Promise<string>;
  /** Kills it and deletes its directory. */
  remove(): Promise<void>;
}

export interface PostgresServerOptions {
  readonly port?: number;
  /** Of postgresql.conf; they win. A standby has those of its primary below them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Makes it a streaming standby of this one, from a base backup. */
  readonly standbyOf?: PostgresServer;
}

/** Durable as in production; what differs lets a test kill it and start it any number of times. */
const baseSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '128MB',
  fsync: 'on',
  synchronous_commit: 'on',
  // A standby fetches the log since its base backup by streaming alone.
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '100ms',
  // In /dev/shm, those of a killed server that never starts again would stay.
  dynamic_shared_memory_type: 'mmap',
};

const user = 'postgres';
const host = '127.0.0.1';
const workspacePrefix = join(realpathSync(tmpdir()), 'portcullis-rig-postgres-');
const environment = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8' };
/** Postgres refuses to run as root. */
export const ownership =
  process.getuid?.() === 0 ? [`--reuid=${user}`, `--regid=${user}`, '--init-groups'] : ['--keep-groups'];
const run = promisify(execFile);

export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const { root, template } = await prepareWorkspace();
  const port = options.port ?? (await findFreePort());
  const directory = await runAsOwner('mktemp', '-d', join(root, 'XXXXXX'));
  const server = createServer(directory, port);
  try {
    if (options.standbyOf === undefined) await runAsOwner('cp', '-a', `${template}/.`, directory);
    else await copyPrimary(options.standbyOf, directory);
    await appendSettings(directory, options.settings ?? {});
    await server.start();
    return server;
  } catch (error) {
    await server.remove();
    throw error;
  }
}

function createServer(directory: string, port: number): PostgresServer {
  const logFile = `${directory}.log`;
  const url = (database = 'postgres') => `postgres://${user}@${host}:${port}/${database}`;
  let postmaster: ChildProcess | undefined;
  const isUp = () =>
    postmaster !== undefined && postmaster.exitCode === null && postmaster.signalCode === null;

  async function start(): Promise<void> {
    if (isUp()) throw new Error(`The Postgres on port ${port} runs already.`);
    const log = openSync(logFile, 'a');
    const parameters = [
      ...ownership,
      '--pdeathsig=QUIT',
      '--',
      binary('postgres'),
      '-D',
      directory,
      '-p',
      `${port}`,
    ];
    const child = spawn('setpriv', parameters, { cwd: '/', env: environment, stdio: ['ignore', log, log] });
    closeSync(log);
    child.on('error', () => {}).unref();
    postmaster = child;
    await waitUntil('Postgres accepts connections', async () => {
      if (!isUp()) throw new Error(`Postgres ended instead of starting:\n${await readFile(logFile, 'utf8')}`);
      const [pid, , , , , , , status] = await readStatusFile(directory);
      return Number(pid) === child.pid && status?.trim() === 'ready';
    });
  }
  async function end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    postmaster?.kill(signal);
    await waitUntil('Postgres ends', () => !isUp() && findProcesses(directory).length === 0);
  }
  async function kill(): Promise<void> {
    postmaster?.kill('SIGKILL');
    await waitUntil('Postgres is gone', () => {
      const left = findProcesses(directory);
      for (const pid of left) killProcess(pid);
      return !isUp() && left.length === 0;
    });
  }
  async function query<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
    database?: string,
  ) {
    const client = new pg.Client({ connectionString: url(database), connectionTimeoutMillis: 60_000 });
    // A server that is killed meanwhile fails the query; the same news must not end the test as well.
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  return {
    port,
    get pid() {
      return isUp() ? postmaster?.pid : undefined;
    },
    url,
    query,
    kill,
    start,
    stopImmediate: () => end('SIGQUIT'),
    stopFast: () => end('SIGINT'),
    async promote() {
      await query('select pg_promote(false)');
      await waitUntil('the standby is promoted', async () => {
        const [row] = await query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
        return row?.standby === false;
      });
    },
    readLog: () => readFile(logFile, 'utf8'),
    async remove() {
      await kill();
      await removeSharedMemory(directory);
      for (const path of [directory, logFile]) await rm(path, { recursive: true, force: true });
    },
  };
}

/** Only a hang lasts so long, also on a machine that stands still for moments. */
const patienceMilliseconds = 300_000;

/** Asks every few milliseconds until it is so; less often the longer it takes, because many a question is a connection. */
export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const startedAt = performance.now();
  const waited = () => performance.now() - startedAt;
  for (; !(await isSo()); await setTimeout(Math.min(100, 10 + waited() / 50)))
    if (waited() > patienceMilliseconds) throw new Error(`Waited for five minutes in vain until ${what}.`);
}

interface Workspace {
  readonly root: string;
  /** What initdb made, to copy: that takes a twentieth of the time. */
  readonly template: string;
}

let workspace: Promise<Workspace> | undefined;

/** Made once a process, and deleted with it. */
function prepareWorkspace(): Promise<Workspace> {
  workspace ??= createWorkspace();
  return workspace;
}

/** The template of another process, which outlives this one. */
const templateVariable = 'PORTCULLIS_RIG_POSTGRES_TEMPLATE';

/**
 * Makes a template with databases in it, which every server copies that the processes with this environment start. It is
 * there for as long as this process.
 */
export async function shareTemplate(
  prepare: (server: PostgresServer) => Promise<void>,
): Promise<NodeJS.ProcessEnv> {
  const { root, template } = await prepareWorkspace();
  const shared = join(root, 'shared');
  const server = createServer(shared, await findFreePort());
  await runAsOwner('cp', '-a', template, shared);
  try {
    await server.start();
    await prepare(server);
    await server.stopFast();
  } catch (error) {
    await server.remove();
    throw error;
  }
  return { [templateVariable]: shared };
}

async function createWorkspace(): Promise<Workspace> {
  const root = await runAsOwner('mktemp', '-d', `${workspacePrefix}${process.pid}-XXXXXX`);
  removeWithThisProcess(root);
  const given = process.env[templateVariable];
  if (given !== undefined) return { root, template: given };
  const template = join(root, 'template');
  await runAsOwner(
    binary('initdb'),
    `--pgdata=${template}`,
    `--username=${user}`,
    '--auth=trust',
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
  );
  await appendSettings(template, baseSettings);
  return { root, template };
}

/** Also where the process is killed, as test runners end their workers. */
function removeWithThisProcess(path: string): void {
  const script = 'tail --pid="$1" -f /dev/null; rm -rf "$0"';
  spawn('sh', ['-c', script, path, `${process.pid}`], { cwd: '/', detached: true, stdio: 'ignore' }).unref();
}

async function copyPrimary({ port }: PostgresServer, directory: string): Promise<void> {
  await runAsOwner(
    binary('pg_basebackup'),
    `--pgdata=${directory}`,
    `--host=${host}`,
    `--port=${port}`,
    `--username=${user}`,
    '--checkpoint=fast',
    '--wal-method=none',
    '--write-recovery-conf',
    '--no-sync',
    '--no-manifest',
  );
  // Copied from a primary that has a standby, it would make the promoted server wait for one that is not there.
  await appendFile(join(directory, 'postgresql.auto.conf'), `synchronous_standby_names = ''\n`);
}

/** Into a file that is there already, so that it keeps its owner. */
async function appendSettings(directory: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  await appendFile(join(directory, 'postgresql.conf'), lines.join(''));
}

/** By line: the postmaster's process id first, the shared memory seventh, the state eighth. */
async function readStatusFile(directory: string): Promise<string[]> {
  const text = await readFile(join(directory, 'postmaster.pid'), 'utf8').catch(() => '');
  return text.split('\n');
}

/** A killed server leaves a segment behind, and the kernel has room for 4,096. */
export async function removeSharedMemory(directory: string): Promise<void> {
  const identifier = (await readStatusFile(directory))[6]?.trim().split(/\s+/)[1];
  if (identifier !== undefined) await run('ipcrm', ['--shmem-id', identifier]).catch(() => {});
}

/** All processes of a server work in its data directory, also those that outlive the postmaster. */
function findProcesses(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`) === directory;
      } catch {
        return false;
      }
    });
}

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended automatically meanwhile.
  }
}

export async function runAsOwner(...command: readonly string[]): Promise<string> {
  const { stdout } = await run('setpriv', [...ownership, '--', ...command], { cwd: '/', env: environment });
  return stdout.trim();
}

/** Of the installed Postgres. */
export function binary(name: string): string {
  const installed = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort().at(-1);
  return installed ?? join(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim(), name);
}
