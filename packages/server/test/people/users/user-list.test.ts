import type { User } from '@portcullis/contract';
import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../../src/cluster/store/store.ts';
import { listUsers } from '../../../src/people/users/user-list-store.ts';
import { administrator } from '../../serve-routes.ts';
import { callerOf, startUserWorld, type UserWorld } from '../user-world.ts';

interface UserPage {
  readonly items: User[];
  readonly next: string | null;
}

let world: UserWorld;
beforeAll(async () => {
  world = await startUserWorld();
  const { store } = world;
  // Department 2 is below 1; 3 stands alone.
  await store.updateTable('departments').set({ parent_id: 1 }).where('id', '=', 2).execute();
  const people = [
    { username: 'anna', department_id: 2, role_id: 1 },
    { username: 'Anna.B', department_id: 3, role_id: 2 },
    { username: 'annie', department_id: 1, role_id: 2, enabled: false },
    { username: 'ann%', department_id: 3, role_id: 2 },
    { username: 'anno_', department_id: 3, role_id: 2, deleted_at: new Date() },
    { username: '张伟', department_id: 2, role_id: 2 },
    { username: 'zoë', department_id: 2, role_id: 3 },
  ];
  await store
    .insertInto('users')
    .values(
      people.map((user) => ({
        enabled: true,
        deleted_at: null,
        ...user,
        canonical_username: user.username.toLowerCase(),
        password_hash: 'hash',
      })),
    )
    .execute();
  // One that counts, one that is not confirmed, and one that ended.
  await sql`insert into credentials (user_id, kind, factor, confirmed_at, ended_at)
    select id, 'totp', 2, case when username <> 'zoë' then now() end, case when username = 'annie' then now() end
    from users where username in ('anna', 'zoë', 'annie')`.execute(store);
});
afterAll(() => world.close());
beforeEach(() => {
  world.caller = administrator;
});

async function listPage(query: Record<string, string | number | boolean> = {}): Promise<UserPage> {
  const text = new URLSearchParams(query as Record<string, string>);
  const answer = await world.send('GET', `/users?${text}`);
  expect(answer.code).toBe(200);
  return answer.data as UserPage;
}
const namesIn = ({ items }: UserPage) => items.map(({ username }) => username);
const list = async (query?: Record<string, string | number | boolean>) => namesIn(await listPage(query));

describe('the list of users refuses', () => {
  it.each([
    'username=',
    `username=${'x'.repeat(65)}`,
    'roleId=0',
    'roleId=admin',
    'departmentId=1.5',
    'enabled=maybe',
    'secondFactor=maybe',
    'limit=0',
    'limit=101',
    'after=nonsense',
    `after=${Buffer.from('{"username":"a\\u0000"}').toString('base64url')}`,
    `after=${Buffer.from('{"username":"\\ud800"}').toString('base64url')}`,
    `after=${Buffer.from('{"username":7}').toString('base64url')}`,
  ])('%s', async (query) => {
    expect(await world.send('GET', `/users?${query}`)).toMatchObject({ status: 200, code: 400 });
  });
});

describe('the data scope', () => {
  it.each([
    ['1', ['ann%', 'anna', 'Anna.B', 'annie', 'kim', 'mei', 'zoë', '张伟']],
    ['2', ['ann%', 'Anna.B']],
    ['3', ['annie', 'kim', 'mei']],
    ['4', ['anna', 'annie', 'kim', 'mei', 'zoë', '张伟']],
    ['5', ['kim']],
  ] as const)('%s of user 8 shows exactly %j', async (scope, names) => {
    await world.store.insertInto('role_departments').values({ role_id: 2, department_id: 3 }).execute();
    world.caller = callerOf(scope);
    const shown = await list();
    expect(shown).toEqual(names);
    // One by one, the same are there and all others are not.
    const all = await world.store.selectFrom('users').select(['id', 'username']).execute();
    for (const { id, username } of all) {
      const { code } = await world.send('GET', `/users/${id}`);
      expect([username, code]).toEqual([username, shown.includes(username) ? 200 : 404]);
    }
    await world.store.deleteFrom('role_departments').execute();
  });

  it('is not widened by a filter', async () => {
    world.caller = callerOf('3');
    expect(await list({ departmentId: 3 })).toEqual([]);
    expect(await list({ username: 'anna' })).toEqual([]);
    world.caller = callerOf('5');
    expect(await list({ departmentId: 1 })).toEqual(['kim']);
    expect(await list({ departmentId: 2 })).toEqual([]);
    expect(await list({ username: 'mei' })).toEqual([]);
  });

  it('of no department is empty', async () => {
    world.caller = callerOf('2');
    expect(await listPage()).toEqual({ items: [], next: null });
  });
});

describe('the list of users', () => {
  it('finds by how the name begins, whatever the case, and takes no sign for a wildcard', async () => {
    expect(await list({ username: 'ANN' })).toEqual(['ann%', 'anna', 'Anna.B', 'annie']);
    expect(await list({ username: 'ann%' })).toEqual(['ann%']);
    expect(await list({ username: 'ann_' })).toEqual([]);
    expect(await list({ username: '张' })).toEqual(['张伟']);
    expect(await list({ username: "'; drop table users --" })).toEqual([]);
    expect(await list({ username: 'a\u0000' })).toEqual([]);
  });

  it('filters by role, department and whether they are enabled, and by all of it', async () => {
    expect(await list({ roleId: 1 })).toEqual(['anna']);
    expect(await list({ departmentId: 2 })).toEqual(['anna', 'zoë', '张伟']);
    expect(await list({ enabled: false })).toEqual(['annie']);
    expect(await list({ enabled: true, roleId: 2, departmentId: 1 })).toEqual(['kim', 'mei']);
    expect(await list({ roleId: 99 })).toEqual([]);
  });

  it('filters by whether they have a second factor that counts', async () => {
    expect(await list({ secondFactor: true })).toEqual(['anna']);
    const without = await list({ secondFactor: false });
    expect(without).toEqual(expect.arrayContaining(['annie', 'zoë']));
    expect(without).not.toContain('anna');
    world.caller = callerOf('4');
    expect(await list({ secondFactor: true })).toEqual(['anna']);
  });

  it.each(['1', '4'] as const)('gives every user of scope %s once, page by page', async (scope) => {
    world.caller = callerOf(scope);
    const all = await list();
    for (const limit of [1, 2, 3]) {
      const seen: string[] = [];
      for (let page = await listPage({ limit }); ; page = await listPage({ limit, after: page.next ?? '' })) {
        seen.push(...namesIn(page));
        if (page.next === null) break;
      }
      expect(seen).toEqual(all);
    }
  });

  it('shows what is known of a user, and nothing secret', async () => {
    const { items } = await listPage({ username: 'anna.b' });
    const [shown] = items;
    expect(shown).toEqual({
      id: expect.any(Number),
      kind: 'person',
      username: 'Anna.B',
      name: '',
      departmentId: 3,
      departmentName: 'Department 3',
      roleId: 2,
      roleKey: 'editor',
      roleName: 'Editor',
      enabled: true,
      passwordChangeRequired: false,
      mail: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      revision: 1,
    });
    expect((await world.send('GET', `/users/${shown?.id}`)).data).toEqual({ ...shown, lastLogin: null });
  });

  it('leaves out deleted users', async () => {
    const { id } = await world.store
      .selectFrom('users')
      .select('id')
      .where('username', '=', 'anno_')
      .executeTakeFirstOrThrow();
    expect(await world.send('GET', `/users/${id}`)).toMatchObject({ code: 404 });
    expect(await list({ username: 'anno' })).toEqual([]);
  });
});

describe('among many users', () => {
  const many = 12_000;
  beforeAll(async () => {
    await sql`insert into users (username, canonical_username, department_id, role_id, password_hash)
      select name, name, 3, 2, 'hash' from (select 'b' || lpad(n::text, 6, '0') from generate_series(1, ${many}) n)
      as many (name)`.execute(world.store);
    await sql`analyze users`.execute(world.store);
  });

  it('a page looks at so many and no more, and says where it stopped', async () => {
    const scope = { kind: 'all' } as const;
    const first = await listUsers(world.store, scope, { limit: 20, departmentId: 3, roleId: 1 });
    expect(first).toMatchObject({ items: [], next: expect.any(String) });
    let steps = 1;
    for (let page = first; page.next !== null; steps += 1)
      page = await listUsers(world.store, scope, { limit: 20, departmentId: 3, roleId: 1, after: page.next });
    expect(steps).toBe(3);
  });

  it('hides in its cursor the names of users outside the scope', async () => {
    const departments = Array.from({ length: 200 }, (_, index) => index + 100);
    const { items, next } = await listUsers(world.store, { kind: 'departments', departments }, { limit: 20 });
    expect(items).toEqual([]);
    expect(JSON.parse(Buffer.from(next ?? '', 'base64url').toString())).toEqual({ id: expect.any(Number) });
  });

  it('returns all, page by page, in the departments of a scope', async () => {
    const scope = { kind: 'departments', departments: [3, 1] } as const;
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = await listUsers(world.store, scope, {
        limit: 100,
        username: 'b',
        ...(after === undefined ? {} : { after }),
      });
      seen.push(...page.items.map(({ username }) => username));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(seen).toHaveLength(many);
    expect(seen).toEqual(seen.toSorted());
  });

  it('a scope of more departments than are walked side by side shows the same', async () => {
    const departments = Array.from({ length: 200 }, (_, index) => index + 2);
    const wide = await listUsers(world.store, { kind: 'departments', departments }, { limit: 5 });
    const narrow = await listUsers(world.store, { kind: 'departments', departments: [2, 3] }, { limit: 5 });
    expect(wide).toEqual(narrow);
    expect(wide.items.map(({ username }) => username).slice(0, 3)).toEqual(['ann%', 'anna', 'Anna.B']);
  });

  it.each([
    ['by name', {}, 'users_name'],
    ['by prefix', { username: 'b0057' }, 'users_name'],
    ['by role', { roleId: 1 }, 'users_role_name'],
    ['by department', { departmentId: 1 }, 'users_department_name'],
  ])('the first page %s is read along an index', async (_what, query, index) => {
    const [plan = ''] = await explainAll(world.store, (store) =>
      listUsers(store, { kind: 'all' }, { limit: 20, ...query }),
    );
    expect(plan).toContain(index);
    expect(plan).not.toMatch(/Seq Scan on users/);
  });
});

/** How Postgres would run each query that the work sends. */
async function explainAll(store: Store, work: (store: Store) => Promise<unknown>): Promise<string[]> {
  const queries: CompiledQuery[] = [];
  await work(
    store.withPlugin({
      transformQuery({ node, queryId }) {
        queries.push(store.getExecutor().compileQuery(node, queryId));
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  // Parts of a query are transformed too, before the whole.
  const whole = queries.filter(({ sql: text }) => text.includes('"walked"'));
  const plans = whole.map(async ({ sql: text, parameters }) => {
    const { rows } = await store.executeQuery(CompiledQuery.raw(`explain ${text}`, [...parameters]));
    return JSON.stringify(rows);
  });
  return await Promise.all(plans);
}
