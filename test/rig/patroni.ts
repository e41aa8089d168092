// Three nodes of Patroni on this machine, each with a separate Postgres, one etcd, and HAProxy with one port that leads
// to the primary. Nothing of it outlives the process of the test, however that ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  binary,
  killProcess,
  ownership,
  removeSharedMemory,
  runAsOwner,
  waitUntil,
} from './postgres-server.ts';
import { findFreePort } from './tcp-proxy.ts';

export interface PatroniNode {
  readonly name: string;
  /** SIGKILL to Patroni and Postgres at once, as if their machine had died. */
  kill(): Promise<void>;
  start(): void;
  /** The same signal to all of its processes: `SIGSTOP` and `SIGCONT`. */
  signalAll(signal: NodeJS.Signals): void;
  readLog(): Promise<string>;
}

export interface PatroniCluster {
  /** Of the database `postgres`, by way of HAProxy. */
  readonly url: string;
  readonly nodes: readonly PatroniNode[];
  findPrimary(): Promise<PatroniNode>;
  findSynchronousStandby(): Promise<PatroniNode>;
  /** Resolves when there is a primary, a synchronous standby and another one that streams. */
  untilWhole(): Promise<void>;
  remove(): Promise<void>;
}

interface Ports {
  readonly postgres: number;
  readonly rest: number;
}

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

const host = '127.0.0.1';
const names = ['a', 'b', 'c'] as const;

/** As docs/how-to/postgres.md has them. */
const dcs = {
  ttl: 20,
  loop_wait: 2,
  retry_timeout: 3,
  synchronous_mode: true,
  synchronous_mode_strict: true,
};
const postgresParameters = {
  max_connections: 120,
  shared_buffers: '32MB',
  unix_socket_directories: '',
  dynamic_shared_memory_type: 'mmap',
  wal_keep_size: '512MB',
};

export async function startPatroni(): Promise<PatroniCluster> {
  const root = await runAsOwner(
    'mktemp',
    '-d',
    join(realpathSync(tmpdir()), `portcullis-rig-patroni-${process.pid}-XXXXXX`),
  );
  endWithThisProcess(root);
  const etcd = { client: await findFreePort(), peer: await findFreePort() };
  const entrance = await findFreePort();
  const places = new Map<string, Ports>();
  for (const name of names) places.set(name, { postgres: await findFreePort(), rest: await findFreePort() });

  await startEtcd(root, etcd);
  const nodes: PatroniNode[] = [];
  for (const [name, ports] of places) nodes.push(await createNode(root, name, ports, etcd.client));
  await startHaproxy(root, entrance, places);

  const ask = (rest: number, path: string) =>
    fetch(`http://${host}:${rest}${path}`, { signal: AbortSignal.timeout(1000) }).catch(() => undefined);
  /** As the primary says it: a node that stood still may not know that there is another one now. */
  async function listMembers(): Promise<readonly Member[]> {
    for (const { rest } of places.values()) {
      if ((await ask(rest, '/primary'))?.status !== 200) continue;
      const answer = await ask(rest, '/cluster');
      if (answer?.ok === true) return ((await answer.json()) as { members: Member[] }).members;
    }
    return [];
  }
  async function findNode(role: string): Promise<PatroniNode> {
    const found = (await listMembers()).find((member) => member.role === role);
    const node = nodes.find(({ name }) => name === found?.name);
    if (node === undefined) throw new Error(`There is no ${role}.`);
    return node;
  }
  async function untilWhole(): Promise<void> {
    await waitUntil('all three nodes of Patroni are well', async () => {
      const well = (await listMembers())
        .filter(({ state }) => ['running', 'streaming'].includes(state))
        .map(({ role }) => role);
      return well.toSorted().join() === 'leader,replica,sync_standby';
    });
  }
  async function remove(): Promise<void> {
    await killBelow(root);
    for (const name of names) await removeSharedMemory(join(root, name, 'data'));
    await rm(root, { recursive: true, force: true });
  }

  try {
    for (const node of nodes) node.start();
    await untilWhole();
  } catch (error) {
    const logs = await Promise.all(nodes.map((node) => node.readLog()));
    await remove();
    throw new Error(`Patroni did not start:\n${logs.map((log) => log.slice(-3000)).join('\n---\n')}`, {
      cause: error,
    });
  }
  return {
    url: `postgres://postgres@${host}:${entrance}/postgres`,
    nodes,
    findPrimary: () => findNode('leader'),
    findSynchronousStandby: () => findNode('sync_standby'),
    untilWhole,
    remove,
  };
}

async function createNode(root: string, name: string, ports: Ports, etcdPort: number): Promise<PatroniNode> {
  const folder = await makeFolder(root, name);
  const settings = join(folder, 'patroni.yml');
  const connect = `${host}:${ports.postgres}`;
  // JSON is YAML too.
  const configuration = {
    scope: 'portcullis',
    name,
    restapi: { listen: `${host}:${ports.rest}`, connect_address: `${host}:${ports.rest}` },
    etcd3: { host: `${host}:${etcdPort}` },
    bootstrap: {
      dcs: { ...dcs, postgresql: { use_pg_rewind: true, parameters: postgresParameters } },
      initdb: ['data-checksums', { encoding: 'UTF8' }, { locale: 'C.UTF-8' }],
    },
    postgresql: {
      listen: connect,
      connect_address: connect,
      data_dir: join(folder, 'data'),
      bin_dir: dirname(binary('postgres')),
      pgpass: join(folder, 'pgpass'),
      authentication: {
        superuser: { username: 'postgres' },
        replication: { username: 'replicator' },
        rewind: { username: 'postgres' },
      },
      pg_hba: [`host all all ${host}/32 trust`, `host replication all ${host}/32 trust`],
    },
  };
  await writeFile(settings, JSON.stringify(configuration));
  return {
    name,
    kill: () => killBelow(folder),
    start: () => void startIn(folder, 'patroni', settings),
    signalAll(signal) {
      for (const pid of listBelow(folder)) process.kill(pid, signal);
    },
    readLog: () => readFile(join(folder, 'log'), 'utf8').catch(() => ''),
  };
}

async function startEtcd(root: string, { client, peer }: { client: number; peer: number }): Promise<void> {
  const folder = await makeFolder(root, 'etcd');
  const [clientUrl, peerUrl] = [`http://${host}:${client}`, `http://${host}:${peer}`];
  startIn(
    folder,
    'etcd',
    `--data-dir=${join(folder, 'data')}`,
    '--name=one',
    `--listen-client-urls=${clientUrl}`,
    `--advertise-client-urls=${clientUrl}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=one=${peerUrl}`,
  );
  await waitUntil('etcd answers', () =>
    fetch(`${clientUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
}

/** With the part of docs/how-to/postgres.md. */
async function startHaproxy(root: string, port: number, places: ReadonlyMap<string, Ports>): Promise<void> {
  const folder = await makeFolder(root, 'haproxy');
  const file = join(folder, 'haproxy.cfg');
  const servers = [...places].map(
    ([name, { postgres, rest }]) => `  server ${name} ${host}:${postgres} check port ${rest}`,
  );
  await writeFile(
    file,
    `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen portcullis
  bind ${host}:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  );
  startIn(folder, '/usr/sbin/haproxy', '-db', '-f', file);
}

async function makeFolder(root: string, name: string): Promise<string> {
  const folder = join(root, name);
  await runAsOwner('mkdir', '--mode=0700', folder);
  return folder;
}

/** What it starts is known by the folder that it works in. */
function startIn(folder: string, ...command: readonly string[]): ChildProcess {
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn('setpriv', [...ownership, '--', ...command], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', HOME: folder },
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => {}).unref();
  return child;
}

function listBelow(folder: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`);
      } catch {
        return false;
      }
    });
}

async function killBelow(folder: string): Promise<void> {
  await waitUntil(`all of ${folder} is gone`, () => {
    const left = listBelow(folder);
    for (const pid of left) killProcess(pid);
    return left.length === 0;
  });
}

/** Also where the process is killed. */
function endWithThisProcess(root: string): void {
  const script = `tail --pid="$1" -f /dev/null
    for process in /proc/[0-9]*; do
      case "$(readlink "$process/cwd")/" in "$0"/*) kill -KILL "\${process#/proc/}" ;; esac
    done
    rm -rf "$0"`;
  spawn('sh', ['-c', script, root, `${process.pid}`], { cwd: '/', detached: true, stdio: 'ignore' }).unref();
}
