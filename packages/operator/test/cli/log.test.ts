// `portcullis log` on a real database.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseMasterKey } from '@portcullis/server/base/settings/master-key.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { insertAgo, insertAudit } from '../../../server/test/logs/audit/audit-world.ts';
import { insertTexts, rowWith, writeChain } from '../../../server/test/logs/login-log/write-chain.ts';
import { performCommand } from './perform-command.ts';
import { masterKey, runCommand } from './run-command.ts';

const records = 30;
let database: FreshDatabase;
let folder: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  const times = Array.from({ length: records }, (_, index) => Date.now() - 60_000 + index);
  await writeChain(database.store, { key: chainKey(), times });
  await insertAgo(database.store, 30);
  for (const target of ['user 8', 'role 2']) await insertAudit(database.store, { target });
  folder = await mkdtemp(join(tmpdir(), 'log-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

function chainKey(): Buffer {
  const parsed = parseMasterKey(masterKey, true);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.chain;
}
const run = (...command: string[]) => performCommand(['log', ...command], { url: database.url });

// A process takes a second to start, and many where others use the machine.
vi.setConfig({ testTimeout: 600_000 });

it.each([
  [['list', '--from', 'yesterday'], /--from.*24h/],
  [['list', '--limit', '101'], /1 to 100/],
  [['list', '--outcome', 'perhaps'], /success, failure/],
  [['list', '--ip', 'localhost'], /--ip.*192\.0\.2\.0\/24/],
  [['verify', '--anchor', '/nowhere/head.json'], /ENOENT.*Check its name/],
  [['verify', '--anchor', 'http://192.0.2.1/heads'], /HTTPS only/],
])('%j is wrong usage', async (command, reason) => {
  const { code, stdout, stderr } = await run(...command);
  expect({ code, stdout }).toEqual({ code: 64, stdout: '' });
  expect(stderr).toMatch(reason);
});

describe('a record', () => {
  it('is listed where it fits the filters, newest first', async () => {
    const { code, stdout } = await run('list', '--user', 'user3', '--from', '1h', '--outcome', 'success');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^At +Outcome +Reason .*\n\S+ \S+Z +success +ok +user3 .*Firefox on Linux\n$/);
    const { items } = JSON.parse((await run('list', '--limit', '2', '--json')).stdout);
    expect(items.map(({ requestId }: { requestId: string }) => requestId)).toEqual(['r-29', 'r-28']);
    expect((await run('list', '--to', '1h')).stdout).toBe('There are no such records.\n');
  });

  it('is exported as CSV, or as JSON lines', async () => {
    const csv = await run('export', '--outcome', 'success');
    expect(csv.stdout.trimEnd().split('\r\n')).toHaveLength(1 + records / 3);
    expect(csv.stderr).toBe('');
    const json = await run('export', '--json');
    const items = json.stdout.trimEnd().split('\n');
    expect(items.map((line) => JSON.parse(line).requestId)).toHaveLength(records);
  });

  it('is followed as it comes, until Ctrl-C, which is no failure', async () => {
    const store = async () => {
      while (isFollowing) {
        await insertTexts(database.store, [JSON.stringify(rowWith({ username: 'eve\u001b[31m' }))]);
        await sleep(200);
      }
    };
    let isFollowing = true;
    const onStdout = (_text: string, interrupt: () => void) => {
      isFollowing = false;
      interrupt();
    };
    const tail = runCommand(['log', 'tail', '--json'], { url: database.url, onStdout });
    const [{ code, stdout }] = await Promise.all([tail, store()]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ username: 'eve\u001b[31m' });
    await database.store.deleteFrom('login_log').where('username', '=', 'eve\u001b[31m').execute();
  });
});

describe('the evidence', () => {
  const whole = /^Login log: 30 records of 1 chain,.*\nAudit log: 3 records\..*\n/;

  it('reports with exit code 3 that the log is not anchored where no head was kept', async () => {
    const verified = await run('verify');
    expect(verified).toMatchObject({ code: 3, stderr: '' });
    expect(verified.stdout).toMatch(whole);
    expect(verified.stdout).toContain('Not anchored');
    expect(verified.stdout).not.toContain('Nothing was changed');
  });

  it('verifies against what was kept: a file, a folder of them, an address', async () => {
    const kept = join(folder, 'kept');
    await mkdir(kept);
    const file = join(kept, 'head.json');
    const { stdout: text } = await run('head');
    await writeFile(file, text);
    const served = createServer((_request, response) => void response.end(text)).listen(0, '127.0.0.1');
    await once(served, 'listening');
    const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}/`;
    for (const place of [file, kept, address]) {
      const verified = await run('verify', '--anchor', place);
      expect(verified).toMatchObject({ code: 0, stderr: '' });
      expect(verified.stdout).toMatch(/\nNothing was changed, removed or reordered\.\n$/);
    }
    served.close();
    served.closeAllConnections();
    await writeFile(join(kept, 'other.json'), '{}');
    expect(await run('verify', '--anchor', kept)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Left out 1 file'),
    });
    await writeFile(join(kept, '.hidden.json'), '{}');
    await writeFile(join(kept, 'notes.txt'), 'none');
    expect((await run('verify', '--anchor', kept)).stderr).toContain('Left out 1 file');
    await writeFile(file, '{}');
    expect(await run('verify', '--anchor', file)).toMatchObject({ code: 78, stdout: '' });
  });

  it('takes no anchor of another database', async () => {
    const file = join(folder, 'other-database.json');
    await writeFile(file, (await run('head')).stdout);
    const { rows } = await sql<{ id: string }>`select id from deployment`.execute(database.store);
    await sql`update deployment set id = gen_random_uuid()`.execute(database.store);
    const ended = await run('verify', '--anchor', file);
    await sql`update deployment set id = ${rows[0]?.id}`.execute(database.store);
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toContain('was kept of the logs of another database');
  });

  it('takes no anchor from an address that answers with a failure', async () => {
    const { stdout: text } = await run('head');
    const served = createServer((_request, response) => void response.writeHead(500).end(text));
    served.listen(0, '127.0.0.1');
    await once(served, 'listening');
    const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}/`;
    const ended = await run('verify', '--anchor', address);
    served.close();
    served.closeAllConnections();
    expect(ended).toMatchObject({ code: 69, stdout: '', stderr: expect.stringContaining('it answered 500') });
  });

  it('leaves out a head that neither master key signed, and says so', async () => {
    const { stderr } = await run('head');
    expect(stderr).toBe('');
    const chain = randomUUID();
    await sql`insert into login_log_heads (chain, seq, hash, signature) values (${chain}, 1, 'hash', 'none')`.execute(
      database.store,
    );
    const { stdout, stderr: said } = await run('head');
    await sql`delete from login_log_heads where chain = ${chain}`.execute(database.store);
    expect(said).toBe('Left out 1 head that neither master key signed. Run `log verify`.\n');
    expect(stdout).not.toContain(chain);
  });

  it('follows no redirect to an anchor', async () => {
    const served = createServer(
      (_request, response) => void response.writeHead(302, { location: '/b' }).end(),
    );
    served.listen(0, '127.0.0.1');
    await once(served, 'listening');
    const address = `http://127.0.0.1:${(served.address() as AddressInfo).port}/a`;
    expect(await run('verify', '--anchor', address)).toMatchObject({ code: 69, stdout: '' });
    served.close();
  });

  it('is kept up to date', async () => {
    const { code, stdout } = await run('maintain', '--json');
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 0,
      isDone: true,
      done: ['Deleted 0 older heads.'],
    });
  });

  it('tells the role of the service that maintenance needs the owner of the tables', async () => {
    const role = `portcullis_rig_${randomBytes(6).toString('hex')}`;
    await sql`create role ${sql.id(role)} login`.execute(database.store);
    try {
      expect(await performCommand(['migrate', '--service-role', role], { url: database.url })).toMatchObject({
        code: 0,
      });
      const url = new URL(database.url);
      url.username = role;
      const ended = await performCommand(['log', 'maintain'], { url: url.href });
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(
        /\(42501\)\. Run .*`portcullis log maintain` as the owner of the tables\./,
      );
      expect(ended.stderr).not.toContain('error 42501');
    } finally {
      await sql`drop owned by ${sql.id(role)}`.execute(database.store);
      await sql`drop role ${sql.id(role)}`.execute(database.store);
    }
  });

  it('sweeps old months of the audit log, and verifies what is left', async () => {
    const file = join(folder, 'before.json');
    await writeFile(file, (await run('head')).stdout);
    const environment = { LOGGER_AUDIT_RETENTION_MONTHS: '12' };
    const maintain = () => performCommand(['log', 'maintain'], { url: database.url, environment });
    expect(await maintain()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Swept \d{4}-\d\d of the audit log: 1 records\.$/m),
    });
    expect((await maintain()).stdout).not.toContain('Swept');
    const { code, stdout } = await run('verify', '--anchor', file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nAudit log: 2 records; 1 from before \d{4}-\d\d-01 were swept\. /);
  });

  it('reports under another master key that the previous one is missing, and still ends with 1', async () => {
    const environment = { AUTH_MASTER_KEY: 'd'.repeat(30).padStart(64, '0123456789abcdef') };
    const { code, stdout } = await performCommand(['log', 'verify'], { url: database.url, environment });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /All of them would also be seen after a change of the master key: .*`auth\.previousMasterKey`/,
    );
  });

  it('names a missing record, and ends with 1', async () => {
    await database.store.deleteFrom('login_log').where('request_id', '=', 'r-7').execute();
    const { code, stdout } = await run('verify', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).problems).toMatchObject([{ seq: 8, what: 'removed' }]);
    expect((await run('verify')).stdout).not.toContain('master key');
  });

  it('names a record of the audit log that was changed, and which log it is of', async () => {
    await sql`update audit_log set target = 'user 9' where target = 'role 2'`.execute(database.store);
    const { code, stdout } = await run('verify');
    expect(code).toBe(1);
    expect(stdout).toMatch(/Audit log: record 3 \([0-9a-f-]{36}\) was changed/);
  });
});
