// From an empty database to a running service, and what is tried without one.
import { findFreePort } from '../rig/tcp-proxy.ts';
import { expect } from './expect.ts';
import { type Case, hold, type Scene, simple } from './scene.ts';
import { waitUntil } from './terminal.ts';

const countTables = async ({ world }: Scene) => {
  const [row] = await world.database.query<{ n: number }>(
    "select count(*)::int as n from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
  );
  return row?.n;
};

/** The last migration waits for this name, which another transaction holds. */
async function interruptMigration(scene: Scene): Promise<void> {
  const { terminal } = scene;
  const free = await hold(scene, 'create table audit_log (id int)');
  await terminal.start('portcullis migrate');
  await terminal.waitFor(/Applying 0009/);
  await terminal.press('C-c');
  const { code } = await terminal.ended();
  await free();
  // The server's side of the connection ends when its statement does.
  await waitUntil('The end of its transaction', async () => (await countBackends(scene)) === 0 || undefined);
  expect(code === 130, `it ended with ${code}`);
  expect((await countTables(scene)) === 0, 'tables were left');
}

async function countBackends({ world }: Scene): Promise<number> {
  const [row] = await world.database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
  );
  return row?.n ?? 0;
}

/** It stays up for the cases after it. */
async function startService({ service, world }: Scene): Promise<void> {
  await service.start('portcullis serve');
  const ready = /^\{.*"msg":"ready".*\}$/m;
  const text = await service.waitFor(ready);
  const { port } = JSON.parse(ready.exec(text)?.[0] ?? '{}') as { port?: number };
  const [, password = ''] = /^ +admin {2}(\S+)$/m.exec(text) ?? [];
  expect(port !== undefined && password !== '', `neither port nor password are in:\n${text}`);
  world.logIn = async (username, given = password) => {
    await fetch(`http://127.0.0.1:${port}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: given }),
    });
  };
  await world.logIn('admin');
  await world.logIn('mallory', 'wrong');
}

async function stopService({ service }: Scene): Promise<void> {
  await service.press('C-c');
  const { code } = await service.ended();
  expect(code === 0, `it ended with ${code}`);
}

async function tryDemo({ terminal }: Scene): Promise<void> {
  // Another demo can have the usual port.
  await terminal.start(`portcullis demo --port ${await findFreePort()}`);
  const text = await terminal.waitFor(/\/console\/[\s\S]*curl[\s\S]*explain/);
  expect(/http:\/\/127\.0\.0\.1:\d+/.test(text), `there is no address in:\n${text}`);
  await terminal.press('C-c');
  const { code } = await terminal.ended();
  expect(code === 0, `it ended with ${code}`);
}

async function tryDoctor(scene: Scene): Promise<void> {
  await scene.terminal.start('portcullis doctor');
  const { code, text } = await scene.terminal.ended();
  expect(code === 0 || code === 1, `it ended with ${code}:\n${text}`);
  expect(/postgres +✔/.test(text), `Postgres is not in:\n${text}`);
}

export const setupCases: readonly Case[] = [
  { command: 'migrate', title: 'leaves nothing half done at Ctrl-C', run: interruptMigration },
  simple('migrate', 'says what it would do', 'migrate --dry-run', { sees: /Would apply 0009/ }),
  simple('rules list', 'says that tables are missing', 'rules list', { code: 1, sees: /portcullis migrate/ }),
  simple('migrate', 'makes the tables', 'migrate', { sees: /Applied 0009/ }),
  { command: 'serve', title: 'shows the first password once, and serves', run: startService },
  { command: 'doctor', title: 'runs every check', run: tryDoctor },
  simple('config print', 'shows no secret', 'config print | grep -i masterkey', {
    sees: /^(?!.*[0-9a-f]{64})/,
  }),
  simple('config schema', 'is JSON', 'config schema | head -c 20', { sees: /^\{/ }),
  simple('completion', 'writes a script', 'completion bash | head -5', { sees: /portcullis/ }),
];

export const closingCases: readonly Case[] = [
  simple('calibrate', 'measures', 'calibrate --seconds 1', { sees: /recommend/i }),
  simple('self-test', 'says that there is no answer', 'self-test --gateway http://127.0.0.1:1', {
    code: 2,
    sees: /The gateway does not answer\./,
  }),
  { command: 'serve', title: 'ends with Ctrl-C', run: stopService },
  { command: 'demo', title: 'shows its box and ends with Ctrl-C', run: tryDemo },
];
