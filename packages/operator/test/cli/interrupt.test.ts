// Ctrl-C, at a real process on a real database: nothing is ever half done, and the command prints the state.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { runCommand } from './run-command.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });
const patience = { timeout: 100_000 };

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const isEnabled = async (id: number) =>
  (await database.store.selectFrom('users').select('enabled').where('id', '=', id).executeTakeFirstOrThrow())
    .enabled;

async function countWaiting(): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(database.store);
  return rows[0]?.n ?? 0;
}

it('rolls back what is not stored yet', async () => {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('begin; select from users where id = 7 for update');
  const onStart = async (interrupt: () => void) => {
    await expect.poll(countWaiting, patience).toBe(1);
    interrupt();
  };
  const ended = await runCommand(['user', 'disable', 'mei'], {
    url: database.url,
    onStart: (interrupt) => void onStart(interrupt),
  });
  await holder.end();
  expect(ended).toEqual({ code: 130, stdout: '', stderr: 'Interrupted. Nothing is half done.\n' });
  await expect.poll(countWaiting, patience).toBe(0);
  expect(await isEnabled(7)).toBe(true);
  expect(await database.store.selectFrom('audit_log').select('id').execute()).toEqual([]);
});

it('says that a change is stored while it waits for the instances', async () => {
  // One that never reports, with a lease that outlasts the test.
  await sql`insert into instances (id, version, mode, revision) values (gen_random_uuid(), '', '', 0)`.execute(
    database.store,
  );
  await sql`update current_revision set lease_milliseconds = 600000, settled_in = database_incarnation()`.execute(
    database.store,
  );
  const ended = await runCommand(['user', 'disable', 'kim'], {
    url: database.url,
    onStderr: (text, interrupt) => {
      if (text.includes('Waiting for every instance')) interrupt();
    },
  });
  expect(ended).toMatchObject({ code: 130, stdout: '' });
  expect(ended.stderr).toMatch(/Interrupted\. It is stored, and the instances will apply it\.\n$/);
  expect(await isEnabled(8)).toBe(false);
});
