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
    [['revoke', 'admin', 'GET', '/a'], 1, /admin may call everything/],
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
    expect(await recorded()).toEqual(['rules.update', 'rules.update']);
  });
});

describe('a rule for a while', () => {
  const temporary = async () =>
    await database.store
      .selectFrom('temporary_rules')
      .select(['role_id', 'method', 'path', sql<number>`extract(epoch from ends_at - now())::int`.as('left')])
      .execute();
  beforeEach(async () => {
    await sql`truncate temporary_rules`.execute(database.store);
  });

  it.each([
    [['--for', '0h'], 64, /30m, 8h or 3d/],
    [['--for', '8'], 64, /30m, 8h or 3d/],
    [['--for', '1w'], 64, /30m, 8h or 3d/],
    [['--for', '32d'], 64, /31d at most/],
  ])('with %j is refused with what to do', async (words, code, reason) => {
    const ended = await run(['grant', 'editor', 'GET', '/a', ...words]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(reason) });
    expect(await temporary()).toEqual([]);
  });

  it('is refused for admin', async () => {
    const ended = await run(['grant', 'admin', 'GET', '/a', '--for', '8h']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/admin may call everything/);
    expect(await temporary()).toEqual([]);
  });

  it.each([
    ['30m', 1800],
    ['8h', 28_800],
    ['31d', 2_678_400],
  ])('of %s ends then, and is revoked', async (time, seconds) => {
    await run(['grant', 'editor', 'GET', '/other', '--for', '1h']);
    const { stdout } = await run(['grant', 'editor', 'GET', '/a', '--for', time, '--json']);
    const { changed, endsAt } = JSON.parse(stdout);
    expect(changed).toBe(true);
    const isNear = (left: number) => left <= seconds && left > seconds - 600;
    expect((Date.parse(endsAt) - Date.now()) / 1000).toSatisfy((left: number) => isNear(left - 1));
    const [rule] = (await temporary()).filter(({ path }) => path === '/a');
    expect(rule).toMatchObject({ role_id: 2, method: 'GET', left: expect.toSatisfy(isNear) });
    expect((await run(['revoke', 'editor', 'GET', '/a'])).stdout).toMatch(
      /^editor no longer has the rule GET \/a\./,
    );
    expect(await temporary()).toMatchObject([{ path: '/other' }]);
    expect(await recorded()).toEqual(Array(3).fill('rules.temporary'));
  });

  it('is revoked with the lasting one of the same call', async () => {
    await run(['grant', 'editor', 'GET', '/a', '--for', '8h']);
    await run(['grant', 'editor', 'GET', '/a']);
    expect(await run(['revoke', 'editor', 'GET', '/a'])).toMatchObject({ code: 0 });
    expect([await temporary(), await stored()]).toEqual([[], []]);
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

  it('that removes rules is refused without a terminal for the question', async () => {
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
    expect(await recorded()).toEqual(['rules.update']);
  });

  it('replaces in one change, and takes more than one call holds', async () => {
    await add('GET /old');
    const lines = Array.from({ length: 1500 }, (_, index) => `p, editor, /items/${index}, GET\n`);
    const ended = await run(['import', '-', '--replace', '--yes', '--json'], lines.slice(0, 5).join(''));
    expect(JSON.parse(ended.stdout)).toMatchObject({ added: 5, removed: 1 });
    expect(await recorded()).toEqual(['rules.update']);
    expect(await run(['import', '-'], lines.join(''))).toMatchObject({ code: 0 });
    expect(await stored()).toHaveLength(1500);
  });

  it('says which rules allow less than in casbin, and no others', async () => {
    const narrow = Array.from({ length: 12 }, (_, index) => `p, editor, /items/${index}, *\n`);
    const ended = await run(['import', '-'], `p, editor, /a, GET\n${narrow.slice(0, 1).join('')}`);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.stderr).toMatch(/^These allow less than in casbin:\n {2}line 2: .*seven methods\.\n$/);
    const many = await run(['import', '-'], narrow.join(''));
    expect(many.stderr.split('\n')).toHaveLength(1 + 10 + 1 + 1);
    expect(many.stderr).toMatch(/\n {2}line 10: .*\n {2}\.\.\. and 2 more\n$/);
    const ten = await run(['import', '-'], narrow.slice(0, 10).join(''));
    expect(ten.stderr).not.toContain('more');
    expect((await run(['import', '-'], 'roleKey,method,path\neditor,*,/b\n')).stderr).toBe('');
  });

  it('of one role reports a file without rules of that role', async () => {
    const ended = await run(['import', '-', '--role', 'former'], 'p, editor, /a, GET\n');
    expect(ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Nothing was changed: - has no rules of former.\n',
    });
    expect(await stored()).toEqual([]);
  });

  it('that is confirmed shows no plan', async () => {
    await add('GET /a');
    const ended = await run(['import', '-', '--replace', '--yes'], 'p, editor, /c, GET\n');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(await stored()).toEqual(['GET /c']);
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

describe('a comparison', () => {
  it('of the same rules says so', async () => {
    await add('GET /a');
    expect((await run(['compare', '-'], 'p, editor, /a, GET\n')).stdout).toBe(
      'The roles have exactly these rules.\n',
    );
  });

  it('of rules that allow the same says so', async () => {
    await add('GET /a/*', 'GET /a/b');
    expect((await run(['compare', '-'], 'p, editor, /a/*, GET\n')).stdout).toMatch(
      /\n {2}The differences change nothing about what is allowed\.\n$/,
    );
  });

  it('of many rules shows twenty, of a role without users', async () => {
    const lines = Array.from({ length: 21 }, (_, index) => `p, former, /items/${index}, GET\n`);
    const twenty = await run(['compare', '-'], lines.slice(0, 20).join(''));
    expect(twenty.stdout.match(/^ {2}\+ /gm)).toHaveLength(20);
    expect(twenty.stdout).not.toContain('more');
    const { stdout } = await run(['compare', '-'], lines.join(''));
    expect(stdout).toMatch(/^former \(no user has it\): gains /);
    expect(stdout.match(/^ {2}\+ /gm)).toHaveLength(20);
    expect(stdout).toMatch(/\n {2}\.\.\. and 1 more; --json shows all\n$/);
  });

  it('of more rules than a call holds is refused', async () => {
    const lines = Array.from({ length: 1001 }, (_, index) => `p, editor, /items/${index}, GET\n`);
    const ended = await run(['compare', '-'], lines.join(''));
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toContain('editor differs by 1,001 rules, and 1,000 can be compared');
  });
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
