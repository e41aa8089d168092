// A start on a database that has forgotten what this host knows is refused, and shuts the gate for all others too.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Config } from '../../src/base/settings/config.ts';
import { readHistory } from '../../src/cluster/lost-history-store.ts';
import { readCurrentRevision, restartHistory, writeRevision } from '../../src/cluster/revision-store.ts';
import { composeHostMemory } from '../../src/compose/host-memory.ts';
import { createFreshDatabase, type FreshDatabase } from '../fresh-database.ts';

let database: FreshDatabase;
let spoolFolder: string;
beforeAll(async () => {
  database = await createFreshDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  // A disk is given up after a quarter of a second: a machine that stands still for so long has one that works.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  spoolFolder = await mkdtemp(join(tmpdir(), 'host-memory-'));
  await recover();
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(spoolFolder, { recursive: true, force: true });
});

const start = (loginLogEnabled = true) =>
  composeHostMemory({
    store: database.store,
    config: { loginLogEnabled, loginLog: { spoolFolder } } as unknown as Config,
    logger: pino({ level: 'silent' }),
  });
const recover = () => database.store.transaction().execute(restartHistory);
const write = () => database.store.transaction().execute((transaction) => writeRevision(transaction, []));
const isLatched = async () => (await readHistory(database.store, { n: -1, mark: '' })).lostAt !== undefined;

/** Keeps the newest revision, as a report does. */
async function keepNewest(): Promise<number> {
  const revision = await readCurrentRevision(database.store);
  await (await start())?.keep(revision);
  return revision.n;
}

/** As a restored backup that does not have the newest revision. */
async function loseNewest(n: number): Promise<void> {
  await database.store.deleteFrom('revisions').where('n', '=', n).execute();
  await sql`
    update current_revision set n = revisions.n, mark = revisions.mark from revisions where revisions.n = ${n - 1}
  `.execute(database.store);
}

it('starts on a history that continues the one the host knows', async () => {
  await keepNewest();
  await start();
  await write();
  await start();
  expect(await isLatched()).toBe(false);
});

it.each(['is behind', 'has used the number again', 'has gone on since'])(
  'refuses a start where the database %s, until a recovery',
  async (what) => {
    await write();
    const n = await keepNewest();
    await loseNewest(n);
    if (what !== 'is behind') await write();
    if (what === 'has gone on since') await write();
    await expect(start()).rejects.toThrow(/Run `portcullis recover`.*docs\/how-to\/backup\.md/);
    expect(await isLatched()).toBe(true);
    await recover();
    await start();
    expect(await isLatched()).toBe(false);
  },
);

it('a folder that cannot be read is refused with what to do', async () => {
  await start();
  const [folder = ''] = await readdir(spoolFolder);
  await writeFile(join(spoolFolder, folder, 'strange'), '');
  await expect(start()).rejects.toThrow(/"strange" is not of this program.*portcullis recover/);
  expect(await isLatched()).toBe(false);
});

it('without a login log nothing is kept on the host', async () => {
  expect(await start(false)).toBeUndefined();
  expect(await readdir(spoolFolder)).toEqual([]);
});
