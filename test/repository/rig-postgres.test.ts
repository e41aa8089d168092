// The rig's own Postgres servers die, recover and fail over as the tests on them rely on.
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../rig/postgres-pair.ts';
import { type PostgresServer, startPostgresServer } from '../rig/postgres-server.ts';

const removing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const remove of removing) await remove();
});

const note = (text: string) => `insert into notes values ('${text}')`;
const readNotes = async (server: PostgresServer) =>
  (await server.query<{ text: string }>('select text from notes order by text')).map(({ text }) => text);

async function writeOnce(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}

describe('a server', () => {
  it('has what was committed after each way to end it', async () => {
    const server = await startPostgresServer({ settings: { max_connections: '40' } });
    removing.push(server.remove);
    expect(await server.query('show max_connections')).toEqual([{ max_connections: '40' }]);
    expect(await server.query('show fsync')).toEqual([{ fsync: 'on' }]);
    await server.query('create table notes (text text)');
    for (const end of ['kill', 'stopImmediate', 'stopFast'] as const) {
      await server.query(note(end));
      await server[end]();
      expect(server.pid).toBeUndefined();
      await expect(server.query('select')).rejects.toThrow('ECONNREFUSED');
      await server.start();
    }
    expect(await readNotes(server)).toEqual(['kill', 'stopFast', 'stopImmediate']);
  });

  it('says why it does not start', async () => {
    await expect(startPostgresServer({ settings: { max_connections: 'many' } })).rejects.toThrow(
      'max_connections',
    );
  });

  it('ends a busy session when it is killed', async () => {
    const server = await startPostgresServer();
    removing.push(server.remove);
    const busy = server.query('select count(*) from generate_series(1, 1e10)').catch(() => 'cut');
    await expect
      .poll(() => server.query(`select from pg_stat_activity where query like 'select count%series%'`))
      .toHaveLength(1);
    await server.kill();
    expect(await busy).toBe('cut');
  });
});

describe('a pair', () => {
  async function startPair(): Promise<PostgresPair> {
    const pair = await startPostgresPair();
    removing.push(pair.remove);
    await pair.primary.query('create table notes (text text)');
    return pair;
  }

  it('keeps every commit over a fail-over, twice, behind one URL', async () => {
    const pair = await startPair();
    const client = new pg.Client(pair.url());
    let lost: Error | undefined;
    client.on('error', (error) => {
      lost = error;
    });
    await client.connect();
    await client.query(note('a'));
    await pair.failOver();
    await expect.poll(() => lost).toBeDefined();
    await expect(pair.failOver()).rejects.toThrow('rebuild it first');
    await writeOnce(pair.url(), note('b'));
    await pair.rebuildStandby();
    await pair.failOver();
    await writeOnce(pair.url(), note('c'));
    expect(await readNotes(pair.primary)).toEqual(['a', 'b', 'c']);
  });

  it('does not acknowledge a commit that the standby lacks', async () => {
    const pair = await startPair();
    await pair.standby?.kill();
    let acknowledged = false;
    const commit = pair.primary.query(note('a')).then(
      () => {
        acknowledged = true;
      },
      () => 'cut',
    );
    await expect
      .poll(() => pair.primary.query(`select from pg_stat_activity where wait_event = 'SyncRep'`))
      .toHaveLength(1);
    expect(acknowledged).toBe(false);
    await pair.standby?.start();
    await commit;
    expect(acknowledged).toBe(true);
  });
});
