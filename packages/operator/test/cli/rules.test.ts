// `portcullis rules` on a real database.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFreshDatabase, type FreshDatabase } from '../../../server/test/fresh-database.ts';
import { seedDirectory } from '../../../server/test/seed-directory.ts';
import { performCommand } from './perform-command.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate rules, audit_log, rule_history`.execute(database.store);
});

const run = (command: readonly string[], input?: string) =>
  performCommand(['rules', ...command], { url: database.url, ...(input === undefined ? {} : { input }) });
const add = (...names: string[]) =>
  database.store
    .insertInto('rules')
    .values(
      names.map((name) => {
        const [method = '', path = ''] = name.split(' ');
        return { role_id: 2, method, path };
      }),
    )
    .execute();
const stored = async () => {
  const rows = await database.store.selectFrom('rules').selectAll().orderBy('path').execute();
  return rows.map(({ method, path }) => `${method} ${path}`);
};
const recorded = async () =>
  (await database.store.selectFrom('audit_log').select('action').execute()).map(({ action }) => action);

describe('grant and revoke', () => {
  it.each([
    [['grant', 'editor', 'get', '/a'], 64, /upper case/],
    [['grant', 'editor', 'GET'], 64, /path/],
    [['grant', 'admin', 'GET', '/a'], 1, /admin may call everything/],
    [['grant', 'nobody', 'GET', '/a'], 1, /no role nobody.*role list/],
    [['revoke', 'editor', 'GET', '/a'], 1, /no such rule.*rules list --role editor/],
  ])('%j is refused with what to do, and changes nothing', async (command, code, reason) => {
    const ended = await run(command);
    expect(ended).toMatchObject({ code, stdout: '' });
    expect(ended.stderr).toMatch(reason);
    expect(await stored()).toEqual([]);
    expect(await recorded()).toEqual([]);
  });

  it('change the rule, with a record and a revision', async () => {
    const granted = await run(['grant', 'editor', 'GET', '/api/v1/orders/:id', '--json']);
    expect(granted).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(granted.stdout)).toEqual({ changed: true, revision: expect.any(Number) });
    expect((await run(['grant', 'editor', 'GET', '/api/v1/orders/:id'])).stdout).toMatch(
      /^editor may already call GET .*\.\n$/,
    );
    expect(await stored()).toEqual(['GET /api/v1/orders/:id']);
    const revoked = await run(['revoke', 'editor', 'GET', '/api/v1/orders/:id']);
    expect(revoked.stdout).toMatch(
      /^editor no longer has the rule GET .*\. Every instance enforces it \(revision \d+\)\.\n$/,
    );
    expect(await stored()).toEqual([]);
    expect(await recorded()).toEqual(['rules.change', 'rules.change']);
  });
});

describe('explain', () => {
  it.each([
    [['explain', 'GET', '/a'], 64],
    [['explain', 'GET', '/a', '--role', 'editor', '--user', 'mei'], 64],
    [['explain', 'GET', '/a', '--user', 'm'], 1],
  ])('%j is refused', async (command, code) => {
    expect(await run(command)).toMatchObject({ code, stdout: '' });
  });

  it('ends with 1 where it is refused and with 0 where it is allowed, with the rule in words', async () => {
    await add('GET /api/v1/orders/:id');
    const refused = await run(['explain', '--user', 'MEI', 'DELETE', '/api/v1/orders/7']);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^Refused\. .*GET \/api\/v1\/orders\/:id comes nearest/);
    const allowed = await run(['explain', '--role', 'editor', 'GET', '/api/v1/orders/7']);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toMatch(/^Allowed\. .*because of its rule GET \/api\/v1\/orders\/:id/);
  });
});

describe('an import', () => {
  it.each([
    [
      'a line that is no rule',
      'p, editor, /a, GET\np, editor, /b/, GET\n',
      /line 2: The path ends with "\/"/,
    ],
    ['a role that is not there', 'p, editor, /a, GET\np, nobody, /b, GET\n', /no role nobody/],
    ['the role admin', 'p, admin, /a, GET\n', /admin may call everything/],
    ['nothing', '\n', /has no rules/],
  ])('with %s is refused, and changes nothing', async (_what, text, reason) => {
    const ended = await run(['import', '-'], text);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(reason);
    expect(await stored()).toEqual([]);
  });

  it('that would take something away is not made where nobody can be asked', async () => {
    await add('GET /a', 'GET /b');
    const ended = await run(['import', '-', '--replace'], 'p, editor, /a, GET\np, editor, /c, GET\n');
    expect(ended.code).toBe(64);
    expect(ended.stderr).toMatch(/^Role +Adds +Removes +Keeps\neditor +1 +1 +1\n.*--yes/);
    expect(await stored()).toEqual(['GET /a', 'GET /b']);
  });

  it('adds what is missing and takes nothing away; a dry run only says so', async () => {
    await add('GET /b', 'GET /own');
    const text = 'roleKey,method,path\neditor,GET,/a\neditor,GET,/b\neditor,GET,/a\nformer,GET,/f\n';
    const dry = await run(['import', '-', '--role', 'editor', '--dry-run'], text);
    expect(dry.stdout).toMatch(/^Role .*\neditor +1 +0 +2\nNothing was changed\./);
    expect(await stored()).toEqual(['GET /b', 'GET /own']);
    expect((await run(['import', '-', '--role', 'editor'], text)).stdout).toMatch(
      /^Added 1 rule and removed 0,/,
    );
    expect(await stored()).toEqual(['GET /a', 'GET /b', 'GET /own']);
    expect((await run(['import', '-', '--role', 'editor'], text)).stdout).toMatch(/Nothing was changed/);
    expect(await recorded()).toEqual(['rules.change']);
  });

  it('replaces in one change, and takes more than one call holds', async () => {
    await add('GET /old');
    const lines = Array.from({ length: 1500 }, (_, index) => `p, editor, /items/${index}, GET\n`);
    const ended = await run(['import', '-', '--replace', '--yes', '--json'], lines.slice(0, 5).join(''));
    expect(JSON.parse(ended.stdout)).toMatchObject({ added: 5, removed: 1 });
    expect(await recorded()).toEqual(['rules.change']);
    expect(await run(['import', '-'], lines.join(''))).toMatchObject({ code: 0 });
    expect(await stored()).toHaveLength(1500);
  });

  it('of what was exported changes nothing, in every format', async () => {
    await add('GET /a', '* /b/*');
    for (const format of ['json', 'csv', 'casbin']) {
      const { stdout } = await run(['export', '--format', format]);
      expect((await run(['import', '-', '--replace'], stdout)).stdout).toMatch(/Nothing was changed/);
    }
  });
});

it('a comparison says what the users of a role would gain and lose', async () => {
  await add('GET /a', 'GET /b');
  const { code, stdout } = await run(['compare', '-'], 'p, editor, /a, GET\np, editor, /c, GET\n');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'editor (2 users): gains 0 and loses 0 known routes\n  + GET     /c\n  - GET     /b\n',
  });
  expect(await stored()).toEqual(['GET /a', 'GET /b']);
});

it('the history is listed, and a rollback asks first', async () => {
  await run(['grant', 'editor', 'GET', '/a']);
  const { items } = JSON.parse((await run(['history', '--role', 'editor', '--json'])).stdout);
  expect(items).toMatchObject([
    { added: { count: 1 }, by: { username: expect.stringMatching(/^command line: /) } },
  ]);
  const before = ['rollback', '--role', 'editor', String(items[0].revision)];
  await run(['revoke', 'editor', 'GET', '/a']);
  expect(await run(before)).toMatchObject({ code: 64, stdout: '' });
  expect(await stored()).toEqual([]);
  expect(await run([...before, '--yes'])).toMatchObject({ code: 0 });
  expect(await stored()).toEqual(['GET /a']);
});

it('a stored rule that is not in force is listed without its control characters, and not exported', async () => {
  await add('GET /\u001b[31m');
  expect((await run(['list'])).stdout).toContain('/?[31m');
  expect(await run(['export'])).toMatchObject({
    stdout: '[\n]\n',
    stderr: expect.stringContaining('Left out 1'),
  });
});
