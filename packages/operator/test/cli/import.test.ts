// `portcullis import go-admin`: what it refuses, how it is told where go-admin is, and how it ends.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { createSourceDatabase, type SourceDatabase } from '../go-admin/source-database.ts';
import { shippedRows } from '../go-admin/source-schema.ts';
import { performCommand } from './perform-command.ts';
import { runCommand } from './run-command.ts';

let database: FreshDatabase;
let source: SourceDatabase;
let folder: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  source = await createSourceDatabase('mysql', 'current');
  await source.insert(shippedRows('current'));
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});
afterAll(async () => {
  await database.drop();
  await source.drop();
  await rm(folder, { recursive: true });
});

interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly databaseUrl?: string;
}
async function run(words: readonly string[], given: Given = {}) {
  const { databaseUrl = database.url, ...rest } = given;
  return await performCommand(['import', 'go-admin', ...words], { url: databaseUrl, ...rest });
}
const withUrl = (url: string): Given => ({ environment: { GO_ADMIN_DATABASE_URL: url } });
const countUsers = async () => (await database.store.selectFrom('users').select('id').execute()).length;

describe('it ends with a reason and changes nothing', () => {
  const secret = 'hunter2-secret';
  it.each([
    ['without the address of go-admin', {}, 64, /Give --from-file with a file/],
    [
      "of go-admin's own form of the URL",
      withUrl(`root:${secret}@tcp(127.0.0.1:3306)/db`),
      1,
      /mysql:\/\/user/,
    ],
    ['of another scheme', withUrl(`sqlite://${secret}`), 1, /not the URL of a database/],
    [
      'where nothing listens',
      withUrl(`mysql://root:${secret}@127.0.0.1:1/x`),
      69,
      /does not answer \(ECONNREFUSED/,
    ],
    [
      'of Postgres where nothing listens',
      withUrl(`postgres://root:${secret}@127.0.0.1:1/x`),
      69,
      /ECONNREFUSED/,
    ],
    ['of a wrong password', withUrl(`mysql://nobody:${secret}@127.0.0.1:3306/x`), 69, /ACCESS_DENIED/],
    [
      'of a database that is no go-admin',
      withUrl('postgres://postgres@127.0.0.1:5432/postgres'),
      1,
      /no table/,
    ],
  ])('%s', async (_what, given, code, reason) => {
    const ended = await run(['--yes'], given);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) });
    expect(ended.stderr).not.toContain(secret);
    expect(await countUsers()).toBe(0);
  });

  it('without the driver of MySQL', async () => {
    const hooks = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        if (name === 'mysql2') throw Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(name, context);
      } });`;
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hooks)}`;
    const ended = await runCommand(['import', 'go-admin', '--yes'], {
      url: database.url,
      environment: { GO_ADMIN_DATABASE_URL: source.url, NODE_OPTIONS },
    });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Run `npm install mysql2`') });
  });

  it('without a terminal for the question and without --yes', async () => {
    const ended = await run([], withUrl(source.url));
    expect(ended).toMatchObject({ code: 64, stderr: expect.stringContaining('give --yes') });
    expect(await countUsers()).toBe(0);
  });

  it.each([['old'], ['Boss=admin'], ['admin=boss']])('of --role %s', async (role) => {
    expect(await run(['--yes', '--role', role], withUrl(source.url))).toMatchObject({ code: 64 });
    expect(await countUsers()).toBe(0);
  });

  it('where two tables hold rules, until an option names one', async () => {
    const both = await createSourceDatabase('postgres', 'current');
    try {
      await both.insert({ sys_casbin_rule: [{ ptype: 'p', v0: 'a', v1: '/a', v2: 'GET' }] });
      await both.run('create table casbin_rule as select * from sys_casbin_rule');
      expect(await run(['--dry-run'], withUrl(both.url))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--rules-table'),
      });
      const told = await run(['--dry-run', '--json', '--rules-table', 'casbin_rule'], withUrl(both.url));
      expect(JSON.parse(told.stdout)).toMatchObject({
        source: { kind: 'Postgres', rulesTable: 'casbin_rule' },
      });
    } finally {
      await both.drop();
    }
  });

  it('into a database without tables', async () => {
    const empty = await createFreshDatabase({ migrated: false });
    try {
      const ended = await run(['--yes'], { ...withUrl(source.url), databaseUrl: empty.url });
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('portcullis migrate') });
    } finally {
      await empty.drop();
    }
  });
});

describe('where go-admin is', () => {
  it('comes from a file or from standard input', async () => {
    const file = join(folder, 'url.txt');
    await writeFile(file, `${source.url}\n`);
    const fromFile = await run(['--dry-run', '--from-file', file]);
    expect(fromFile.code).toBe(0);
    expect(fromFile.stdout).toMatch(/\nNothing was changed\. Leave out --dry-run to import\.\n$/);
    const fromInput = await run(['--dry-run', '--from-file', '-'], { input: source.url });
    expect(fromInput).toEqual(fromFile);
    expect(await countUsers()).toBe(0);
  });
});

it('the report goes to stdout, and --strict ends with 1 where something did not fit', async () => {
  const ended = await run(['--yes', '--strict'], withUrl(source.url));
  expect(ended.code).toBe(1);
  expect(ended.stdout).toMatch(/^go-admin +Read +Imported/);
  expect(ended.stdout).toContain('Imported differently: 1 user. The password is the one that go-admin ships');
  expect(ended.stdout).toContain('No administrator is left');
  expect(ended.stderr).toContain('Something did not fit');
  expect(await countUsers()).toBe(1);
  const again = await run(['--yes', '--json'], withUrl(source.url));
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ users: { read: 1, imported: 0, thereAlready: 1 } });
});

it('the help fits a screen', async () => {
  const { stdout } = await run(['--help']);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(24);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});
