// An erasure touches nothing but what is the person's, however near it lies.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createChain } from '../../../src/logs/login-log/chain.ts';
import type { LoginRow } from '../../../src/logs/login-log/login-row.ts';
import { idAt } from '../../id-at.ts';
import { insertAudit } from '../../logs/audit/audit-world.ts';
import { insertTexts, rowWith } from '../../logs/login-log/write-chain.ts';
import { type ErasureWorld, kim, mei, startErasureWorld, writeRest } from './erasure-world.ts';

let world: ErasureWorld;
beforeAll(async () => {
  world = await startErasureWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

const run = async (statement: string) => {
  await sql.raw(statement).execute(world.store);
};
const rowsOf = async (statement: string) =>
  (await sql.raw<Record<string, unknown>>(statement).execute(world.store)).rows;

/** In one chain, in the order of their ids. */
async function write(changes: readonly Partial<LoginRow>[]): Promise<LoginRow[]> {
  const chain = createChain(world.keys[0], randomUUID());
  const at = Date.now() - 1000;
  const rows = changes.map((change, n) => rowWith(change, at + n));
  await insertTexts(
    world.store,
    rows.map((row) => JSON.stringify(chain.add(row))),
  );
  return rows;
}

it('keeps all rows of others as they are', async () => {
  for (const person of [mei, kim]) await writeRest(world.store, person);
  await run(`insert into users (id, username, canonical_username, department_id, role_id, password_hash, enabled, deleted_at)
    values (9, 'ann', 'ann', 1, 2, 'h', false, now())`);
  await run(`insert into providers (key, kind, name, settings) values ('other', 'oidc', 'Other', '{}');
    insert into provider_logouts (provider_id, kind, value, ended_at, expires_at)
    select id, 'subject', 'subject of mei.lindqvist', now(), now() from providers where key = 'other';
    insert into provider_logouts (provider_id, kind, value, ended_at, expires_at)
    select id, 'session', 'subject of mei.lindqvist', now(), now() from providers where key = 'example'`);
  const tables = [
    ...['sessions', 'credentials', 'recovery_codes', 'enrolment_codes', 'password_codes', 'login_attempts'],
    ...['link_invitations', 'link_attempts', 'mails', 'access_requests', 'rule_history'],
  ];
  const others = async () => {
    const found: Record<string, unknown> = {};
    for (const table of tables)
      found[table] = await rowsOf(`select t::text from ${table} as t where user_id = 8 order by 1`);
    found.users = await rowsOf('select t::text from users as t where id in (8, 9) order by 1');
    return found;
  };
  const before = await others();
  for (const table of tables) expect(before[table], table).not.toEqual([]);

  await world.erase(7);

  const answered = JSON.stringify(before).replaceAll('mei.lindqvist', '[erased]');
  expect(await others()).toEqual(JSON.parse(answered));
  expect(await rowsOf('select given_by from temporary_rules order by given_by')).toEqual([
    { given_by: '[erased]' },
    { given_by: 'kim' },
  ]);
  const said = await rowsOf(`select providers.key, provider_logouts.kind, value from provider_logouts
    join providers on providers.id = provider_id order by 1, 2, 3`);
  expect(said.map((row) => Object.values(row).join(' '))).toEqual([
    'example session a session',
    'example session subject of mei.lindqvist',
    'example subject another subject',
    'example subject subject of kim',
    'example unnamed subject of kim',
    'other subject subject of mei.lindqvist',
  ]);
});

it('erases every part of a session that names the person', async () => {
  await run(`insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor, ip, user_agent, provider_session)
    select 'jti ' || n, 7, 'editor', 'k', 1, now(), now() + interval '1 hour', 'password', 1,
      case when n = 1 then inet '198.51.100.77' end, case when n = 2 then 'agent' end, case when n = 3 then 'session' end
    from generate_series(1, 4) as n`);
  expect(await world.erase(7)).toMatchObject({ otherRows: 4 });
  const named = 'ip is not null or user_agent is not null or provider_session is not null';
  expect(await rowsOf(`select jti from sessions where ${named}`)).toEqual([]);
});

it('erases rejected records of the account and of the name, and finishes beside other erasures', async () => {
  const browser = 'a\0b';
  await write([
    { browser, user_id: 7, username: 'mei.lindqvist' },
    { browser, user_id: null, username: 'mei.lindqvist' },
    { browser, user_id: 8, username: 'kim' },
    { browser, user_id: null, username: 'kim' },
    { browser, user_id: null, username: null },
    { browser, user_id: 8, username: 'mei.lindqvist' },
  ]);
  await run(`insert into login_log_dead_letters (id, chain, seq, hash, raw, cause)
    values (gen_random_uuid(), gen_random_uuid(), 1, sha256('a'), 'no record', 'b')`);
  const receipt = await world.erase(7);
  expect(receipt).toMatchObject({ loginRecords: 2, unsealed: 0 });
  expect(receipt.finishedAt).not.toBeNull();
  const left = await rowsOf(
    `select convert_from(raw, 'UTF8') as raw from login_log_dead_letters where erasure is null order by seq, id`,
  );
  const isRecord = ({ raw }: Record<string, unknown>) => String(raw).startsWith('{');
  expect(left.filter((row) => !isRecord(row))).toEqual([{ raw: 'no record' }]);
  expect(left.filter(isRecord).map(({ raw }) => JSON.parse(String(raw)))).toMatchObject([
    { user_id: 8, username: 'kim' },
    { user_id: null, username: 'kim' },
    { user_id: null, username: null },
    { user_id: 8, username: 'mei.lindqvist' },
  ]);
});

describe('beside accounts and names with the same index entry, and an account that had the name before', () => {
  const writeNear = async () => {
    const [near] = await rowsOf(`select 'name' || n as name from generate_series(1, 100000) as n
      where hashtextextended('name' || n, 0) & 1023 = hashtextextended('mei.lindqvist', 0) & 1023 limit 1`);
    return await write([
      { user_id: 7, username: 'mei.lindqvist' },
      { user_id: 7 + 1024, username: 'ann' },
      { user_id: null, username: 'mei.lindqvist' },
      { user_id: null, username: String(near?.name) },
      { user_id: 8, username: 'mei.lindqvist' },
    ]);
  };

  it('takes the records of the person alone, and is finished', async () => {
    const rows = await writeNear();
    const receipt = await world.erase(7);
    expect(receipt).toMatchObject({ loginRecords: 2, unsealed: 0 });
    expect(receipt.finishedAt).not.toBeNull();
    const erased = await rowsOf('select id from login_log where erasure is not null order by id');
    expect(erased).toEqual([{ id: rows[0]?.id }, { id: rows[2]?.id }]);
  });

  it('exports the records of the person alone', async () => {
    const rows = await writeNear();
    const { body } = await world.send('GET', '/users/7/export');
    expect((body.loginRecords as { id: string }[]).map(({ id }) => id)).toEqual([rows[0]?.id, rows[2]?.id]);
  });
});

it.each([
  ['others did', { action: 'role.update', before: JSON.stringify({ userId: 7 }) }],
  ['ended sessions of others', { action: 'session.end', before: JSON.stringify({ userId: 8 }) }],
])('finds records of the audit log behind many that %s', async (_what, change) => {
  const at = Date.now() - 60_000;
  for (let n = 0; n < 201; n += 1)
    await insertAudit(world.store, { actor_id: 9, target: 'role 2', ...change, id: idAt(at + n) });
  await insertAudit(world.store, { actor_id: 7, actor_name: mei.username, target: 'role 2' });
  await insertAudit(world.store, { actor_id: 9, target: 'user 7' });
  await insertAudit(world.store, {
    actor_id: 9,
    action: 'session.end',
    before: JSON.stringify({ userId: 7 }),
  });
  expect(await world.erase(7)).toMatchObject({ auditRecords: 3, unsealed: 0 });
  expect(await world.findProblems()).toEqual([]);
});

it('takes more records of the audit log than a batch has, and seals them all', async () => {
  for (let n = 0; n < 201; n += 1) await insertAudit(world.store, { target: 'user 7', actor_id: 9 });
  expect(await world.erase(7)).toMatchObject({ auditRecords: 201, unsealed: 0 });
  expect(await world.findProblems()).toEqual([]);
});

it('takes of the audit log the request of a record without texts, and keeps what others were told', async () => {
  await insertAudit(world.store, {
    ...{ actor_id: 9, target: 'user 7', request_id: 'r-bare' },
    ...{ before: null, after: JSON.stringify({ enabled: true }) },
  });
  await insertAudit(world.store, {
    ...{ actor_id: 7, actor_name: mei.username, action: 'session.end', target: 'session abc' },
    before: JSON.stringify({ userId: 8, device: kim.agent }),
  });
  await insertAudit(world.store, {
    ...{ actor_id: 7, actor_name: mei.username, action: 'role.update', target: 'role 2' },
    before: JSON.stringify({ userId: 7, name: 'Editor' }),
  });
  await world.erase(7);
  expect(
    await rowsOf(`select request_id, before from audit_log where action <> 'user.erase' order by at`),
  ).toEqual([
    { request_id: '[erased]', before: null },
    { request_id: '[erased]', before: { userId: 8, device: kim.agent } },
    { request_id: '[erased]', before: { userId: 7, name: 'Editor' } },
  ]);
});

it('takes what is left of a record that was erased for the other person it names', async () => {
  await insertAudit(world.store, {
    ...{ actor_id: 8, actor_name: 'kim', target: 'user 7', before: null },
    after: JSON.stringify({ name: 'Mei the elder' }),
  });
  await world.erase(8);
  await world.erase(7);
  expect(await world.dump()).not.toContain('elder');
  expect(await world.findProblems()).toEqual([]);
});

describe('seals a record after one', () => {
  it('that was rejected', async () => {
    const poisoned = { browser: 'a\0b', user_id: 8, username: 'kim' };
    for (const user_id of [8, 7]) await write([poisoned, poisoned, { user_id, username: 'somebody' }]);
    expect(await world.erase(7)).toMatchObject({ loginRecords: 1, unsealed: 0 });
    expect(await world.findProblems()).toEqual([]);
  });

  it('that was dropped with its month', async () => {
    const links: { chain: string; seq: number; hash: Buffer }[] = [];
    for (const user_id of [8, 7]) {
      const chain = createChain(world.keys[0], randomUUID());
      const at = Date.now() - 1000;
      const texts = [0, 1, 2].map((n) => {
        const row = rowWith({ user_id: n === 2 ? user_id : 8, username: 'somebody' }, at + n);
        const text = JSON.stringify(chain.add(row));
        if (n < 2) links.push({ chain: chain.id, ...chain.last });
        return text;
      });
      await insertTexts(world.store, texts);
    }
    await run('delete from login_log where seq < 3');
    await world.store
      .insertInto('login_log_heads')
      .values(links.map((link) => ({ ...link, checkpoint: true, signature: randomBytes(32) })))
      .execute();
    expect(await world.erase(7)).toMatchObject({ loginRecords: 1, unsealed: 0 });
  });
});

describe('gives no seal to a record', () => {
  it.each([
    ['that is said to be erased by an erasure alone', 'set erasure = gen_random_uuid() where seq = 2'],
    ['that is said to be erased by a seal alone', `set seal = sha256('a') where seq = 2`],
    ['with the seal of another', `set erasure = gen_random_uuid(), seal = sha256('a') where seq = 2`],
  ])('of the audit log %s', async (_what, change) => {
    for (const target of ['role 2', 'user 7']) await insertAudit(world.store, { actor_id: 9, target });
    await run(`update audit_log_chain ${change}`);
    expect(await world.erase(7)).toMatchObject({ auditRecords: 1, unsealed: 1 });
  });

  it('of the audit log whose previous chain entry is missing', async () => {
    for (const target of ['role 2', 'user 7']) await insertAudit(world.store, { actor_id: 9, target });
    await run('delete from audit_log_chain where seq = 1');
    expect(await world.erase(7)).toMatchObject({ auditRecords: 1, unsealed: 1 });
  });

  it('of the login log whose previous record is missing', async () => {
    await write([8, 7].map((user_id) => ({ user_id })));
    await run('delete from login_log where seq = 1');
    expect(await world.erase(7)).toMatchObject({ loginRecords: 1, unsealed: 1 });
  });
});
