// A healthy system in prod: a primary with two standbys of which one may be lost, the service with a separate role, running; and
// `portcullis doctor` with its screen read back.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@portcullis/server/cluster/store/migrate.ts';
import { grantServiceRole } from '@portcullis/server/cluster/store/service-role.ts';
import { openStore } from '@portcullis/server/cluster/store/store.ts';
import { expect } from 'vitest';
import { masterKey } from '../../../../test/rig/master-key.ts';
import { type PostgresPair, startPostgresPair } from '../../../../test/rig/postgres-pair.ts';
import { type PostgresServer, startPostgresServer, waitUntil } from '../../../../test/rig/postgres-server.ts';
import { commandLine, repository } from '../../../../test/rig/start-process.ts';
import { startServer } from '../../../../test/rig/start-server.ts';
import { performAs } from '../cli/perform-command.ts';

export interface Line {
  readonly sign: string;
  readonly text: string;
  readonly remedy: string;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** By title. */
  readonly lines: ReadonlyMap<string, Line>;
}

export interface RunOptions {
  /** They win over those of the healthy system. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly words?: readonly string[];
  /** Program and words that run Node: doctor is then a process, which it is not otherwise. */
  readonly behind?: readonly string[];
}

/** By title: the sign, and what its remedy says. */
export type Faults = Readonly<Record<string, readonly ['✖' | '!', RegExp]>>;

export interface DoctorWorld {
  readonly pair: PostgresPair;
  /** The standby beside the pair's. */
  readonly otherStandby: PostgresServer;
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** As the superuser, in the service's database. */
  query(text: string, values?: readonly unknown[]): Promise<unknown[]>;
  urlOf(user: string, port?: number): string;
  run(options?: RunOptions): Promise<Ended>;
  /** Its screen before anything was planted. */
  readonly healthy: Ended;
  /** Each is green in the healthy system, and not with the fault; the exit code says whether one is red. */
  expectFaults(options: RunOptions, faults: Faults): Promise<Ended>;
  close(): Promise<void>;
}

const database = 'portcullis';
export const serviceRole = 'portcullis_service';

export async function createDoctorWorld(): Promise<DoctorWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-doctor-'));
  await mkdir(join(folder, 'anchors'));
  const pair = await startPostgresPair({ settings: { max_connections: '60' } });
  const otherStandby = await startPostgresServer({ standbyOf: pair.primary });
  await waitUntil('both standbys are connected', async () => {
    const rows = await pair.primary.query(`select from pg_stat_replication where state = 'streaming'`);
    return rows.length === 2;
  });
  const { port } = pair.primary;
  const urlOf = (user: string, at = port) => `postgres://${user}@127.0.0.1:${at}/${database}`;
  await pair.primary.query(`create database ${database}`);
  await pair.primary.query(`create role ${serviceRole} login`);
  const owner = openStore({
    url: urlOf('postgres'),
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    onConnectionLost: () => {},
  });
  await migrate(owner);
  await grantServiceRole(owner, serviceRole);
  await owner.destroy();

  const own = {
    DATABASE_URL: urlOf(serviceRole),
    AUTH_MASTER_KEY: masterKey,
    LOGGER_SPOOL_FOLDER: join(folder, 'spool'),
    LOGGER_ANCHOR_FOLDER: join(folder, 'anchors'),
  };
  const service = await startServer({
    databaseUrl: own.DATABASE_URL,
    script: commandLine,
    arguments: ['serve'],
    settings: own,
  });
  const query = (text: string, values?: readonly unknown[]) => pair.primary.query(text, values, database);
  await query('update users set password_due = false');
  const settings = {
    ...own,
    APPLICATION_PORT: `${service.port}`,
    OPS_PORT: `${service.opsPort}`,
    PATH: process.env.PATH ?? '',
    // The many starts of a suite share their compiled code.
    NODE_COMPILE_CACHE: join(tmpdir(), 'portcullis-rig-compile-cache'),
  };
  const healthy = await run(settings);
  return {
    pair,
    otherStandby,
    folder,
    settings,
    query,
    urlOf,
    run: (options) => run(settings, options),
    healthy,
    async expectFaults(options, faults) {
      const ended = await run(settings, options);
      expectFaults(faults, healthy, ended);
      return ended;
    },
    async close() {
      await service.stop();
      await otherStandby.remove();
      await pair.remove();
      await rm(folder, { recursive: true });
    },
  };
}

function expectFaults(faults: Faults, healthy: Ended, ended: Ended): void {
  for (const [title, [sign, remedy]] of Object.entries(faults)) {
    expect(healthy.lines.get(title), `${title}, without the fault`).toMatchObject({ sign: '✔', remedy: '' });
    expect(ended.lines.get(title), `${title}\n${ended.stdout}`).toMatchObject({
      sign,
      remedy: expect.stringMatching(remedy),
    });
  }
  const isWrong = Object.values(faults).some(([sign]) => sign === '✖');
  expect(ended.code, ended.stdout).toBe(isWrong ? 1 : 0);
}

async function run(
  base: Readonly<Record<string, string>>,
  { settings, words = [], behind }: RunOptions = {},
): Promise<Ended> {
  const environment = { ...base, ...settings };
  const ended =
    behind === undefined
      ? await performAs(['doctor', ...words], { environment })
      : await runBehind(behind, words, environment);
  return { ...ended, lines: readScreen(ended.stdout) };
}

function runBehind(
  behind: readonly string[],
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Omit<Ended, 'lines'>> {
  const [program = '', ...rest] = [...behind, process.execPath, commandLine, 'doctor', ...words];
  return new Promise((resolve) => {
    execFile(program, rest, { cwd: repository, env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

const opening = /^ .{10}([✔!✖-]) (.{19})(.*)$/;

function readScreen(text: string): Map<string, Line> {
  const lines = new Map<string, { sign: string; text: string; remedy: string }>();
  let current = { sign: '', text: '', remedy: '' };
  for (const line of text.split('\n')) {
    const [, sign, title = '', found = ''] = opening.exec(line) ?? [];
    if (sign === undefined) {
      const more = line.trim().replace(/^→ /, '');
      const isRemedy = current.remedy !== '' || line.trim().startsWith('→');
      if (isRemedy) current.remedy = `${current.remedy} ${more}`.trim();
      else current.text = `${current.text} ${more}`.trim();
      continue;
    }
    current = { sign, text: found, remedy: '' };
    lines.set(title.trim(), current);
  }
  return lines;
}
