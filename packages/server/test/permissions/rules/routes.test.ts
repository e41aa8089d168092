import { AppError, type Caller } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createYielding } from '../../../src/base/values/yielding.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { ruleRoutes } from '../../../src/permissions/rules/routes.ts';
import { changeRules, listAllRules, lockRole } from '../../../src/permissions/rules/rule-store.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
let mayTouch: boolean;
/** What the caller's role may do, as `METHOD /path`. */
let mayDo: readonly string[];

beforeAll(async () => {
  database = await createFreshDatabase();
  access = createAccessStandIn(database.store);
  const routes = ruleRoutes({
    store: database.store,
    access,
    recordChange: createRecordChange(),
    checkRules: async (_transaction, { roleKey }, _roleId, rules) => {
      const isWithin = rules.every(({ method, path }) => mayDo.includes(`${method} ${path}`));
      if (!mayTouch || (roleKey !== 'admin' && !isWithin)) throw new AppError('exceeds_own_permissions');
    },
    turns: createYielding({ monotonic: () => performance.now() }),
    compareRoutes: () => Promise.reject(new Error('Not asked for here.')),
    countUsers: () => Promise.reject(new Error('Not asked for here.')),
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(database.store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  for (const table of ['rules', 'rule_history', 'audit_log'] as const)
    await database.store.deleteFrom(table).execute();
  access.takeWritten();
  caller = administrator;
  mayTouch = true;
  mayDo = [];
});

const rule = (text: string) => {
  const [method = '', path = ''] = text.split(' ');
  return { method, path };
};
const change = (add: string[], remove: string[] = [], id = 2) =>
  served.send('POST', `/roles/${id}/rules`, { add: add.map(rule), remove: remove.map(rule) });
const added = (text: string) => ({ kind: 'rule_added', roleKey: 'editor', ...rule(text) });
const removed = (text: string) => ({ kind: 'rule_removed', roleKey: 'editor', ...rule(text) });
async function stored(): Promise<string[]> {
  const all: string[] = [];
  for await (const page of listAllRules(database.store))
    all.push(...page.map(({ roleKey, method, path }) => `${roleKey} ${method} ${path}`));
  return all;
}
const many = (count: number) => Array.from({ length: count }, (_, index) => `GET /many/${index}`);

describe('a change of rules', () => {
  it.each([
    ['no rule at all', { add: [], remove: [] }],
    ['neither list', {}],
    ['more than 1000 rules in all', { add: many(600).map(rule), remove: many(1001).slice(600).map(rule) }],
    ['the same rule on both lists', { add: [rule('GET /a')], remove: [rule('GET /a')] }],
    ['a rule without a method', { add: [{ path: '/a' }] }],
    ['NUL in a path', { remove: [{ method: 'GET', path: '/a\0' }] }],
    ['a list that is none', { add: 'GET /a' }],
    ['the id of a role', { add: [rule('GET /a')], roleId: 3 }],
    ['a rule of another role', { add: [{ ...rule('GET /a'), roleKey: 'former' }] }],
    ['a revision that is none', { add: [rule('GET /a')], ifRevision: -1 }],
  ])('with %s is answered with 400', async (_what, body) => {
    expect(await served.send('POST', '/roles/2/rules', body)).toMatchObject({ status: 200, code: 400 });
    expect(access.takeWritten()).toEqual([]);
  });

  it.each(['get /a', 'TRACE /a', 'GET a', 'GET /a/', 'GET /a//b', 'GET /*/b', 'GET /(.*)', 'GET /../a'])(
    'that adds %s is answered with 400, and adds no other rule either',
    async (text) => {
      expect(await change(['GET /good', text])).toMatchObject({ code: 400 });
      expect(await stored()).toEqual([]);
    },
  );

  it('of a role that does not exist is answered with 404', async () => {
    expect(await change(['GET /a'], [], 99)).toMatchObject({ code: 404 });
    expect(await change([], ['GET /a'], 99)).toMatchObject({ code: 404 });
  });

  it('of admin is answered with 409', async () => {
    expect(await change(['GET /a'], [], 1)).toMatchObject({ code: 409 });
    expect(await change([], ['GET /a'], 1)).toMatchObject({ code: 409 });
    expect(await stored()).toEqual([]);
  });

  it('of a role that the caller may not touch is refused, even where it only takes away', async () => {
    await change(['GET /a']);
    mayTouch = false;
    expect(await change([], ['GET /a'])).toMatchObject({ code: 401 });
    expect(await stored()).toEqual(['editor GET /a']);
  });

  it('by a caller who is not admin adds and removes only rules that the caller’s role covers', async () => {
    await change(['GET /a']);
    caller = { ...administrator, roleId: 3, roleKey: 'former' };
    mayDo = ['GET /b'];
    expect(await change(['GET /b', 'GET /c'])).toMatchObject({ code: 401 });
    expect(await change(['GET /b'], ['GET /a'])).toMatchObject({ code: 401 });
    expect(await stored()).toEqual(['editor GET /a']);
    mayDo = ['GET /a', 'GET /b'];
    expect(await change(['GET /b'], ['GET /a'])).toMatchObject({ code: 200 });
    expect(await stored()).toEqual(['editor GET /b']);
  });

  it('on an older revision of the role is answered with 409, and one on the newest is made', async () => {
    const { revision = 0 } = await change(['GET /a']);
    await change(['GET /other'], [], 3);
    const draft = (text: string, ifRevision: number) =>
      served.send('POST', '/roles/2/rules', { add: [rule(text)], ifRevision });
    expect(await draft('GET /b', revision - 1)).toMatchObject({ code: 409 });
    expect(await draft('GET /b', revision)).toMatchObject({ code: 200 });
    expect(await draft('GET /c', revision)).toMatchObject({ code: 409 });
    expect(await stored()).toEqual(['editor GET /a', 'editor GET /b', 'former GET /other']);
  });

  it('on the revision that the list shows is made', async () => {
    for (const text of ['GET /a', 'GET /b', 'GET /c']) {
      const { data } = await served.send('GET', '/roles/2/rules');
      const { revision: ifRevision } = data as { revision: number };
      const answer = await served.send('POST', '/roles/2/rules', { add: [rule(text)], ifRevision });
      expect(answer).toMatchObject({ code: 200 });
      expect(answer.revision).toBeGreaterThan(ifRevision);
    }
  });

  it('is recorded with the rules that were really added and removed, and is not recorded when nothing changed', async () => {
    await change(['GET /a', 'GET /b']);
    await change(['GET /c', 'GET /b'], ['GET /a', 'GET /gone']);
    await change(['GET /b']);
    const rows = await database.store.selectFrom('audit_log').selectAll().orderBy('id').execute();
    expect(rows.slice(1)).toMatchObject([
      {
        action: 'rules.update',
        target: 'role 2',
        actor_name: 'root',
        before: { removed: { count: 1, items: [rule('GET /a')] } },
        after: { added: { count: 1, items: [rule('GET /c')] } },
      },
    ]);
  });

  it('that only adds gives', async () => {
    expect(await change(['GET /a', '* /b/*', 'GET /a'])).toMatchObject({
      code: 200,
      data: null,
      revision: expect.any(Number),
    });
    expect(access.takeWritten()).toEqual([
      ['give', expect.arrayContaining([added('GET /a'), added('* /b/*')])],
    ]);
    expect(await stored()).toEqual(['editor GET /a', 'editor * /b/*']);
  });

  it('that removes waits for every instance, and is one revision with what it adds', async () => {
    const first = await change(['GET /a', 'GET /b']);
    access.takeWritten();
    const second = await change(['GET /c'], ['GET /a']);
    expect(second.revision).toBe((first.revision ?? 0) + 1);
    expect(access.takeWritten()).toEqual([['takeAway', [removed('GET /a'), added('GET /c')]]]);
    expect(await stored()).toEqual(['editor GET /b', 'editor GET /c']);
  });

  it('names only what was really added and removed', async () => {
    await change(['GET /a', 'GET /b']);
    access.takeWritten();
    await change(['GET /b', 'GET /c'], ['GET /gone', 'POST /a']);
    await change(['GET /b']);
    await change([], ['GET /gone']);
    expect(access.takeWritten()).toEqual([
      ['takeAway', [added('GET /c')]],
      ['give', []],
      ['takeAway', []],
    ]);
  });

  it('leaves the same rule of another role alone', async () => {
    await change(['GET /a']);
    await change(['GET /a'], [], 3);
    await change([], ['GET /a']);
    expect(await stored()).toEqual(['former GET /a']);
  });

  it('can remove a stored rule that does not parse', async () => {
    const bad = { role_id: 2, method: 'get', path: '/(.*)' };
    await database.store.insertInto('rules').values(bad).execute();
    await change([], ['get /(.*)']);
    expect(await stored()).toEqual([]);
  });

  it('takes 1000 rules', async () => {
    expect(await change(many(1000))).toMatchObject({ code: 200 });
    expect(await stored()).toHaveLength(1000);
  });

  it('waits for another one of the same role, so that two cannot wait for each other', async () => {
    const done: string[] = [];
    const waiting = await database.store.transaction().execute(async (transaction) => {
      const role = await lockRole(transaction, 2);
      await changeRules(transaction, role, { add: [rule('GET /first')], remove: [] });
      const second = change(['GET /second']).then(() => done.push('second'));
      await change(['GET /third'], [], 3);
      done.push('of another role');
      return { second };
    });
    await waiting.second;
    expect(done).toEqual(['of another role', 'second']);
  });
});

describe('the rules of a role', () => {
  it.each([
    ['of a role that does not exist', '/roles/99/rules', 404],
    ['by an id that is none', '/roles/x/rules', 400],
    ['with a limit of 0', '/roles/2/rules?limit=0', 400],
    ['with a limit of 101', '/roles/2/rules?limit=101', 400],
    ['with a cursor that is none', '/roles/2/rules?after=x', 400],
    ['with an empty cursor', '/roles/2/rules?after=', 400],
  ])('%s are refused', async (_what, url, code) => {
    expect(await served.send('GET', url)).toMatchObject({ status: 200, code });
  });

  it('are an empty list where there are none', async () => {
    expect(await served.send('GET', '/roles/2/rules')).toMatchObject({
      code: 200,
      data: { items: [], next: null, revision: expect.any(Number) },
    });
  });

  it('come in pages of 20, each once', async () => {
    const texts = many(45);
    await change(texts);
    await change(['GET /other'], [], 3);
    const pages: { method: string; path: string }[][] = [];
    for (let after = ''; ; ) {
      const { data } = await served.send('GET', `/roles/2/rules${after}`);
      const { items, next } = data as { items: { method: string; path: string }[]; next: string | null };
      pages.push(items);
      if (next === null) break;
      after = `?after=${next}`;
    }
    expect(pages.map((items) => items.length)).toEqual([20, 20, 5]);
    expect(
      pages
        .flat()
        .map(({ method, path }) => `${method} ${path}`)
        .toSorted(),
    ).toEqual(texts.toSorted());
  });

  it('go on behind a method of the same path', async () => {
    await change(['GET /a', 'POST /a', 'PUT /a', 'GET /b']);
    const first = await served.send('GET', '/roles/2/rules?limit=2');
    const { items, next } = first.data as { items: unknown[]; next: string };
    const second = await served.send('GET', `/roles/2/rules?limit=2&after=${next}`);
    const all = [...items, ...(second.data as { items: unknown[] }).items];
    expect(all).toHaveLength(4);
    expect(new Set(all.map((item) => JSON.stringify(item))).size).toBe(4);
  });
});

it('all rules are read, also beyond one page of the load', async () => {
  const count = 20_001;
  const { store } = database;
  for (let from = 0; from < count; from += 10_000)
    await store
      .insertInto('rules')
      .values(
        Array.from({ length: Math.min(10_000, count - from) }, (_, index) => ({
          role_id: 1 + ((from + index) % 3),
          method: 'GET',
          path: `/bulk/${from + index}`,
        })),
      )
      .execute();
  expect(new Set(await stored()).size).toBe(count);
});
