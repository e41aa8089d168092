// Tamperings with the audit log by an attacker with every right in the database, and without the master key, up to rewriting its
// whole chain; and the record that `verify` must name for each.
import { sql } from 'kysely';
import { findDeployment } from '../../packages/server/src/cluster/store/deployment.ts';
import type { Store, StoreTransaction } from '../../packages/server/src/cluster/store/store.ts';
import type { AuditChainPosition } from '../../packages/server/src/logs/audit/audit-chain.ts';
import { signAuditEnd } from '../../packages/server/src/logs/audit/sign-audit-head.ts';
import { type AuditProblem, verifyAuditLog } from '../../packages/server/src/logs/audit/verify-audit.ts';
import { verifyLoginRecords } from '../../packages/server/src/logs/evidence/verify.ts';
import { eraseAuditLog } from '../../packages/server/src/people/erasure/erase-audit-records.ts';
import {
  cutOff,
  insertAudit,
  insertMany,
  rewriteChain,
} from '../../packages/server/test/logs/audit/audit-world.ts';
import type { Random } from '../fuzz/random.ts';
import { beginErasure } from './erase-some.ts';
import { givenUp } from './given-up.ts';

interface Aim {
  readonly store: StoreTransaction;
  readonly random: Random;
  /** The number of the record to tamper with. */
  readonly seq: number;
  readonly keys: readonly [Buffer, ...Buffer[]];
}

type Tampering = (aim: Aim) => Promise<Partial<AuditProblem>>;

const records = 200;
const signedEvery = 25;
const nextSigned = (seq: number) => Math.ceil(seq / signedEvery) * signedEvery;

const changes: Readonly<Record<string, readonly string[]>> = {
  id: ['gen_random_uuid()'],
  at: [`at + interval '1 microsecond'`, `at - interval '1 year'`, `'infinity'`],
  actor_id: ['actor_id + 1', '0'],
  actor_name: [`'mallory'`, `actor_name || ' '`, `upper('a') || actor_name`],
  actor_role: [`'clerk'`],
  action: [`'user.delete'`, `'role.update'`],
  target: [`'user 9'`, `target || '0'`],
  before: ['null', `'null'`, `'{}'`, `before || '{"x": null}'`, `jsonb_set(before, '{name}', '"b"')`],
  after: [`'null'`, `'{}'`, 'before'],
  request_id: [`''`, `request_id || '1'`],
  ip: [`'192.0.2.2'`, `'192.0.2.1/31'`, `'::1'`],
};

const idAt = (seq: number) => `(select id from audit_log_chain where seq = ${seq})`;

const tamperings: Readonly<Record<string, Tampering>> = {
  'audit: change a column': async (aim) => {
    const column = aim.random.pick(Object.keys(changes));
    await changeColumn(aim, column);
    return { seq: aim.seq, what: column === 'id' ? 'removed' : 'changed' };
  },
  'audit: remove a record': async ({ store, seq }) => {
    await run(store, `delete from audit_log where id = ${idAt(seq)}`);
    return { seq, what: 'removed' };
  },
  'audit: remove records with their places': async ({ store, seq, random }) => {
    await run(
      store,
      `with gone as (delete from audit_log_chain where seq between ${seq} and ${seq + random.below(9)} returning id)
       delete from audit_log where id in (select id from gone)`,
    );
    return { seq, what: 'removed' };
  },
  'audit: remove a record and renumber the rest': async ({ store, seq }) => {
    await run(store, `delete from audit_log where id = ${idAt(seq)}`);
    await run(store, `delete from audit_log_chain where seq = ${seq}`);
    // In two steps: a number is unique.
    for (const step of ['+ 1000000', '- 1000001'])
      await run(store, `update audit_log_chain set seq = seq ${step} where seq > ${seq}`);
    await run(store, 'update audit_log_end set seq = seq - 1');
    return { seq, what: seq === records ? 'removed' : 'changed' };
  },
  'audit: exchange two places': async ({ store, seq }) => {
    const other = seq === 1 ? 2 : 1;
    await run(
      store,
      `update audit_log_chain as one set id = other.id from audit_log_chain as other
       where one.seq in (${seq}, ${other}) and other.seq in (${seq}, ${other}) and one.seq <> other.seq`,
    );
    return { seq, what: 'changed' };
  },
  'audit: add a record without a place': async ({ store }) => {
    const id = await insertAudit(store);
    return { id, what: 'added' };
  },
  'audit: change a hash': async ({ store, seq }) => {
    await run(store, `update audit_log_chain set hash = sha256(hash) where seq = ${seq}`);
    return { seq, what: 'changed' };
  },
  'audit: change a record with its hash': async (aim) => {
    await changeColumn(aim, 'target');
    await run(
      aim.store,
      `update audit_log_chain as chained set hash = audit_log_hash(
         coalesce((select hash from audit_log_chain where seq = ${aim.seq - 1}),
           sha256(convert_to('portcullis audit log 1 ' || (select id from deployment), 'UTF8'))), chained.seq, audit_log)
       from audit_log where chained.seq = ${aim.seq} and audit_log.id = chained.id`,
    );
    // `verify` cannot know which of the two was changed.
    return aim.seq === records ? { seq: records, what: 'rewritten' } : { seq: aim.seq + 1, what: 'changed' };
  },
  'audit: change a record and rewrite the chain': async (aim) => {
    await changeColumn(aim, 'target');
    await rewriteChain(aim.store, aim.seq);
    return { seq: nextSigned(aim.seq), what: 'rewritten' };
  },
  'audit: change a record, rewrite the chain and delete its heads': async (aim) => {
    await changeColumn(aim, 'before');
    await rewriteChain(aim.store, aim.seq);
    await run(aim.store, 'delete from audit_log_heads');
    return { seq: records, what: 'rewritten' };
  },
  'audit: remove a record, rewrite the chain and write others instead': async ({ store, seq }) => {
    await run(store, `delete from audit_log where id = ${idAt(seq)}`);
    await rewriteChain(store, seq);
    const id = await insertAudit(store);
    await run(
      store,
      `insert into audit_log_chain select seq + 1, '${id}', audit_log_hash(hash, seq + 1, audit_log)
      from audit_log_end, audit_log where audit_log.id = '${id}'`,
    );
    await run(
      store,
      'update audit_log_end set seq = last.seq, hash = last.hash from (select * from audit_log_chain order by seq desc limit 1) as last',
    );
    return { seq: nextSigned(seq), what: 'rewritten' };
  },
  'audit: cut off the end': async ({ store, seq }) => {
    await cutOff(store, records - seq + 1);
    return { seq, what: 'removed' };
  },
  'audit: begin again with nothing': async ({ store }) => {
    await cutOff(store, records);
    return { seq: 1, what: 'removed' };
  },
  'audit: change a head': async ({ store, random }) => {
    const change = random.pick([`hash = sha256('x')`, `signature = sha256('x')`, 'seq = seq + 1000']);
    await run(store, `update audit_log_heads set ${change} where seq = ${signedEvery}`);
    return { what: 'head_changed' };
  },
  'audit: remove the newest head': async ({ store }) => {
    await run(store, `delete from audit_log_heads where seq = ${records}`);
    return { what: 'head_removed' };
  },
  'audit: make a record unreadable': async ({ store, random }) => {
    const seq = await pickPlace(store, random, false);
    const seal = random.pick([
      'null',
      'hash',
      '(select seal from audit_log_chain where seal is not null limit 1)',
    ]);
    await run(store, `update audit_log set ${blank} where id = ${idAt(seq)}`);
    await run(
      store,
      `update audit_log_chain set erasure = (select id from erasures limit 1), seal = ${seal} where seq = ${seq}`,
    );
    return { seq, what: 'changed' };
  },
  'audit: mark a readable record as erased': async ({ store, random }) => {
    const seq = await pickPlace(store, random, false);
    await run(
      store,
      `update audit_log_chain set erasure = (select id from erasures limit 1) where seq = ${seq}`,
    );
    return { seq, what: 'changed' };
  },
  'audit: change the rest of an erased record': async ({ store, random }) => {
    const seq = await pickPlace(store, random, true);
    const column = random.pick([
      'at',
      'actor_id',
      'actor_name',
      'action',
      'target',
      'before',
      'request_id',
      'ip',
    ]);
    await changeColumn({ store, random, seq }, column);
    return { seq, what: 'changed' };
  },
  'audit: change the seal or the erasure of an erased record': async ({ store, random }) => {
    const seq = await pickPlace(store, random, true);
    const change = random.pick([
      'seal = null',
      'seal = hash',
      'erasure = null',
      'erasure = gen_random_uuid()',
    ]);
    await run(store, `update audit_log_chain set ${change} where seq = ${seq}`);
    return { seq, what: 'changed' };
  },
  'audit: change a record and have the person erased': async ({ store, random, keys }) => {
    const seq = await pickPlace(store, random, false);
    await run(store, `update audit_log set action = 'user.disable' where id = ${idAt(seq)}`);
    const erasure = await beginErasure(store, keys[0], 8);
    const deployment = await findDeployment(store);
    for await (const _ of eraseAuditLog(store, { keys, deployment, erasure, userId: 8 }));
    return { seq, what: 'changed' };
  },
  'audit: change its end': async ({ store, random }) => {
    await run(
      store,
      random.pick(['delete from audit_log_end', `update audit_log_end set hash = sha256('x')`]),
    );
    return { what: 'end_changed' };
  },
};

/** To another value: a change to the same value is no tampering. */
async function changeColumn({ store, random, seq }: Omit<Aim, 'keys'>, column: string): Promise<void> {
  const values = changes[column] ?? [];
  const first = random.below(values.length);
  for (const value of [...values.slice(first), ...values.slice(0, first)]) {
    const { numAffectedRows } = await sql
      .raw(
        `update audit_log set ${column} = ${value} where id = ${idAt(seq)} and ${column} is distinct from ${value}`,
      )
      .execute(store);
    if (numAffectedRows === 1n) return;
  }
  throw new Error(`No value changes ${column} of record ${seq}.`);
}

const blank = `before = without_texts(before), after = without_texts(after), request_id = '[erased]'`;

/** A position whose record was erased, or one whose record was not. */
async function pickPlace(store: StoreTransaction, random: Random, isErased: boolean): Promise<number> {
  const { rows } = await sql<{ seq: number }>`
    select seq from audit_log_chain where (erasure is not null) = ${isErased} order by seq`.execute(store);
  return random.pick(rows).seq;
}

async function run(store: StoreTransaction, statement: string): Promise<void> {
  await sql.raw(statement).execute(store);
}

interface AuditRun {
  readonly done: ReadonlyMap<string, number>;
  readonly found: number;
  readonly failures: readonly string[];
  /** How many a verification of the login log alone would have found. */
  readonly control: number;
}

export async function runAudit(
  store: Store,
  random: Random,
  keys: readonly [Buffer, ...Buffer[]],
  count: number,
): Promise<AuditRun> {
  const deployment = await findDeployment(store);
  let kept: AuditChainPosition[] = [];
  for (let written = 0; written < records; written += signedEvery) {
    await insertMany(store, signedEvery - 8);
    // Of an erased person.
    for (let n = 0; n < 8; n += 1) await insertAudit(store, { target: 'user 9' });
    kept = [await signAuditEnd(store, { keys, deployment })];
  }
  const erasure = await beginErasure(store, keys[0], 9);
  for await (const _ of eraseAuditLog(store, { keys, deployment, erasure, userId: 9 }));
  const verify = async (transaction: StoreTransaction) =>
    (await verifyAuditLog(transaction, { keys, deployment, kept })).problems;
  const whole = await givenUp(store, verify);
  if (whole.length > 0) throw new Error(`The unchanged audit log: ${JSON.stringify(whole)}`);
  const done = new Map<string, number>();
  const failures: string[] = [];
  const names = Object.keys(tamperings);
  for (let n = 0; n < count; n += 1) {
    const name = names[n % names.length] ?? '';
    const seq = 1 + random.below(records);
    const { expected, problems } = await givenUp(store, async (transaction) => ({
      expected: await tamperings[name]?.({ store: transaction, random, seq, keys }),
      problems: await verify(transaction),
    }));
    done.set(name, (done.get(name) ?? 0) + 1);
    const isNamed = problems.some((problem) =>
      Object.entries(expected ?? {}).every(([key, value]) => problem[key as keyof AuditProblem] === value),
    );
    if (!isNamed)
      failures.push(
        `${name}, ${seq}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(problems.slice(0, 5))}`,
      );
  }
  const control = await givenUp(store, async (transaction) => {
    await run(transaction, `update audit_log set target = 'user 9'`);
    const before = await verifyLoginRecords(transaction, { keys });
    await run(transaction, 'delete from audit_log');
    return (await verifyLoginRecords(transaction, { keys })).problems.length - before.problems.length;
  });
  return { done, found: count - failures.length, failures, control };
}
