// What the service may overwrite in both logs: only through these functions, of a person whose erasure is begun and not
// finished, and only once.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { type ErasureWorld, kim, mei, startErasureWorld, writeRest } from './erasure-world.ts';

let world: ErasureWorld;
beforeAll(async () => {
  world = await startErasureWorld();
});
afterAll(() => world.close());

const run = async (statement: string) => {
  await sql.raw(statement).execute(world.store);
};
const rowsOf = async (statement: string) =>
  (await sql.raw<Record<string, unknown>>(statement).execute(world.store)).rows;
const numberOf = async (statement: string) => Number((await rowsOf(`select ${statement} as n`))[0]?.n);

const someId = (what: string) => `(select array[id] from ${what} order by id limit 1)`;
const letterOf = `(select id from login_log_dead_letters order by id limit 1)`;
/** The call of a function for a person, on something of mei's. */
const calls = {
  login: (person: number) =>
    `erase_login_records(${person}, ${someId('login_log where user_id = 7')}, array[null::bytea])`,
  typed: (person: number) =>
    `erase_login_records(${person}, ${someId('login_log where user_id is null')}, array[null::bytea])`,
  delivery: (person: number) => `erase_dead_letter(${person}, ${letterOf}, 'left', null)`,
  audit: (person: number) =>
    `erase_audit_records(${person}, ${someId(`audit_log where target = 'user 7'`)}, array[null::bytea])`,
  rules: (person: number) => `erase_rule_history(${person})`,
} as const;
const functions = Object.keys(calls) as (keyof typeof calls)[];
const begin = (person: number) =>
  run(`insert into erasures (id, user_id, reference, at, signature)
    values (gen_random_uuid(), ${person}, 'r', now(), 's')`);
/** Of both logs and the history of rules. */
const stored = async () =>
  await Promise.all(
    ['login_log', 'login_log_dead_letters', 'audit_log', 'audit_log_chain', 'rule_history'].map((table) =>
      rowsOf(`select t::text from ${table} as t order by 1`),
    ),
  );

beforeEach(async () => {
  await world.reset();
  await world.writeLogins(mei, { poisoned: true });
  await writeRest(world.store, mei);
  await writeRest(world.store, kim);
});

describe.each(functions)('%s: changes nothing', (name) => {
  it('of a person whose erasure is not begun, though one of another person is', async () => {
    await begin(9);
    const before = await stored();
    expect(await numberOf(calls[name](7))).toBe(0);
    expect(await stored()).toEqual(before);
  });

  it('of a person whose erasure is finished', async () => {
    await begin(7);
    await run('update erasures set finished_at = now()');
    const before = await stored();
    expect(await numberOf(calls[name](7))).toBe(0);
    expect(await stored()).toEqual(before);
  });
});

it.each(['login', 'typed', 'delivery', 'rules'] as const)('%s: changes a record once', async (name) => {
  await begin(7);
  expect(await numberOf(calls[name](7))).toBe(1);
  const before = await stored();
  expect(await numberOf(calls[name](7))).toBe(0);
  expect(await stored()).toEqual(before);
});

it.each(['login', 'audit'] as const)('%s: changes nothing of another person', async (name) => {
  await begin(8);
  const before = await stored();
  expect(await numberOf(calls[name](8))).toBe(0);
  expect(await stored()).toEqual(before);
});

it.each([
  ['of an erasure', { action: 'user.erase', target: 'user 7' }],
  ['of another change that has the number', { target: 'role 2', before: JSON.stringify({ userId: 7 }) }],
])('changes no record %s', async (_what, change) => {
  await begin(7);
  const id = await insertAudit(world.store, { actor_id: 9, ...change });
  const before = await stored();
  expect(await numberOf(`erase_audit_records(7, array['${id}'::uuid], array[null::bytea])`)).toBe(0);
  expect(await stored()).toEqual(before);
});

it('takes the given records of the audit log, and no others of the person', async () => {
  await begin(7);
  expect(await numberOf(calls.audit(7))).toBe(1);
  expect(await rowsOf(`select count(*)::int as n from audit_log where request_id = '[erased]'`)).toEqual([
    { n: 1 },
  ]);
});

it.each(['login', 'typed', 'delivery', 'audit'] as const)(
  '%s: counts and names the erasure of the person, not one that another person has',
  async (name) => {
    await begin(8);
    await begin(7);
    expect(await numberOf(calls[name](7))).toBe(1);
    expect(
      await rowsOf(
        'select user_id, login_records + audit_records as records, unsealed from erasures order by user_id',
      ),
    ).toEqual([
      { user_id: 7, records: 1, unsealed: 1 },
      { user_id: 8, records: 0, unsealed: 0 },
    ]);
    const named = ['login_log', 'login_log_dead_letters', 'audit_log_chain'].map(
      (table) => `select erasure from ${table} where erasure is not null`,
    );
    expect(await rowsOf(named.join(' union all '))).toEqual(
      await rowsOf('select id as erasure from erasures where user_id = 7'),
    );
  },
);
