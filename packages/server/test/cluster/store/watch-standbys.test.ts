// Whether a lost primary would cost acknowledged changes, on a real primary with its standby.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type PostgresPair, startPostgresPair } from '../../../../../test/rig/postgres-pair.ts';
import { waitUntil } from '../../../../../test/rig/postgres-server.ts';
import { openStore, type Store } from '../../../src/cluster/store/store.ts';
import { type StandbyWatch, watchStandbys } from '../../../src/cluster/store/watch-standbys.ts';

let pair: PostgresPair;
const stores: Store[] = [];
let lines: string[] = [];
const logger = {
  info: (text: string) => void lines.push(`info ${text}`),
  warn: (text: string) => void lines.push(`warn ${text}`),
} as unknown as Parameters<typeof watchStandbys>[0]['logger'];

function open(user: string): Store {
  const url = pair.primary.url().replace('postgres@', `${user}@`);
  const store = openStore({ url, poolSize: 1, onConnectionLost: () => {} });
  stores.push(store);
  return store;
}
const watch = (store: Store, isExpected = true) => watchStandbys({ store, isExpected, logger });

/** Resolves when the server has read it. */
async function setNames(names: string): Promise<void> {
  await pair.primary.query(`alter system set synchronous_standby_names = '${names}'`);
  await pair.primary.query('select pg_reload_conf()');
  const wanted = names === '' ? 'async' : 'sync';
  await waitUntil(`the standby is ${wanted}`, async () => {
    const rows = await pair.primary.query(`select from pg_stat_replication where sync_state = '${wanted}'`);
    return rows.length === 1;
  });
}
async function lookUntil(watched: StandbyWatch, synchronous: number): Promise<void> {
  await waitUntil(`${synchronous} are seen`, async () => {
    await watched.check();
    return watched.synchronous === synchronous;
  });
}

beforeAll(async () => {
  pair = await startPostgresPair();
  await pair.primary.query('create role somebody login');
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  for (const store of stores) await store.destroy();
  await pair.remove();
});

it('says nothing where a standby has every change, also to a role that may not see which', async () => {
  for (const user of ['postgres', 'somebody'])
    expect(await watch(open(user))).toMatchObject({ synchronous: 1 });
  expect(lines).toEqual([]);
});

it('warns once without a synchronous standby, with a remedy, and reports when one is back', async () => {
  await setNames('');
  const watched = await watch(open('somebody'));
  await watched.check();
  expect(watched.synchronous).toBe(0);
  expect(lines).toEqual([expect.stringMatching(/^warn no synchronous standby: .*`database\.durability`/)]);
  await setNames('*');
  await lookUntil(watched, 1);
  expect(lines.slice(1)).toEqual(['info changes wait for a synchronous standby again']);
  await setNames('');
  await lookUntil(watched, 0);
  expect(lines.slice(2)).toEqual([expect.stringMatching(/^warn no synchronous standby/)]);
  await setNames('*');
});

it('counts none where commits do not wait', async () => {
  await pair.primary.query('alter role somebody set synchronous_commit = local');
  expect(await watch(open('somebody'))).toMatchObject({ synchronous: 0 });
  expect(lines).toEqual([expect.stringContaining('synchronous_commit = on')]);
  await pair.primary.query('alter role somebody reset all');
});

it('says nothing where none is expected', async () => {
  await setNames('');
  expect(await watch(open('somebody'), false)).toMatchObject({ synchronous: 0 });
  expect(lines).toEqual([]);
  await setNames('*');
});

it('reports that every change waits where the listed standby is down', async () => {
  await pair.standby?.stopFast();
  expect(await watch(open('somebody'))).toMatchObject({ synchronous: 0 });
  expect(lines).toEqual([expect.stringMatching(/^warn no standby .* every change waits/)]);
  await pair.standby?.start();
});

it('names the remedy where there is neither a standby nor a list', async () => {
  await pair.standby?.stopFast();
  await pair.primary.query("alter system set synchronous_standby_names = ''");
  await pair.primary.query('select pg_reload_conf()');
  await waitUntil('the list is empty', async () => {
    const rows = await pair.primary.query("select current_setting('synchronous_standby_names') as names");
    return rows.every(({ names }) => names === '');
  });
  expect(await watch(open('somebody'))).toMatchObject({ synchronous: 0 });
  expect(lines).toEqual([expect.stringMatching(/^warn no synchronous standby: /)]);
  await pair.standby?.start();
});
