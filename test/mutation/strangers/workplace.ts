// Where a worker tries faults: a copy of one commit in a separate folder, with a Postgres in memory that is its own too,
// because a fault in a migration makes another template for its databases.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { linkInstalled } from '../copy-tree.ts';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ended {
  readonly output: string;
  /** By the time limit. */
  readonly isLate: boolean;
}

export interface Workplace {
  /** The tree. */
  readonly copy: string;
  run(words: readonly string[], limitMilliseconds: number): Promise<Ended>;
  /** Takes away what interrupted tests left in Postgres. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export async function openWorkplace(commit: string): Promise<Workplace> {
  const folder = mkdtempSync(join(tmpdir(), 'strangers-'));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const [copy, temporary] = [join(folder, 'tree'), join(folder, 'tmp')];
  mkdirSync(copy);
  mkdirSync(temporary);
  // Some tests run a command as another user.
  chmodSync(folder, 0o755);
  chmodSync(temporary, 0o1777);
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 });
  execFileSync('tar', ['-x', '-C', copy], { input: archive });
  linkInstalled(root, copy);
  const postgres = await startPostgres();
  const environment = {
    ...process.env,
    PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
    TMPDIR: temporary,
    NODE_COMPILE_CACHE: join(temporary, 'compile-cache'),
    PORTCULLIS_TEST_DATABASE_URL: postgres.url,
    // Faults are in sources, and so are times of a machine that has other work.
    PORTCULLIS_TEST_BUNDLES: '',
    CI: 'true',
  };
  return {
    copy,
    run: (words, limitMilliseconds) => runGroup(words, { cwd: copy, env: environment }, limitMilliseconds),
    tidy: () => dropDatabases(postgres.url),
    async close() {
      await postgres.stop();
      removeFolder();
      process.off('exit', removeFolder);
    },
  };
}

async function startPostgres() {
  const env = { ...process.env, TMPDIR: existsSync('/dev/shm') ? '/dev/shm' : tmpdir() };
  const script = join(root, 'test/rig/postgres-in-memory.ts');
  const child = spawn(process.execPath, [script], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    url,
    async stop() {
      // It ends with its input, and so with this process however that ends.
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}

async function dropDatabases(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    const { rows } = await admin.query<{ datname: string }>(
      "select datname from pg_database where datname like 'portcullis\\_rig\\_%'",
    );
    for (const { datname } of rows) await admin.query(`drop database if exists ${datname} with (force)`);
  } finally {
    await admin.end();
  }
}

/** In a separate group: what tests start ends with them. */
async function runGroup(
  [program = '', ...words]: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  limitMilliseconds: number,
): Promise<Ended> {
  const child = spawn(program, words, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const end = () => killGroup(child.pid);
  process.prependOnceListener('exit', end);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, limitMilliseconds);
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  try {
    // Not `close`: what tests have left behind keeps the pipes open.
    await once(child, 'exit');
    end();
    return { output, isLate };
  } finally {
    clearTimeout(timer);
    process.off('exit', end);
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
