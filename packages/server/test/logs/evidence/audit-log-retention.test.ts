import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findDeployment } from '../../../src/cluster/store/deployment.ts';
import type { AuditChainPosition } from '../../../src/logs/audit/audit-chain.ts';
import { readEnd } from '../../../src/logs/audit/chain-store.ts';
import { createAuditSigner, signAuditEnd } from '../../../src/logs/audit/sign-audit-head.ts';
import { AuditLogChanged, readLeft, sweepRecords } from '../../../src/logs/audit/sweep-store.ts';
import { sweepAuditLog } from '../../../src/logs/evidence/audit-log-retention.ts';
import { verifyAudit } from '../../../src/logs/evidence/verify.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import {
  cutOff,
  dayOf,
  insertAgo,
  insertAudit,
  insertMany,
  rewriteChain,
  untriggered,
} from '../audit/audit-world.ts';

const keys = [randomBytes(32)] as const;
let database: FreshDatabase;
let deployment: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  deployment = await findDeployment(database.store);
});
afterAll(() => database.drop());
beforeEach(async () => {
  await run('truncate audit_log, audit_log_chain, audit_log_heads, audit_log_checkpoint');
  await rewriteChain(database.store, 1);
});

const run = (statement: string) => sql.raw(statement).execute(database.store);
const verify = (kept: readonly AuditChainPosition[] = [], of: readonly [Buffer, ...Buffer[]] = keys) =>
  verifyAudit(database.store, { keys: of, kept: { unchained: 0, heads: [], audit: kept } });
const findProblems = async (kept: readonly AuditChainPosition[] = []) => (await verify(kept)).problems;
const sign = () => signAuditEnd(database.store, { keys, deployment });

async function sweep(
  keptMonths: number,
  { now = new Date(), by = keys }: { now?: Date; by?: readonly [Buffer, ...Buffer[]] } = {},
): Promise<{ isDone: boolean; lines: string[] }> {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  return { isDone: await sweepAuditLog(database.store, { keys: by, keptMonths, report, now }), lines };
}

async function countRecords(): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from audit_log`.execute(database.store);
  return rows[0]?.n ?? 0;
}

/** Three records of each of the last five months, and three of now; what was signed at the end of each month. */
async function writeMonths(): Promise<AuditChainPosition[]> {
  const kept: AuditChainPosition[] = [];
  for (const months of [5, 4, 3, 2, 1]) {
    await insertAgo(database.store, months, 3);
    kept.push(await sign());
  }
  await insertMany(database.store, 3);
  return [...kept, await sign()];
}

const nameOf = (monthsAgo: number) => dayOf(monthsAgo, 1).toISOString().slice(0, 7);

describe('the sweep keeps', () => {
  it('all of it where no retention is set', async () => {
    await writeMonths();
    expect(await sweep(0)).toEqual({ isDone: true, lines: [] });
    expect(await countRecords()).toBe(18);
  });

  it('all records after a change of any, also of one that stays', async () => {
    await writeMonths();
    await run(
      `update audit_log set target = 'user 9' where id = (select id from audit_log_chain where seq = 17)`,
    );
    expect(await sweep(2)).toMatchObject({
      isDone: false,
      lines: [expect.stringMatching(/^Kept all .* record 17 was changed/)],
    });
    expect(await countRecords()).toBe(18);
  });

  it('all records of a rewritten chain, so that the evidence is not lost', async () => {
    await writeMonths();
    await run(
      `update audit_log set at = at - interval '1 year' where id = (select id from audit_log_chain where seq = 14)`,
    );
    await rewriteChain(database.store, 14);
    expect(await sweep(2)).toMatchObject({
      isDone: false,
      lines: [expect.stringMatching(/record 15 is not the one that was signed/)],
    });
    expect(await countRecords()).toBe(18);
  });

  it('a month up to whose end nothing was signed: the heads may have been deleted', async () => {
    await writeMonths();
    await run('delete from audit_log_heads where seq > 4');
    expect(await sweep(2)).toEqual({
      isDone: false,
      lines: [
        `Swept ${nameOf(5)} of the audit log: 3 records.`,
        `Kept ${nameOf(4)} of the audit log: no head is signed up to its end. An instance signs one a minute.`,
      ],
    });
    expect(await findProblems()).toEqual([]);
  });

  it('a record that was bound behind a younger one, until that one goes', async () => {
    await insertAgo(database.store, 5);
    await insertAgo(database.store, 2);
    await insertAgo(database.store, 5);
    await sign();
    expect(await sweep(3)).toMatchObject({
      isDone: true,
      lines: [
        expect.stringMatching(/^Swept .* 1 records/),
        expect.stringMatching(/^Kept 1 .* bound behind one that is not/),
      ],
    });
    expect(await countRecords()).toBe(2);
    expect(await sweep(1)).toEqual({
      isDone: true,
      lines: [`Swept ${nameOf(2)} of the audit log: 2 records.`],
    });
  });

  it('what a host with a wrong clock wrote: the database knows when it was bound', async () => {
    await insertAgo(database.store, 5);
    await insertAudit(database.store, { at: dayOf(60, 1) });
    await sign();
    await sweep(3);
    expect(await countRecords()).toBe(1);
    // One from before the database noted it is as old as it says.
    await run('update audit_log_chain set at = null');
    await sweep(3);
    expect(await countRecords()).toBe(0);
  });

  it('the months by the clock of the database where the clock of this host is ahead, and more months where it is behind', async () => {
    await writeMonths();
    const ahead = new Date(Date.now() + 400 * 86_400_000);
    expect(await readLeft(database.store, 2, ahead)).toMatchObject({ keptFrom: dayOf(2, 1) });
    await sweep(2, { now: ahead });
    expect(await countRecords()).toBe(9);
    await sweep(1, { now: dayOf(3, 15) });
    expect(await countRecords()).toBe(9);
  });

  it('records that differ from the verified state: a missing record, or another sweep meanwhile', async () => {
    await writeMonths();
    await run(`delete from audit_log where id = (select id from audit_log_chain where seq = 2)`);
    const digest = randomBytes(32);
    const checkpoint = { seq: 3, sweptBefore: dayOf(4, 1), digest, signature: digest };
    for (const from of [0, 1])
      await expect(sweepRecords(database.store, from, checkpoint)).rejects.toThrow(AuditLogChanged);
    expect(await countRecords()).toBe(17);
  });

  it('everything where it fails in the middle', async () => {
    await writeMonths();
    await run(`alter table audit_log_checkpoint add constraint refused check (seq < 6)`);
    await expect(sweep(2)).rejects.toThrow('refused');
    await run(`alter table audit_log_checkpoint drop constraint refused`);
    expect(await verify()).toMatchObject({ records: 15, swept: 3, problems: [] });
    expect(await sweep(2)).toMatchObject({ isDone: true });
    expect(await verify()).toMatchObject({ records: 9, swept: 9, problems: [] });
  });
});

describe('the log after a sweep', () => {
  it('is whole months, which verify, also against heads from before it', async () => {
    const kept = await writeMonths();
    expect(await sweep(2)).toEqual({
      isDone: true,
      lines: [5, 4, 3].map((months) => `Swept ${nameOf(months)} of the audit log: 3 records.`),
    });
    expect(await verify(kept)).toMatchObject({
      records: 9,
      swept: 9,
      sweptBefore: dayOf(2, 1).toISOString(),
      problems: [],
    });
    for (const head of kept) expect(await findProblems([head])).toEqual([]);
  });

  it('is the same where it is swept again, and less a month later', async () => {
    const kept = await writeMonths();
    await sweep(2);
    expect(await sweep(2)).toEqual({ isDone: true, lines: [] });
    expect(await sweep(1)).toMatchObject({ lines: [`Swept ${nameOf(2)} of the audit log: 3 records.`] });
    expect(await verify(kept)).toMatchObject({ records: 6, swept: 12, problems: [] });
  });

  it('is added to: by instances that know nothing of it, and signed by them, also where nothing was left', async () => {
    const signAgain = createAuditSigner(database.store, { keys, deployment });
    await insertAgo(database.store, 5, 3);
    await signAgain();
    await sweep(2);
    expect(await countRecords()).toBe(0);
    await signAgain();
    await insertAudit(database.store);
    await signAgain();
    expect(await readEnd(database.store)).toMatchObject({ seq: 4 });
    expect(await verify([await sign()])).toMatchObject({ records: 1, swept: 3, problems: [] });
  });

  it('is whole where two sweep at once and others write', async () => {
    const kept = await writeMonths();
    const [one, other] = await Promise.all([
      sweep(2),
      sweep(2),
      ...Array.from({ length: 20 }, () => insertAudit(database.store)),
    ]);
    expect([one, other]).toMatchObject([{ isDone: true }, { isDone: true }]);
    const swept = [one, other].flatMap((done) => (done as { lines: string[] }).lines);
    expect(swept.sort()).toEqual(
      [5, 4, 3].map((months) => `Swept ${nameOf(months)} of the audit log: 3 records.`),
    );
    expect(await verify(kept)).toMatchObject({ records: 29, swept: 9, problems: [] });
  });

  it('is signed with the new master key while the previous one is known', async () => {
    await writeMonths();
    await sweep(2);
    const newer = randomBytes(32);
    await signAuditEnd(database.store, { keys: [newer], deployment });
    await run('delete from audit_log_heads');
    expect((await verify([], [newer])).problems).toMatchObject([{ what: 'checkpoint_changed' }]);
    await sweep(0, { by: [newer, ...keys] });
    expect((await verify([], [newer])).problems).toEqual([]);
  });
});

describe('tampering with every right in the database is found when it', () => {
  let kept: readonly AuditChainPosition[];
  beforeEach(async () => {
    kept = await writeMonths();
    await sweep(3);
    expect(await verify()).toMatchObject({ swept: 6, problems: [] });
  });

  const removeUpTo = (seq: number) =>
    run(`delete from audit_log where id in (select id from audit_log_chain where seq <= ${seq})`);

  it('removes a record directly after the swept ones, with its chain entry or without', async () => {
    await removeUpTo(7);
    expect(await findProblems()).toMatchObject([{ seq: 7, what: 'removed' }]);
    await run('delete from audit_log_chain where seq = 7');
    expect(await findProblems()).toMatchObject([{ seq: 7, what: 'removed' }]);
  });

  it.each([
    ['moves it', 'seq = 7'],
    ['moves its time', `swept_before = swept_before + interval '1 month'`],
    ['fakes its digest', `digest = sha256('x')`],
    ['fakes its signature', `signature = sha256('x')`],
  ])('removes a record and the checkpoint’s word for it: %s', async (_what, change) => {
    await removeUpTo(7);
    await run(`update audit_log_checkpoint set ${change}`);
    expect(await findProblems()).toContainEqual(expect.objectContaining({ what: 'checkpoint_changed' }));
    expect(await sweep(1)).toEqual({
      isDone: false,
      lines: [expect.stringMatching(/^Kept all .* neither master key signed its checkpoint/)],
    });
  });

  it('fakes a sweep where there was none, or puts back an older one', async () => {
    const { rows } = await sql<object>`select * from audit_log_checkpoint`.execute(database.store);
    await sign();
    await sweep(2);
    await run('delete from audit_log_checkpoint');
    expect(await findProblems()).toMatchObject(
      Array.from({ length: 9 }, (_, n) => ({ seq: n + 1, what: 'removed' })),
    );
    await database.store
      .insertInto('audit_log_checkpoint')
      .values(rows as never)
      .execute();
    expect(await findProblems()).toMatchObject([7, 8, 9].map((seq) => ({ seq, what: 'removed' })));
    await run(`update audit_log_checkpoint set seq = 9, digest = sha256('x')`);
    expect(await findProblems()).toMatchObject([{ seq: 9, what: 'checkpoint_changed' }]);
  });

  it('takes a head of the log for a checkpoint', async () => {
    await removeUpTo(9);
    await run(`update audit_log_checkpoint set seq = head.seq, digest = head.hash, signature = head.signature
      from audit_log_heads as head where head.seq = 9`);
    expect(await findProblems()).toMatchObject([{ seq: 9, what: 'checkpoint_changed' }]);
  });

  it.each([
    ['changes a hash', `update audit_log_chain set hash = sha256('x') where seq = 2`, 'swept_changed'],
    ['changes the last hash', `update audit_log_chain set hash = sha256('x') where seq = 6`, 'swept_changed'],
    ['removes a place', 'delete from audit_log_chain where seq = 2', 'removed'],
    ['removes the last place', 'delete from audit_log_chain where seq = 6', 'removed'],
    ['removes all places', 'delete from audit_log_chain where seq <= 6', 'removed'],
  ])('%s of what was swept', async (_what, change, what) => {
    await run('truncate audit_log_heads');
    await run(change);
    expect(await findProblems()).toContainEqual(expect.objectContaining({ what }));
  });

  it('puts a record where one was swept', async () => {
    const { rows } = await sql<{ id: string }>`select id from audit_log_chain where seq = 3`.execute(
      database.store,
    );
    await untriggered(database.store, (store) => insertAudit(store, { id: rows[0]?.id }));
    expect(await findProblems()).toMatchObject([{ seq: 3, what: 'added' }]);
    await run(`update audit_log set at = '2020-01-01' where id = '${rows[0]?.id}'`);
    expect(await sweep(3)).toMatchObject({
      isDone: false,
      lines: [expect.stringMatching(/^Kept 1 .* are back after they were swept/)],
    });
  });

  it('cuts off all that the sweep left, and more', async () => {
    await cutOff(database.store, 14);
    expect(await findProblems()).toContainEqual(expect.objectContaining({ seq: 5, what: 'removed' }));
  });

  it('makes young records old, and lets an instance that remembers nothing sign and an operator sweep them', async () => {
    await run(`update audit_log set at = at - interval '1 year'
      where id in (select id from audit_log_chain where seq between 7 and 15)`);
    await run(`update audit_log_chain set at = at - interval '1 year' where seq <= 15`);
    await run(`delete from audit_log where id = (select id from audit_log_chain where seq = 8)`);
    await rewriteChain(database.store, 7);
    // What the helper makes anew, it binds now.
    await run('update audit_log_chain set at = null');
    await run('truncate audit_log_heads');
    await sign();
    expect(await sweep(2)).toMatchObject({ isDone: true });
    expect(await countRecords()).toBe(3);
    // The control: nothing in the database tells.
    expect(await findProblems()).toEqual([]);
    const heads = kept.slice(2);
    for (const head of heads) {
      const what = head.seq > 17 ? 'removed' : 'rewritten';
      expect((await findProblems([head]))[0]).toMatchObject({ seq: head.seq, what });
    }
    // Nor does it help to put the hashes back that were kept elsewhere.
    for (const { seq, hash } of heads)
      await run(`update audit_log_chain set hash = '\\x${hash.toString('hex')}' where seq = ${seq}`);
    expect(await findProblems()).toContainEqual(expect.objectContaining({ what: 'swept_changed' }));
  });
});
