// The restore of docs/how-to/backup.md, step by step: the loss is noticed, no user is let in because of it, and
// the recovery brings the service back. What each step took is printed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { captchaAnswer, solveCaptcha } from '../rig/captcha.ts';
import { createDatabase, type Database, migrate } from '../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { masterKey } from '../rig/master-key.ts';
import { note } from '../rig/notes.ts';
import { binary } from '../rig/postgres-server.ts';
import { password, seed } from '../rig/seed.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import type { Case } from './case.ts';

const run = promisify(execFile);

export const restoreDrill: Case = {
  title: 'a backup is restored as the guide says: the loss is noticed, and a recovery ends every session',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'drill-'));
    const database = await createDatabase({ migrated: true });
    const started: Server[] = [];
    try {
      await seed(database);
      await drill(database, folder, started);
    } finally {
      for (const server of started) await server.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    }
  },
};

async function drill(database: Database, folder: string, started: Server[]): Promise<void> {
  const start = async (host: string, anchors = '') => {
    const server = await startServer({
      databaseUrl: database.url,
      settings: {
        APPLICATION_MODE: 'prod',
        LOGGER_SPOOL_FOLDER: join(folder, host),
        LOGGER_ANCHOR_FOLDER: anchors,
      },
    });
    started.push(server);
    return server;
  };
  const dump = join(folder, 'portcullis.dump');
  const anchors = await mkdtemp(join(folder, 'anchors-'));
  const before = await start('host', anchors);
  const client = createHttpClient(before.port, { remembers: false, resends: true });
  const ended = await logIn(client, database);
  const left = await logIn(client, database);
  await timed('back up', () => run(binary('pg_dump'), ['--format=custom', `--file=${dump}`, database.url]));
  const loggedOut = await client.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(ended) });
  assert.equal(loggedOut.body.code, 200);
  assert.equal((await identityOf(client, ended)).code, 401);
  await logIn(client, database);
  // 1. Stop all instances.
  client.close();
  await before.stop();
  // 2. and 3. Restore, migrate.
  await timed('restore', () => restore(database.url, dump));
  await timed('migrate', () => migrate(database.url));
  // The warning of the guide: the host with the newer revision refuses to start, and then no instance starts.
  await timed('a start is refused', async () => {
    for (const host of ['host', 'another'])
      await assert.rejects(start(host), /portcullis recover/, `The start on ${host} was not refused.`);
  });
  assert.equal((await examine(database, folder)).get('history'), 'wrong');
  // 4. Recover.
  await timed('recover', () => command(database, folder, 'recover', '--yes'));
  assert.equal((await examine(database, folder)).get('history'), 'well');
  // 5. Start.
  const after = await timed('start', () => start('host'));
  const again = createHttpClient(after.port, { remembers: false, resends: true });
  assert.equal((await identityOf(again, ended)).code, 401, 'The token that was logged out lives again.');
  assert.equal((await identityOf(again, left)).code, 401, 'A session of before was not ended.');
  const fresh = await logIn(again, database);
  assert.equal((await identityOf(again, fresh)).code, 200);
  again.close();
  await after.stop();
  const verified = await timed('verify the logs', () =>
    command(database, folder, 'log', 'verify', '--anchor', anchors),
  );
  assert.match(verified, /record \d+ was removed/, 'What the backup lacks was not named.');
  console.log(
    '       lost: a logout and a login after the backup; noticed: by the host; refused: two starts',
  );
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`       ${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function logIn(client: HttpClient, database: Database): Promise<string> {
  const uuid = String((await client.send({ path: '/api/v1/getCaptcha' })).body.id);
  await solveCaptcha(database, uuid);
  const body = { username: 'ada', password, uuid, code: captchaAnswer };
  const answer = await client.send({ method: 'POST', path: '/api/v1/login', body });
  assert.equal(answer.body.code, 200, answer.text);
  return String(answer.body.token);
}

async function identityOf(client: HttpClient, token: string): Promise<{ code?: unknown }> {
  return (await client.send({ path: '/api/v1/getinfo', headers: bearer(token) })).body;
}

/** Into a separate database, which then takes the place of the other. */
async function restore(url: string, dump: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const restored = `${name}_restored`;
  const urlOf = (database: string) => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const admin = new pg.Client({ connectionString: urlOf('postgres') });
  await admin.connect();
  try {
    await admin.query(`create database ${restored} template template0`);
    await run(binary('pg_restore'), [`--dbname=${urlOf(restored)}`, dump]);
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`alter database ${restored} rename to ${name}`);
  } finally {
    await admin.end();
  }
}

async function command(database: Database, folder: string, ...words: string[]): Promise<string> {
  const process = startProcess({
    script: commandLine,
    arguments: words,
    environment: {
      DATABASE_URL: database.url,
      AUTH_MASTER_KEY: masterKey,
      LOGGER_SPOOL_FOLDER: join(folder, 'host'),
    },
  });
  const code = await process.exited;
  assert.ok(
    code === 0 || words.includes('doctor') || words.includes('--anchor'),
    `${words.join(' ')} ended with ${code}:\n${process.output}`,
  );
  return process.output;
}

/** In a whole suite. */
const mostRetried = 6;

/** Of doctor's checks: what each found, by its id. Where the machine was too slow for one of them, it is asked again. */
async function examine(database: Database, folder: string, tries = 5): Promise<ReadonlyMap<string, string>> {
  const text = await command(database, folder, 'doctor', '--json');
  if (tries > 1 && text.includes('no answer within')) {
    note('retried', 'a run of doctor in which a check had no answer in time', mostRetried);
    return await examine(database, folder, tries - 1);
  }
  const report = JSON.parse(text) as { checks: { id: string; status: string }[] };
  return new Map(report.checks.map(({ id, status }) => [id, status]));
}
