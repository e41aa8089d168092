import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { countAwakeTime } from '../../../../../test/rig/awake-time.ts';
import { judgeTime } from '../../../../../test/rig/judges-times.ts';
import { startJobs } from '../../../src/base/jobs/jobs.ts';
import { signLink } from '../../../src/logs/login-log/chain.ts';
import {
  type LoginLog,
  type LoginLogOptions,
  noLoginLog,
  openLoginLog,
} from '../../../src/logs/login-log/login-log.ts';
import type { ChainedRow } from '../../../src/logs/login-log/login-row.ts';
import { openLeftBehind } from '../../../src/logs/login-log/spool/spool-reader.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { faultOf, fileHandles } from './file-handles.ts';
import { attemptWith, createLogWorld, type LogWorld } from './log-world.ts';
import { chainKey } from './rows.ts';
import { readAll } from './spool/read-all.ts';
import { useTemporaryFolder } from './temporary-folder.ts';

const folder = useTemporaryFolder();
const root = () => join(folder(), 'root');
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());

const logs: LoginLog[] = [];
beforeEach(async () => {
  for (const table of ['login_log', 'login_log_counts', 'login_log_dead_letters', 'login_log_heads'] as const)
    await database.store.deleteFrom(table).execute();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(logs.splice(0).map((log) => log.close()));
});

async function open(change: Partial<LoginLogOptions> = {}): Promise<LogWorld & { log: LoginLog }> {
  const world = createLogWorld(root(), database.store, change);
  return Object.assign(world, { log: await reopen(world) });
}
async function reopen(world: LogWorld): Promise<LoginLog> {
  const opened = await openLoginLog(world.options);
  const job = { name: 'maintain login log', every: 60_000, atStart: true, run: opened.maintain };
  const jobs = startJobs([job], {
    logger: { error: (_facts, message) => void world.failures.push(message) },
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
  });
  const log = { ...opened, close: () => jobs.close().then(opened.close) };
  logs.push(log);
  return log;
}
async function close(log: LoginLog): Promise<void> {
  logs.splice(logs.indexOf(log), 1);
  await log.close();
}
const names = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const record = (log: LoginLog, ids: readonly string[], change = {}) =>
  Promise.all(ids.map((id) => log.record(attemptWith(id, change))));
const failed = { outcome: 'failure', reason: 'credentials_wrong' } as const;

const rows = () => database.store.selectFrom('login_log').selectAll().orderBy('id').execute();
const stored = async () => (await rows()).map(({ request_id }) => request_id);
const heads = () => database.store.selectFrom('login_log_heads').selectAll().orderBy('seq').execute();
async function countAll(): Promise<number> {
  const counts = await database.store.selectFrom('login_log_counts').select('n').execute();
  return counts.reduce((sum, { n }) => sum + n, 0);
}
/** The records of every chain are there from the first on, in the order of their ids. */
async function expectWholeChains(): Promise<void> {
  const chains = Map.groupBy(await rows(), ({ chain }) => chain);
  for (const [chain, records] of chains)
    expect({ chain, seqs: records.map(({ seq }) => seq) }).toEqual({
      chain,
      seqs: records.map((_record, index) => index + 1),
    });
}
/** Records in a folder whose owner has ended. */
async function leaveBehind(ids: readonly string[]): Promise<void> {
  const world = await open();
  world.isAway = true;
  await record(world.log, ids);
  await close(world.log);
}

/** Opens a log that has looked at every folder once: the last one is gone. */
async function openAndLookRound(): Promise<LogWorld & { log: LoginLog }> {
  const last = join(root(), 'zzzzzzzz');
  await mkdir(last, { recursive: true });
  const world = await open();
  await vi.waitFor(() => expect(existsSync(last)).toBe(false), 120_000);
  return world;
}

describe('an attempt that can be stored nowhere', () => {
  it.each([['success', {}] as const, ['failure', failed] as const])(
    'is unavailable and counted as a %s',
    async (outcome, change) => {
      const world = await open();
      world.isAway = true;
      const broken = [
        vi.spyOn(fileHandles, 'datasync').mockRejectedValue(faultOf('EIO')),
        vi.spyOn(fileHandles, 'sync').mockRejectedValue(faultOf('EIO')),
      ];
      await expect(record(world.log, ['a'], change)).rejects.toMatchObject({ kind: 'unavailable' });
      expect(world.log.status().unrecorded).toEqual({ success: 0, failure: 0, [outcome]: 1 });
      for (const spy of broken) spy.mockRestore();
      world.isAway = false;
      await vi.waitFor(() => record(world.log, ['b'], change), { timeout: 120_000, interval: 100 });
      await close(world.log);
      expect(await stored()).toEqual(['b']);
    },
  );
});

describe('an attempt that the spool cannot take', () => {
  it('is stored in the database before the answer, in a separate chain', async () => {
    const { log, failures } = await open();
    await record(log, names(3, 'before '));
    const sync = vi.spyOn(fileHandles, 'datasync').mockRejectedValueOnce(faultOf('EIO'));
    await record(log, names(3, 'direct '));
    expect((await stored()).slice(-3)).toEqual(names(3, 'direct '));
    sync.mockRestore();
    await record(log, names(3, 'after '));
    await close(log);
    expect(await stored()).toEqual([...names(3, 'before '), ...names(3, 'direct '), ...names(3, 'after ')]);
    expect(new Set((await rows()).map(({ chain }) => chain)).size).toBe(3);
    await expectWholeChains();
    expect(failures).toEqual(['the spool of the login log failed']);
    expect(log.status()).toMatchObject({ unrecorded: { success: 0, failure: 0 }, spoolBytes: 0 });
  });

  it('because it has no room is reported once a minute and counted, while the database answers', async () => {
    let milliseconds = 100_000;
    const { log, failures } = await open({ maxBytes: 0, monotonic: () => milliseconds });
    await record(log, names(3, 'first '));
    milliseconds += 59_000;
    await record(log, names(2, 'second '));
    const said = 'the spool of the login log has no room; login attempts go straight to Postgres';
    expect(failures).toEqual([said]);
    milliseconds += 1000;
    await record(log, names(1, 'third '));
    expect(failures).toEqual([said, said]);
    expect(log.status()).toMatchObject({ bypassed: 6, unrecorded: { success: 0, failure: 0 } });
    expect(await stored()).toHaveLength(6);
    await close(log);
  });

  it('is in a chain whose ids grow, though a failure is refused sooner than the success before it', async () => {
    const world = createLogWorld(root(), database.store, { monotonic: () => 0 });
    // The file that is kept back can be made, the one for everybody cannot.
    const { sync } = fileHandles;
    let syncs = 0;
    vi.spyOn(fileHandles, 'sync').mockImplementation(async function (this: typeof fileHandles) {
      syncs += 1;
      await sync.call(this);
      if (syncs === 6) throw faultOf('ENOSPC');
    });
    const log = await reopen(world);
    vi.restoreAllMocks();
    vi.spyOn(fileHandles, 'datasync').mockRejectedValueOnce(faultOf('EIO'));
    await Promise.all([record(log, ['success']), record(log, ['failure'], failed)]);
    expect(await stored()).toEqual(['success', 'failure']);
    await expectWholeChains();
  });

  it('because it is full of failures: a success is still spooled, and nothing waits for the database', async () => {
    const world = await open({ maxBytes: 8 * 1024 * 1024 });
    world.isAway = true;
    const agent = { userAgent: '\u0001'.repeat(256) };
    let refused = 0;
    for (let round = 0; round < 60 && refused === 0; round += 1) {
      const attempts = names(200, `${round} `).map((id) =>
        world.log.record(attemptWith(id, { ...failed, ...agent })).catch(() => {
          refused += 1;
        }),
      );
      await Promise.all(attempts);
    }
    expect(refused).toBeGreaterThan(0);
    await record(world.log, names(300, 'success '), agent);
    expect(world.log.status().unrecorded).toEqual({ success: 0, failure: refused });
    await close(world.log);
    const [left = ''] = await readdir(root());
    const rows = (await readAll(await openLeftBehind(join(root(), left)))).map(
      (text): ChainedRow => JSON.parse(text),
    );
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_row, index) => index + 1));
    expect(rows.slice(-300).map(({ request_id }) => request_id)).toEqual(names(300, 'success '));
  });
});

describe('a record that the table rejects', () => {
  it('is set aside from the middle of 1000; the others are stored in their order', async () => {
    const poison = { browser: 'a\0b', os: undefined, platform: undefined, location: undefined };
    const fine = { ...poison, browser: undefined };
    const describeClient = ({ requestId }: { requestId: string }) => (requestId === '500' ? poison : fine);
    const world = await open({ describeClient });
    await record(world.log, names(1000));
    await close(world.log);
    expect(await stored()).toEqual(names(1000).filter((name) => name !== '500'));
    const [rejected, ...more] = await database.store
      .selectFrom('login_log_dead_letters')
      .selectAll()
      .execute();
    expect(more).toEqual([]);
    expect(rejected).toMatchObject({ seq: 501, cause: expect.stringContaining('unsupported Unicode') });
    expect(JSON.parse(String(rejected?.raw))).toMatchObject({ request_id: '500', browser: 'a\0b' });
    expect(world.log.status().deadLetters).toBe(1);
    expect(world.failures).toEqual(['a login record was put aside']);
    expect((await heads()).map(({ seq }) => seq)).toEqual([1000]);
  });
});

describe('while the database is away', () => {
  it('attempts are answered, the lag is shown, and all is stored in its order when it is back', async () => {
    const world = await open();
    const begunAt = performance.now();
    world.isAway = true;
    for (let round = 0; round < 10; round += 1) await record(world.log, names(50, `${round} `), failed);
    await vi.waitFor(() => expect(world.failures).toHaveLength(1), 120_000);
    world.ahead = 60_000;
    const { lagMilliseconds, spoolBytes } = world.log.status();
    expect(lagMilliseconds).toBeGreaterThanOrEqual(60_000);
    expect(lagMilliseconds).toBeLessThan(60_100 + performance.now() - begunAt);
    expect(spoolBytes).toBeGreaterThan(100_000);
    world.isAway = false;
    await vi.waitFor(async () => expect(await countAll()).toBe(500), 120_000);
    await expect.poll(() => world.log.status()).toMatchObject({ lagMilliseconds: 0, spoolBytes: 0 });
    expect(await stored()).toEqual(names(10).flatMap((round) => names(50, `${round} `)));
    await expectWholeChains();
  });
});

describe('left-over records', () => {
  it('of a killed process are stored by the next start, completely and once', async () => {
    const script = fileURLToPath(new URL('killed-log.ts', import.meta.url));
    const child = spawn(process.execPath, [script, root()], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    await close((await openAndLookRound()).log);
    expect(await stored(), 'a living process keeps its own').toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { log } = await open();
    await vi.waitFor(async () => expect(await countAll()).toBe(100), 120_000);
    await close(log);
    expect(await stored()).toEqual(names(100));
    await expectWholeChains();
    expect((await heads()).map(({ seq }) => seq)).toEqual([100]);
    expect(await readdir(root())).toEqual([]);
  });

  it('are not stored or counted again when they were stored already', async () => {
    await leaveBehind(names(200));
    const [left = ''] = await readdir(root());
    await cp(join(root(), left), join(folder(), 'copy'), {
      recursive: true,
      filter: (path) => !path.endsWith('owner'),
    });
    for (let times = 0; times < 3; times += 1) {
      await close((await openAndLookRound()).log);
      await cp(join(folder(), 'copy'), join(root(), '00000000'), { recursive: true });
    }
    expect(await stored()).toEqual(names(200));
    expect(await countAll()).toBe(200);
  });

  it('are claimed by two processes that start at once, and stored once; neither fails', async () => {
    for (const prefix of ['a', 'b', 'c']) await leaveBehind(names(400, prefix));
    const [one, other] = await Promise.all([open(), open()]);
    await vi.waitFor(async () => expect(await countAll()).toBe(1200), 120_000);
    await Promise.all([close(one.log), close(other.log)]);
    expect((await stored()).toSorted()).toEqual(
      ['a', 'b', 'c'].flatMap((each) => names(400, each)).toSorted(),
    );
    expect([...one.failures, ...other.failures]).toEqual([]);
    expect(await readdir(root())).toEqual([]);
    await expectWholeChains();
  });

  it('stay in place for the next process when this one is stopped', async () => {
    await leaveBehind(names(10));
    const world = createLogWorld(root(), database.store);
    world.isAway = true;
    const log = await reopen(world);
    await vi.waitFor(() => expect(world.failures).toHaveLength(1), 120_000);
    await close(log);
    expect(await stored()).toEqual([]);
    expect(await readdir(root())).toHaveLength(1);
    await close((await openAndLookRound()).log);
    expect(await stored()).toEqual(names(10));
  });

  it('are not claimed from a live instance', async () => {
    const world = await open();
    world.isAway = true;
    await record(world.log, names(10));
    await close((await openAndLookRound()).log);
    expect(await stored()).toEqual([]);
    world.isAway = false;
    await close(world.log);
    expect(await stored()).toEqual(names(10));
  });

  it('of another program stay untouched', async () => {
    const first = await open();
    await writeFile(join(root(), 'a file'), '');
    await close(first.log);
    const { log, failures } = await openAndLookRound();
    await close(log);
    expect(failures).toEqual([]);
    expect(await readdir(root())).toEqual(['a file']);
  });
});

describe('closing', () => {
  it('without the database ends soon and keeps everything for the next start', async () => {
    const world = await open();
    world.isAway = true;
    await record(world.log, names(1500));
    const readTime = countAwakeTime();
    await close(world.log);
    judgeTime('Closing without the database', readTime(), 5000);
    expect(await stored()).toEqual([]);
    const { log } = await open();
    await vi.waitFor(async () => expect(await countAll()).toBe(1500), 120_000);
    await close(log);
    expect(await stored()).toEqual(names(1500));
    expect(await readdir(root())).toEqual([]);
  });

  it('with the database stores all, signs the end of the chain, and leaves no folder', async () => {
    const { log } = await open();
    await record(log, names(1234));
    await close(log);
    expect(await stored()).toEqual(names(1234));
    expect(await readdir(root())).toEqual([]);
    const last = (await rows()).at(-1);
    const { chain, seq, hash, signature } = (await heads()).at(-1) ?? {};
    expect({ chain, seq, hash }).toEqual({ chain: last?.chain, seq: 1234, hash: last?.hash });
    const link = { seq: 1234, hash: hash ?? Buffer.alloc(0) };
    expect(signature).toEqual(signLink(chainKey, chain ?? '', link, 'head'));
  });

  it('of a log that recorded nothing leaves nothing', async () => {
    const { log } = await open();
    await close(log);
    expect([await readdir(root()), await stored(), await heads()]).toEqual([[], [], []]);
  });

  it('keeps what it answered while it was under way', async () => {
    const { log, options } = await open();
    const { write } = options.heads;
    const answered: string[] = [];
    // The heads are written last.
    options.heads.write = async () => {
      const id = `late ${answered.length}`;
      await record(log, [id]);
      answered.push(id);
      await write();
    };
    await close(log);
    options.heads.write = write;
    expect(answered.length).toBeGreaterThan(0);
    await close((await openAndLookRound()).log);
    expect(await stored()).toEqual(answered);
  });

  it('refuses an attempt that comes after it', async () => {
    const world = await open();
    await close(world.log);
    world.isAway = true;
    await expect(record(world.log, ['late'])).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the login log', () => {
  it('is not opened where there can be no folder', async () => {
    await writeFile(root(), 'a file');
    await expect(open()).rejects.toMatchObject({ code: 'EEXIST' });
    await rm(root());
  });

  it('reports failed attempts, and no others', async () => {
    const { log, failedAttempts } = await open();
    await record(log, ['success']);
    await record(log, ['failure'], failed);
    expect(failedAttempts).toEqual(['failure']);
  });

  it('stores ids in the order of the attempts, though the clock is set back', async () => {
    const world = await open();
    for (let round = 0; round < 20; round += 1) {
      world.ahead = round * -60_000;
      await record(world.log, names(5, `${round} `));
    }
    await close(world.log);
    expect(await stored()).toEqual(names(20).flatMap((round) => names(5, `${round} `)));
    await expectWholeChains();
  });

  it('that is off does nothing', async () => {
    await noLoginLog.record(attemptWith('a'));
    await noLoginLog.close();
    expect(noLoginLog.status()).toMatchObject({ lagMilliseconds: 0, spoolBytes: 0 });
  });
});
