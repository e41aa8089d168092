import fc from 'fast-check';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../../../test/rig/create-database.ts';
import { isInScope, type ResolvedScope, scopeOf, scopeSql } from '../src/data-scope.ts';
import { scopeWhere } from '../src/kysely.ts';

interface Tables {
  orders: { id: number; created_by: number | null; department_id: number | null };
}

const columns = { owner: 'created_by', department: 'department_id' } as const;
const noRows = { scope: 'departments', departments: [] };

describe('what came as data', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'all'],
    ['a number', 1],
    ['a list', ['all']],
    ['an empty object', {}],
    ['a scope as the token carries it', { scope: '1' }],
    ['a scope in other letters', { scope: 'ALL' }],
    ['a scope with a blank', { scope: 'all ' }],
    ['a scope in a list', { scope: ['all'] }],
    ['a scope that reads as all', { scope: { toString: () => 'all' } }],
    ['a scope that is inherited', Object.create({ scope: 'all' })],
    ['departments without a list', { scope: 'departments' }],
    ['departments as a text', { scope: 'departments', departments: '1,2' }],
    ['departments as an object', { scope: 'departments', departments: { 0: 1, length: 1 } }],
    ['a department that is a text', { scope: 'departments', departments: [1, '2'] }],
    ['a department that is SQL', { scope: 'departments', departments: ['0) or (true'] }],
    ['a department that is no id', { scope: 'departments', departments: [0] }],
    ['a department with a fraction', { scope: 'departments', departments: [1.5] }],
    ['a department that is not a number', { scope: 'departments', departments: [Number.NaN] }],
    ['a list with a hole', { scope: 'departments', departments: new Array(1) }],
    ['departments within departments', { scope: 'departments', departments: [[1]] }],
    ['own rows without a user', { scope: 'own' }],
    ['own rows of a text', { scope: 'own', userId: '7' }],
    ['own rows of a list', { scope: 'own', userId: [7] }],
    ['own rows of 0', { scope: 'own', userId: 0 }],
    ['own rows of an id beyond 2^53', { scope: 'own', userId: 2 ** 53 }],
    ['own rows of SQL', { scope: 'own', userId: '7 or true' }],
  ])('means no rows where it is %s', (_, value) => {
    expect(scopeOf(value)).toEqual(noRows);
    expect(scopeSql(value as ResolvedScope, columns)).toEqual({ text: 'false', values: [] });
  });

  it.each<[string, object]>([
    ['is missing', {}],
    ['is unknown', { scope: 'everything' }],
    ['has malformed departments', { scope: 'departments', departments: [1, '2'] }],
  ])('means own rows where the scope %s and the user is known', (_, value) => {
    expect(scopeOf({ ...value, userId: 7 })).toEqual({ scope: 'own', userId: 7 });
  });

  it('ignores a polluted prototype', () => {
    Object.defineProperty(Object.prototype, 'scope', { value: 'all', configurable: true });
    try {
      expect(scopeOf({ userId: 7 })).toEqual({ scope: 'own', userId: 7 });
      expect(scopeOf({})).toEqual(noRows);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'scope');
    }
  });

  it('keeps what is well-formed, and copies the list', () => {
    const departments = [3, 1];
    const scope = scopeOf({ scope: 'departments', departments, userId: 7 });
    departments.push(9);
    expect(scope).toEqual({ scope: 'departments', departments: [3, 1] });
    expect(scopeOf({ scope: 'all', departments: [], userId: 7 })).toEqual({ scope: 'all' });
    expect(scopeOf({ scope: 'own', departments: [], userId: 7 })).toEqual({ scope: 'own', userId: 7 });
  });
});

describe('a column', () => {
  it.each([
    '',
    'a b',
    'a"b',
    '"created_by"',
    "a'b",
    '1a',
    'a-b',
    'a.',
    '.a',
    'a..b',
    'a.b.c.d',
    'a;drop table orders',
    'a as b',
    'a->b',
    'a\n',
    'ä',
    'x'.repeat(64),
    7,
    undefined,
  ])('is refused where it is %j, in every scope and both forms', (name) => {
    for (const scope of [{ scope: 'all' }, { scope: 'own', userId: 7 }, noRows] as ResolvedScope[])
      for (const wrong of [
        { ...columns, owner: name as string },
        { ...columns, department: name as string },
      ]) {
        expect(() => scopeSql(scope, wrong)).toThrow(TypeError);
        expect(() => scopeWhere(scope, wrong)).toThrow(TypeError);
      }
  });

  it('is quoted part by part, and a value is never in the text', () => {
    const qualified = { owner: 'shop.orders.created_by', department: 'orders.departmentId' };
    expect(scopeSql({ scope: 'own', userId: 7 }, qualified, 3)).toEqual({
      text: '"shop"."orders"."created_by" = $3',
      values: [7],
    });
    expect(scopeSql({ scope: 'departments', departments: [4, 5] }, qualified)).toEqual({
      text: '"orders"."departmentId" = any($1)',
      values: [[4, 5]],
    });
  });

  it.each([0, -1, 1.5, Number.NaN, '1; drop table orders'])('has no parameter %s', (first) => {
    expect(() => scopeSql({ scope: 'all' }, columns, first as number)).toThrow(TypeError);
  });

  it('that the query lacks does not compile for Kysely', () => {
    const compile = (db: Kysely<Tables>) => [
      // @ts-expect-error There is no such column.
      db.selectFrom('orders').where(scopeWhere({ scope: 'all' }, { ...columns, owner: 'creator' })),
      // @ts-expect-error There is no such table in the query.
      db.selectFrom('orders').where(scopeWhere({ scope: 'all' }, { ...columns, owner: 'users.id' })),
      db
        .updateTable('orders')
        .where(scopeWhere({ scope: 'all' }, { ...columns, owner: 'orders.created_by' })),
    ];
    expect(compile).toBeTypeOf('function');
  });
});

describe('on real rows', () => {
  let database: Database;
  let db: Kysely<Tables>;
  const rows: Tables['orders'][] = [];

  beforeAll(async () => {
    database = await createDatabase({ migrated: false });
    await database.query('create table orders (id int primary key, created_by bigint, department_id bigint)');
    for (const created_by of [null, 1, 2, 3, 7])
      for (const department_id of [null, 1, 2, 3, 4, 5])
        rows.push({ id: rows.length + 1, created_by, department_id });
    for (const { id, created_by, department_id } of rows)
      await database.query('insert into orders values ($1, $2, $3)', [id, created_by, department_id]);
    db = new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database.url, max: 2 }) }),
    });
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });

  const idsOf = (found: readonly { id: number }[]) => found.map(({ id }) => id);
  async function selectPlain(scope: ResolvedScope): Promise<number[]> {
    const { text, values } = scopeSql(scope, { owner: 'orders.created_by', department: 'department_id' }, 2);
    const query = `select id from orders where id > $1 and ${text} order by id`;
    return idsOf(await database.query<{ id: number }>(query, [0, ...values]));
  }
  async function selectByKysely(scope: ResolvedScope): Promise<number[]> {
    const query = db.selectFrom('orders').select('id').where('id', '>', 0).where(scopeWhere(scope, columns));
    return idsOf(await query.orderBy('id').execute());
  }

  it('an empty list of departments sees nothing', async () => {
    const scope: ResolvedScope = { scope: 'departments', departments: [] };
    expect(await selectPlain(scope)).toEqual([]);
    expect(await selectByKysely(scope)).toEqual([]);
  });

  it('a row without an owner or a department is seen by scope `all` only', async () => {
    const loose = rows.filter((row) => row.created_by === null && row.department_id === null);
    expect(await selectPlain({ scope: 'all' })).toEqual(idsOf(rows));
    const narrow = await selectPlain({ scope: 'departments', departments: [1, 2, 3, 4, 5] });
    expect(narrow).not.toContain(loose[0]?.id);
  });

  /** Written anew, on purpose: what the two forms are measured by. */
  function expectedIds(scope: unknown): number[] {
    const { scope: kind, departments, userId } = (scope ?? {}) as Record<string, unknown>;
    const isId = (value: unknown) => typeof value === 'number' && value > 0 && Number.isSafeInteger(value);
    if (kind === 'all') return idsOf(rows);
    const isList = Array.isArray(departments) && departments.every(isId);
    if (kind === 'departments' && isList)
      return idsOf(rows.filter(({ department_id }) => departments.includes(department_id)));
    return idsOf(rows.filter(({ created_by }) => isId(userId) && created_by === userId));
  }

  const id = fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 8 }) },
    fc.constantFrom(0, -1, 1.5, Number.NaN, 2 ** 53, Number.MAX_SAFE_INTEGER, '1', '1 or true', null, [1]),
  );
  const scopes = fc.oneof(
    fc.record(
      {
        scope: fc.constantFrom('all', 'departments', 'own', '1', 'ALL', '', null),
        departments: fc.oneof(fc.array(id, { maxLength: 6 }), fc.constantFrom(null, '1', {})),
        userId: id,
      },
      { requiredKeys: [] },
    ),
    fc.anything(),
  );

  it('both forms and `isInScope` select exactly the rows of the scope, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(scopes, async (value) => {
        const scope = value as ResolvedScope;
        const expected = expectedIds(value);
        expect(await selectPlain(scope)).toEqual(expected);
        expect(await selectByKysely(scope)).toEqual(expected);
        const inScope = rows.filter((row) =>
          isInScope(scope, { owner: row.created_by, department: row.department_id }),
        );
        expect(idsOf(inScope)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
