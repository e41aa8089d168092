import type { User } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fillUserWords } from '../../../src/cluster/store/migrate.ts';
import { searchUsers } from '../../../src/people/users/user-search-store.ts';
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
    { username: 'anna', nick_name: 'Anna Andersson', department_id: 2, role_id: 1 },
    { username: 'lovelace', nick_name: 'Ada  Lovelace', department_id: 3, role_id: 2 },
    {
      username: 'p.ng',
      nick_name: "Peter Smith-Jones O'Brien",
      department_id: 1,
      role_id: 2,
      enabled: false,
    },
    { username: 'asa', nick_name: 'ÅSA (Öst)', department_id: 3, role_id: 2 },
    { username: 'gone', nick_name: 'Anna Gone', department_id: 3, role_id: 2, deleted_at: new Date() },
    { username: '张伟', nick_name: '张伟', department_id: 2, role_id: 2 },
    { username: 'odd%', nick_name: '50%_sure', department_id: 2, role_id: 3 },
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
  await sql`insert into credentials (user_id, kind, factor, confirmed_at)
    select id, 'totp', 2, now() from users where username = 'asa'`.execute(store);
});
afterAll(() => world.close());
beforeEach(() => {
  world.caller = administrator;
});

type Query = Record<string, string | number | boolean>;
async function findPage(search: string, query: Query = {}): Promise<UserPage> {
  const text = new URLSearchParams({ search, ...query } as Record<string, string>);
  const answer = await world.send('GET', `/users?${text}`);
  expect(answer.code).toBe(200);
  return answer.data as UserPage;
}
const namesIn = ({ items }: UserPage) => items.map(({ username }) => username);
const find = async (search: string, query?: Query) => namesIn(await findPage(search, query));

describe('a search for people refuses', () => {
  it.each([
    'search=',
    `search=${'x'.repeat(65)}`,
    'search=a&after=nonsense',
    // From the list by name, which has another order.
    `search=a&after=${Buffer.from('{"username":"a"}').toString('base64url')}`,
    `search=a&after=${Buffer.from('{"id":0,"nth":0}').toString('base64url')}`,
    `search=a&after=${Buffer.from('{"id":1e99,"nth":0}').toString('base64url')}`,
  ])('%s', async (query) => {
    expect(await world.send('GET', `/users?${query}`)).toMatchObject({ status: 200, code: 400 });
  });
});

describe('a search within the data scope', () => {
  it.each([
    ['1', ['lovelace', 'anna', 'asa']],
    ['2', ['lovelace', 'asa']],
    ['3', []],
    ['4', ['anna']],
    ['5', []],
  ] as const)('%s of user 8 finds exactly %j', async (scope, names) => {
    await world.store.insertInto('role_departments').values({ role_id: 2, department_id: 3 }).execute();
    world.caller = callerOf(scope);
    const found = await find('a');
    await world.store.deleteFrom('role_departments').execute();
    expect(found).toEqual(names);
  });

  it('finds only the caller in the scope of own rows, and none with a filter', async () => {
    world.caller = callerOf('5');
    expect(await find('k')).toEqual(['kim']);
    expect(await find('k', { departmentId: 2 })).toEqual([]);
    world.caller = callerOf('3');
    expect(await findPage('lovelace', { departmentId: 3 })).toEqual({ items: [], next: null });
  });
});

describe('the search finds people', () => {
  it.each([
    ['by the username', 'lov', ['lovelace']],
    ['by the first word of the name', 'ada', ['lovelace']],
    ['by a later word', 'ander', ['anna']],
    ['whatever the case', 'LOVEL', ['lovelace']],
    ['whatever the case of other letters', 'åsa', ['asa']],
    ['by what stands in brackets', 'öst', ['asa']],
    ['by either part of a double name', 'jones', ['p.ng']],
    ['by the whole of a double name', 'smith-j', ['p.ng']],
    ['by a name with an apostrophe', "o'b", ['p.ng']],
    ['by what follows the apostrophe', 'brien', ['p.ng']],
    ['by a username with a dot', 'p.n', ['p.ng']],
    ['by the beginning of a Chinese name', '张', ['张伟']],
    ['by two words in any order', 'and ann', ['anna']],
    ['by wide letters like narrow ones', 'ＡＤＡ', ['lovelace']],
    ['with spaces around', '  ada ', ['lovelace']],
  ])('%s', async (_what, search, names) => {
    expect(await find(search)).toEqual(names);
  });

  it.each([
    ['by the middle of a word', 'ovel'],
    ['where one of two words is not theirs', 'ada anders'],
    ['by a sign for anything', 'an%'],
    ['by another sign for anything', 'ann_'],
    ['once they are deleted', 'gone'],
    ['by what cannot be stored', 'a\u0000'],
    ['by nothing but spaces', '   '],
    ['by an injection', "'; drop table users --"],
  ])('not %s', async (_what, search) => {
    expect(await find(search)).toEqual([]);
  });

  it('with what the list filters by', async () => {
    expect(await find('a', { roleId: 1 })).toEqual(['anna']);
    expect(await find('p', { enabled: true })).toEqual([]);
    expect(await find('a', { departmentId: 3 })).toEqual(['lovelace', 'asa']);
    expect(await find('an', { username: 'anna' })).toEqual(['anna']);
    expect(await find('an', { username: 'b' })).toEqual([]);
    expect(await find('a', { departmentId: 3, secondFactor: true })).toEqual(['asa']);
    expect(await find('a', { departmentId: 3, secondFactor: false })).toEqual(['lovelace']);
  });

  it.each(['1', '4'] as const)('in scope %s each once, page by page', async (scope) => {
    world.caller = callerOf(scope);
    const all = await find('a');
    const seen: string[] = [];
    for (let page = await findPage('a', { limit: 1 }); ; ) {
      seen.push(...namesIn(page));
      if (page.next === null) break;
      page = await findPage('a', { limit: 1, after: page.next });
    }
    expect(seen).toEqual(all);
  });
});

describe('a change of a user', () => {
  it('is found at once, and the previous value is not', async () => {
    const { id } = (await findPage('mei')).items[0] ?? { id: 0 };
    await world.send('PUT', `/users/${id}`, { name: 'Nora Quist', departmentId: 2 });
    expect(await find('quist')).toEqual(['mei']);
    expect(await find('quist', { departmentId: 2 })).toEqual(['mei']);
    expect(await find('quist', { departmentId: 1 })).toEqual([]);
    await world.send('PUT', `/users/${id}`, { name: 'Nora Renamed', departmentId: 1 });
    expect(await find('quist')).toEqual([]);
    expect(await find('renamed')).toEqual(['mei']);
  });
});

describe('among many users', () => {
  const many = 6000;
  beforeAll(async () => {
    await sql`insert into users (username, canonical_username, nick_name, department_id, role_id, password_hash)
      select 'b' || n, 'b' || n, 'Bo Berg', 3, 2, 'hash' from generate_series(1, ${many}) n`.execute(
      world.store,
    );
    await sql`analyze users, user_words`.execute(world.store);
  });

  it('a page looks at so many words and no more, and says where it stopped', async () => {
    const ask = (after?: string) =>
      searchUsers(
        world.store,
        { kind: 'all' },
        { search: 'b', roleId: 1, limit: 20, ...(after ? { after } : {}) },
      );
    let page = await ask();
    expect(page).toMatchObject({ items: [], next: expect.any(String) });
    let steps = 1;
    for (; page.next !== null; steps += 1) page = await ask(page.next);
    expect(steps).toBe(Math.ceil((3 * many + 1) / 2000));
  });

  it.each([
    ['all', { kind: 'all' } as const],
    ['two departments', { kind: 'departments', departments: [3, 1] } as const],
    [
      'more departments than are walked side by side',
      { kind: 'departments', departments: Array.from({ length: 200 }, (_, n) => n + 2) } as const,
    ],
  ])('finds every user once, page by page, in a scope of %s', async (_what, scope) => {
    const seen = new Set<number>();
    let shown = 0;
    let after: string | undefined;
    do {
      const page = await searchUsers(world.store, scope, {
        search: 'be',
        limit: 100,
        ...(after ? { after } : {}),
      });
      for (const { id } of page.items) seen.add(id);
      shown += page.items.length;
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect([seen.size, shown]).toEqual([many, many]);
  });

  it('hides in its cursor the names of users outside the scope', async () => {
    const departments = Array.from({ length: 200 }, (_, n) => n + 100);
    const { items, next } = await searchUsers(
      world.store,
      { kind: 'departments', departments },
      { search: 'b', limit: 20 },
    );
    expect(items).toEqual([]);
    expect(JSON.parse(Buffer.from(next ?? '', 'base64url').toString())).toEqual({
      id: expect.any(Number),
      nth: expect.any(Number),
    });
  });

  it('skips no user when the user at the cursor is renamed', async () => {
    const ask = (after?: string) =>
      searchUsers(world.store, { kind: 'all' }, { search: 'be', limit: 100, ...(after ? { after } : {}) });
    const first = await ask();
    const { id = 0 } = first.items.at(-1) ?? {};
    await world.store.updateTable('users').set({ nick_name: 'X' }).where('id', '=', id).execute();
    const second = await ask(first.next ?? '');
    expect(second.items[0]).toEqual(first.items[0]);
    await world.store.updateTable('users').set({ nick_name: 'Bo Berg' }).where('id', '=', id).execute();
  });

  it('adds the search words of older users, and returns no user twice', async () => {
    const before = await sql`select * from user_words order by user_id, word`.execute(world.store);
    await sql`delete from user_words where user_id % 3 > 0`.execute(world.store);
    await sql`insert into user_words_fill (from_id) values (0)`.execute(world.store);
    await fillUserWords(world.store);
    const after = await sql`select * from user_words order by user_id, word`.execute(world.store);
    expect(after.rows).toEqual(before.rows);
    const left = await sql`select * from user_words_fill`.execute(world.store);
    expect(left.rows).toEqual([]);
  });
});
