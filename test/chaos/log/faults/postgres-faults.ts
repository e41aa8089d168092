// What can be wrong with Postgres while people log in (F10): it dies, takes no writes, or takes no connections.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresServer } from '../../../rig/postgres-server.ts';
import type { LogFault, LogFaultFrame } from './frame.ts';

export const postgresFaults: readonly LogFault[] = [
  { name: 'killed', run: killTwice },
  { name: 'read-only', run: makeReadOnly },
  { name: 'out of connections', run: takeConnections },
];

async function killTwice({ postgres, seconds, relieve }: LogFaultFrame): Promise<void> {
  await postgres.kill();
  await postgres.start();
  await sleep((seconds * 1000) / 2);
  await postgres.kill();
  await sleep((seconds * 1000) / 2);
  await relieve(() => postgres.start());
}

async function makeReadOnly({ postgres, seconds, book, until, relieve }: LogFaultFrame): Promise<void> {
  await postgres.query('alter system set default_transaction_read_only = on');
  await postgres.query('select pg_reload_conf()');
  await sleep(seconds * 1000);
  await until(() => (book.countReasons().unavailable ?? 0) > 0, 'a login is answered with unavailable');
  await relieve(async () => {
    await postgres.query('alter system reset default_transaction_read_only');
    await postgres.query('select pg_reload_conf()');
  });
}

async function takeConnections(frame: LogFaultFrame): Promise<void> {
  const { postgres, seconds, book, relieve } = frame;
  const held: pg.Client[] = [];
  const giveBack = async () => void (await Promise.all(held.map((client) => client.end())));
  const until = performance.now() + seconds * 1000;
  const isTold = () => (book.countReasons().unavailable ?? 0) > 0;
  await frame.until(async () => {
    while (await holdOne(postgres, held));
    // Those of the service end, and the first new connections take their place.
    await held[0]?.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'portcullis'`,
    );
    return performance.now() >= until && isTold();
  }, 'a login is answered with unavailable');
  await relieve(giveBack);
}

/** False where there is none left. */
async function holdOne(postgres: PostgresServer, held: pg.Client[]): Promise<boolean> {
  const client = new pg.Client({ connectionString: postgres.url() });
  client.on('error', () => {});
  try {
    await client.connect();
    held.push(client);
    return true;
  } catch {
    return false;
  }
}
