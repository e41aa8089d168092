import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findDeployment } from '../../../src/cluster/store/deployment.ts';
import type { AuditChainPosition } from '../../../src/logs/audit/audit-chain.ts';
import { readEnd } from '../../../src/logs/audit/chain-store.ts';
import { createAuditSigner, signAuditEnd } from '../../../src/logs/audit/sign-audit-head.ts';
import { parseKeptHeads } from '../../../src/logs/evidence/kept-heads.ts';
import { verifyAudit, writeHeads } from '../../../src/logs/evidence/verify.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { cutOff, insertAudit, insertMany, rewriteChain, untriggered } from './audit-world.ts';

const keys = [randomBytes(32)] as const;
let database: FreshDatabase;
let deployment: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  deployment = await findDeployment(database.store);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await sql`truncate audit_log, audit_log_chain, audit_log_heads`.execute(database.store);
  await rewriteChain(database.store, 1);
});

const run = (statement: string) => sql.raw(statement).execute(database.store);
const findProblems = async (kept: readonly AuditChainPosition[] = []) =>
  (await verifyAudit(database.store, { keys, kept: { unchained: 0, heads: [], audit: kept } })).problems;
const sign = () => signAuditEnd(database.store, { keys, deployment });

/** What leaves the host. */
async function keep(): Promise<readonly AuditChainPosition[]> {
  const { text } = await writeHeads(database.store, keys, new Date());
  return parseKeptHeads(keys, text)?.audit ?? [];
}

describe.each([1, 5, 10])('of ten records, number %i is reported', (seq) => {
  it.each([
    ['its time by a microsecond', `at = at + interval '1 microsecond'`],
    ['who made the change', 'actor_id = 8'],
    ['the name of who made it', `actor_name = 'mallory'`],
    ['the role of who made it', `actor_role = 'clerk'`],
    ['what was done', `action = 'user.delete'`],
    ['to what', `target = 'user 9'`],
    ['how it was before', `before = before || '{"x": 1}'`],
    ['how it was before, to nothing', 'before = null'],
    ['how it was before, to a null of JSON', `before = 'null'`],
    ['how it was after', `after = '{}'`],
    ['the request', `request_id = ''`],
    ['the address by its netmask', `ip = '192.0.2.1/24'`],
  ])('after a change of %s', async (_what, change) => {
    const ids = await insertMany(database.store, 10);
    expect(await findProblems()).toEqual([]);
    await run(`update audit_log set ${change} where id = '${ids[seq - 1]}'`);
    expect(await findProblems()).toEqual([{ seq, id: ids[seq - 1], what: 'changed' }]);
  });

  it('after its deletion, with or without its entry in the chain', async () => {
    const ids = await insertMany(database.store, 10);
    await run(`delete from audit_log where id = '${ids[seq - 1]}'`);
    expect(await findProblems()).toEqual([{ seq, id: ids[seq - 1], what: 'removed' }]);
    await run(`delete from audit_log_chain where seq = ${seq}`);
    expect(await findProblems()).toEqual([{ seq, id: null, what: 'removed' }]);
  });
});

it('reports a record that was inserted without the trigger, also with an entry at the end of the chain', async () => {
  await insertMany(database.store, 3);
  await untriggered(database.store, (store) => insertAudit(store));
  const [problem] = await findProblems();
  expect(problem).toMatchObject({ seq: null, what: 'added' });
  await run(`insert into audit_log_chain values (4, '${problem?.id}', sha256('x'))`);
  expect(await findProblems()).toMatchObject([{ seq: 4, what: 'changed' }, { what: 'end_changed' }]);
});

it('reports both of two exchanged records', async () => {
  const ids = await insertMany(database.store, 4);
  await run(`update audit_log_chain set id = case seq when 2 then '${ids[2]}'::uuid else '${ids[1]}'::uuid end
    where seq in (2, 3)`);
  expect((await findProblems()).map(({ seq }) => seq)).toEqual([2, 3]);
});

describe('a rewritten chain is consistent, and is found', () => {
  it('by the heads that were signed in the database', async () => {
    const ids = await insertMany(database.store, 6);
    await sign();
    await insertAudit(database.store);
    await run(`update audit_log set target = 'user 9' where id = '${ids[1]}'`);
    await rewriteChain(database.store, 2);
    expect(await findProblems()).toEqual([{ seq: 6, id: ids[5], what: 'rewritten' }]);
    // The control: without them it is not.
    await run('truncate audit_log_heads');
    expect(await findProblems()).toEqual([]);
  });

  it('by heads kept elsewhere, where the stored ones were deleted too', async () => {
    const ids = await insertMany(database.store, 6);
    const kept = await keep();
    await run(`delete from audit_log where id = '${ids[1]}'`);
    await rewriteChain(database.store, 2);
    await run('truncate audit_log_heads');
    await insertMany(database.store, 3);
    expect(await findProblems()).toEqual([]);
    expect(await findProblems(kept)).toMatchObject([{ seq: 6, what: 'rewritten' }, { what: 'head_removed' }]);
  });

  it('by the signature: a later head that contradicts an earlier one is not signed', async () => {
    await insertMany(database.store, 3);
    const signAgain = createAuditSigner(database.store, { keys, deployment });
    await signAgain();
    await insertAudit(database.store);
    await signAgain();
    await run(`update audit_log set target = 'user 9'`);
    await rewriteChain(database.store, 1);
    await expect(sign()).rejects.toThrow('another one than was signed up to record 4');
    await expect(keep()).rejects.toThrow('log verify');
    await run('truncate audit_log_heads');
    await expect(signAgain()).rejects.toThrow('another one than was signed up to record 4');
  });
});

describe('a truncated end', () => {
  it.each([1, 4, 10])(
    'of %i records is found by what was kept elsewhere, and by nothing else',
    async (count) => {
      await insertMany(database.store, 10);
      const kept = await keep();
      await cutOff(database.store, count);
      expect(await findProblems()).toEqual([]);
      expect(await findProblems(kept)).toMatchObject([
        { seq: 11 - count, what: 'removed' },
        { what: 'head_removed' },
      ]);
    },
  );

  it('is found by the stored end alone where that was not updated', async () => {
    await insertMany(database.store, 3);
    const end = await readEnd(database.store);
    await cutOff(database.store, 1);
    await database.store
      .updateTable('audit_log_end')
      .set({ ...end })
      .execute();
    expect(await findProblems()).toMatchObject([{ seq: 3, what: 'removed' }]);
  });
});

it.each([
  ['a hash', `hash = sha256('x')`],
  ['a number', 'seq = seq + 1'],
  ['a signature', `signature = sha256('x')`],
])('reports a head after a change of %s', async (_what, change) => {
  await insertMany(database.store, 3);
  await sign();
  await run(`update audit_log_heads set ${change}`);
  expect(await findProblems()).toMatchObject([{ what: 'head_changed' }]);
});

describe('every record is bound', () => {
  it('with concurrent writers, without a gap', async () => {
    await Promise.all(Array.from({ length: 40 }, () => insertAudit(database.store)));
    expect(await findProblems()).toEqual([]);
    expect(await readEnd(database.store)).toMatchObject({ seq: 40 });
  });

  it('at the commit, so that writers of the same rows do not deadlock', async () => {
    const { store } = database;
    await run(
      'create table if not exists held (id int primary key); insert into held values (1) on conflict do nothing',
    );
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: isWritten, resolve: written } = Promise.withResolvers<void>();
    const lock = sql`select from held for update`;
    await Promise.all([
      store.transaction().execute(async (transaction) => {
        await lock.execute(transaction);
        held();
        await isWritten;
        await insertAudit(transaction);
      }),
      store.transaction().execute(async (transaction) => {
        await isHeld;
        await insertAudit(transaction);
        written();
        await lock.execute(transaction);
      }),
    ]);
    expect(await findProblems()).toEqual([]);
  });

  it('or not stored: a rolled-back change leaves no gap', async () => {
    await insertAudit(database.store);
    const givenUp = database.store.transaction().execute(async (transaction) => {
      await insertAudit(transaction);
      throw new Error('given up');
    });
    await expect(givenUp).rejects.toThrow('given up');
    await insertAudit(database.store);
    expect(await findProblems()).toEqual([]);
    expect(await readEnd(database.store)).toMatchObject({ seq: 2 });
  });

  it('whatever the time zone and the texts of its writer are', async () => {
    await database.store.transaction().execute(async (transaction) => {
      await sql`set local time zone 'Asia/Kathmandu'`.execute(transaction);
      await sql`set local datestyle = 'German'`.execute(transaction);
      await insertAudit(transaction, { at: new Date('2026-01-31T23:59:59.120Z'), ip: '2001:db8::/32' });
      await insertAudit(transaction, { after: JSON.stringify('"\\\n\u2028'), target: '1:-,-' });
    });
    expect(await findProblems()).toEqual([]);
  });

  it('also if it was there before the chain', async () => {
    const ids = await insertMany(database.store, 5);
    await run(`drop trigger audit_log_chained on audit_log; drop function chain_audit_record();
      drop function audit_log_hash(bytea, bigint, audit_log); drop function audit_log_value(text);
      drop table audit_log_chain, audit_log_end, audit_log_heads, audit_log_checkpoint`);
    for (const name of ['0014-audit-chain', '0016-audit-sweep'])
      await run(
        await readFile(new URL(`../../../src/cluster/store/migrations/${name}.sql`, import.meta.url), 'utf8'),
      );
    await run('alter table audit_log_chain add column erasure uuid, add column seal bytea');
    await insertAudit(database.store);
    expect(await findProblems()).toEqual([]);
    expect(await readEnd(database.store)).toMatchObject({ seq: 6 });
    await run(`update audit_log set target = 'user 9' where id = '${ids[2]}'`);
    expect(await findProblems()).toMatchObject([{ seq: 3, what: 'changed' }]);
  });
});
