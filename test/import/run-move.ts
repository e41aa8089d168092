// One move from one kind of database, with what must hold after each step.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { errorTable } from '@portcullis/contract';
import { hashSync } from 'bcryptjs';
import { createSourceDatabase } from '../../packages/operator/test/go-admin/source-database.ts';
import type { Dialect } from '../../packages/operator/test/go-admin/source-schema.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { createHttpClient } from '../rig/http-client.ts';
import { isJudged } from '../rig/judges-times.ts';
import { password, seed } from '../rig/seed.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings, type Server, startServer } from '../rig/start-server.ts';
import { clerk, makeCompany, misfits, type Size } from './make-company.ts';

interface Step {
  readonly name: string;
  readonly problem?: string;
}

const limits = { seconds: 60, mebibytes: 500 };
const isSoon = (seconds: number) => !isJudged('the time of an import') || seconds < limits.seconds;

export async function* runMove(dialect: Dialect, size: Size): AsyncGenerator<Step> {
  const database = await createDatabase({ migrated: true });
  const source = await createSourceDatabase(dialect, 'current');
  await seed(database);
  const server = await startServer({ databaseUrl: database.url, settings: { APPLICATION_MODE: 'dev' } });
  try {
    // As Go writes it.
    const passwordHash = hashSync(password, 10).replace('$2b$', '$2a$');
    await source.insert(makeCompany(size, passwordHash));
    await source.insert({
      ...misfits,
      sys_user: (misfits.sys_user ?? []).map((user) => ({
        password: passwordHash,
        nick_name: 'Misfit',
        ...user,
      })),
    });
    const before = await countAll(database);
    const run = (...words: string[]) => move(database, source.url, words);

    const trial = await run('--dry-run');
    yield step(`a trial changes nothing (${trial.told})`, before, await countAll(database));

    await interrupt(database, source.url);
    yield step('Ctrl-C in the middle leaves nothing', before, await countAll(database));

    const first = await run('--yes');
    yield step(`it is told the same as the trial (${first.told})`, trial.counts, first.counts);
    // The two of one name are both left out.
    const users = size.users - 1;
    yield step(
      'everything is there',
      {
        users: before.users + users,
        roles: before.roles + size.roles - 1,
        rules: before.rules + size.rules + 1,
        departments: before.departments + 500,
        revision: before.revision + 1,
      },
      await countAll(database),
    );
    yield step(`within ${limits.seconds} s`, true, isSoon(first.seconds));
    yield step(`within ${limits.mebibytes} MiB of memory`, true, first.mebibytes < limits.mebibytes);

    const after = await countAll(database);
    const second = await run('--yes');
    yield step(`a second run doubles nothing (${second.told})`, after, await countAll(database));
    yield step(`and takes no longer than ${limits.seconds} s`, true, isSoon(second.seconds));
    await untilEnforced(server, after.revision);
    yield* logInAtInstance(database, server);
  } finally {
    await server.stop();
    await source.drop();
    await database.drop();
  }
}

function step(name: string, expected: unknown, found: unknown): Step {
  if (isDeepStrictEqual(expected, found)) return { name };
  return { name, problem: `expected ${JSON.stringify(expected)}\n   found ${JSON.stringify(found)}` };
}

function start(database: Database, url: string, words: readonly string[]) {
  return startProcess({
    script: commandLine,
    arguments: ['import', 'go-admin', '--json', ...words],
    environment: { ...baseSettings(database.url), GO_ADMIN_DATABASE_URL: url },
  });
}

async function move(database: Database, url: string, words: readonly string[]) {
  const startedAt = performance.now();
  const process = start(database, url, words);
  let ended = false;
  const exited = process.exited.then((code) => {
    ended = true;
    return code;
  });
  let mebibytes = 0;
  while (!ended) {
    mebibytes = Math.max(mebibytes, readPeakMebibytes(process.pid));
    await Promise.race([setTimeout(100), exited]);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const line = process.output.split('\n').find((text) => text.startsWith('{'));
  if ((await exited) !== 0 || line === undefined) throw new Error(`The import failed:\n${process.output}`);
  const { revision, isDryRun, ...counts } = JSON.parse(line) as Record<string, unknown>;
  return { counts, seconds, mebibytes, told: `${seconds.toFixed(1)} s, ${mebibytes} MiB` };
}

/** The most that the process has held so far; 0 when it is over. Linux only. */
function readPeakMebibytes(pid: number): number {
  try {
    const [, kibibytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Math.round(Number(kibibytes) / 1024);
  } catch {
    return 0;
  }
}

/** When all users are inserted and the first rules are to be. */
async function interrupt(database: Database, url: string): Promise<void> {
  const release = await database.lock('rules', { readersPass: true });
  const process = start(database, url, ['--yes']);
  let ended = false;
  void process.exited.then(() => {
    ended = true;
  });
  while ((await database.countWaiting('rules')) === 0) {
    if (ended) throw new Error(`The import ended before it came to the rules:\n${process.output}`);
    await setTimeout(50);
  }
  process.signal('SIGINT');
  await process.exited;
  await release();
}

async function countAll(database: Database) {
  const [row] = await database.query<
    Record<'users' | 'roles' | 'rules' | 'departments' | 'revision', number>
  >(
    `select (select count(*)::int from users) as users, (select count(*)::int from roles) as roles,
      (select count(*)::int from rules) as rules, (select count(*)::int from departments) as departments,
      (select n::int from current_revision) as revision`,
  );
  if (row === undefined) throw new Error('Nothing was counted.');
  return row;
}

/** A change that gives waits for no instance: the instances have it a moment later. */
async function untilEnforced({ opsPort }: Server, revision: number): Promise<void> {
  for (let enforced = -1; enforced < revision; await setTimeout(50)) {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
    enforced = Number(/^portcullis_revision_enforced (\d+)$/m.exec(text)?.[1] ?? -1);
  }
}

/** The instance ran all the time. */
async function* logInAtInstance(database: Database, { port }: Server): AsyncGenerator<Step> {
  const client = createHttpClient(port, { remembers: false, resends: true });
  const hashOf = async () => {
    const [user] = await database.query<{ hash: string }>(
      'select substr(password_hash, 1, 7) as hash from users where username = $1',
      [clerk],
    );
    return user?.hash;
  };
  yield step('the hash is the old one', '$2a$10$', await hashOf());
  const body = { username: clerk, password };
  const login = await client.send({ method: 'POST', path: '/api/v1/login', body });
  yield step('a moved user logs in with the old password', 200, login.body.code);
  yield step('and has a new hash', '$argon2', await hashOf());
  const headers = { authorization: `Bearer ${login.body.token}` };
  const listed = await client.send({ path: '/api/v1/orders', headers });
  yield step('the running instance allows what the rules allow', 200, listed.body.code);
  const removed = await client.send({ method: 'DELETE', path: '/api/v1/orders/7', headers });
  yield step('and nothing else', errorTable.permission_denied.text.en, removed.body.msg);
  client.close();
}
