// Tamperings by an attacker with every right in the database, and without the master key, where old months of the audit log
// were swept: fake a sweep, move one, or hide a removed record behind one.
import { sql } from 'kysely';
import { findDeployment } from '../../packages/server/src/cluster/store/deployment.ts';
import {
  openStore,
  type Store,
  type StoreTransaction,
} from '../../packages/server/src/cluster/store/store.ts';
import {
  type AuditChainPosition,
  signAuditCheckpoint,
} from '../../packages/server/src/logs/audit/audit-chain.ts';
import { signAuditEnd } from '../../packages/server/src/logs/audit/sign-audit-head.ts';
import { type AuditProblem, verifyAuditLog } from '../../packages/server/src/logs/audit/verify-audit.ts';
import { sweepAuditLog } from '../../packages/server/src/logs/evidence/audit-log-retention.ts';
import { insertAgo, insertAudit, rewriteChain } from '../../packages/server/test/logs/audit/audit-world.ts';
import type { Random } from '../fuzz/random.ts';
import { createDatabase } from '../rig/create-database.ts';
import { givenUp } from './given-up.ts';
import { patientUrl } from './patient-url.ts';

interface Aim {
  readonly store: StoreTransaction;
  readonly random: Random;
  readonly deployment: string;
  /** The number of a record that was swept. */
  readonly swept: number;
  /** The number of one that is there. */
  readonly left: number;
}

type Tampering = (aim: Aim) => Promise<Partial<AuditProblem>>;

const monthsAgo = [6, 5, 4, 3, 2, 1];
const perMonth = 10;
const keptMonths = 3;
const records = monthsAgo.length * perMonth;
const cut = monthsAgo.filter((months) => months > keptMonths).length * perMonth;

async function run(store: StoreTransaction, statement: string): Promise<void> {
  await sql.raw(statement).execute(store);
}

/** From the oldest that is there on. */
async function removeUpTo(store: StoreTransaction, seq: number): Promise<void> {
  await run(store, `delete from audit_log where id in (select id from audit_log_chain where seq <= ${seq})`);
}

const tamperings: Readonly<Record<string, Tampering>> = {
  'sweep: remove a record beside it': async ({ store, left }) => {
    await run(store, `delete from audit_log where id = (select id from audit_log_chain where seq = ${left})`);
    return { seq: left, what: 'removed' };
  },
  'sweep: remove the records right behind it with their places': async ({ store, left }) => {
    await removeUpTo(store, left);
    await run(store, `delete from audit_log_chain where seq between ${cut + 1} and ${left}`);
    return { seq: cut + 1, what: 'removed' };
  },
  'sweep: remove records and move the checkpoint': async ({ store, left }) => {
    await removeUpTo(store, left);
    await run(store, `update audit_log_checkpoint set seq = ${left}`);
    return { seq: left, what: 'checkpoint_changed' };
  },
  'sweep: remove records and forge a checkpoint that fits': async ({ store, left, random, deployment }) => {
    await removeUpTo(store, left);
    const { rows } = await sql<{ digest: Buffer; sweptBefore: Date }>`
      select sha256(string_agg(hash, ''::bytea order by audit_log_chain.seq)) as digest, swept_before as "sweptBefore"
      from audit_log_chain, audit_log_checkpoint where audit_log_chain.seq <= ${left} group by swept_before`.execute(
      store,
    );
    const [{ digest, sweptBefore } = { digest: Buffer.alloc(0), sweptBefore: new Date() }] = rows;
    const key = Buffer.from(Array.from({ length: 32 }, () => random.below(256)));
    const signature = signAuditCheckpoint(key, deployment, { seq: left, sweptBefore, digest });
    await store.updateTable('audit_log_checkpoint').set({ seq: left, digest, signature }).execute();
    return { seq: left, what: 'checkpoint_changed' };
  },
  'sweep: remove records and use a head as the checkpoint': async ({ store, left }) => {
    const seq = Math.ceil(left / perMonth) * perMonth;
    await removeUpTo(store, seq);
    await run(
      store,
      `update audit_log_checkpoint set seq = head.seq, digest = head.hash, signature = head.signature
       from audit_log_heads as head where head.seq = ${seq}`,
    );
    return { seq, what: 'checkpoint_changed' };
  },
  'sweep: change its checkpoint': async ({ store, random }) => {
    const change = random.pick([
      'seq = seq - 1',
      'seq = seq + 1',
      `swept_before = swept_before + interval '1 month'`,
      `digest = sha256(digest)`,
      `signature = sha256(signature)`,
    ]);
    await run(store, `update audit_log_checkpoint set ${change}`);
    return { what: 'checkpoint_changed' };
  },
  'sweep: delete its checkpoint': async ({ store }) => {
    await run(store, 'delete from audit_log_checkpoint');
    return { seq: 1, what: 'removed' };
  },
  'sweep: change a position of a removed record': async ({ store, swept }) => {
    await run(store, `update audit_log_chain set hash = sha256(hash) where seq = ${swept}`);
    return { seq: cut, what: 'swept_changed' };
  },
  'sweep: remove a position of a removed record': async ({ store, swept }) => {
    await run(store, `delete from audit_log_chain where seq = ${swept}`);
    return { seq: swept, what: 'removed' };
  },
  'sweep: put another record at the position of a removed one': async ({ store, swept }) => {
    const { rows } = await sql<{ id: string }>`select id from audit_log_chain where seq = ${swept}`.execute(
      store,
    );
    await insertAudit(store, { id: rows[0]?.id });
    return { seq: swept, what: 'added' };
  },
};

interface SweepRun {
  readonly done: ReadonlyMap<string, number>;
  readonly found: number;
  readonly failures: readonly string[];
  readonly swept: number;
  /** The control: a sweep after the chain was rewritten is detected only with an anchor. */
  readonly isUnanchoredBlind: boolean;
}

export async function runSweeps(
  random: Random,
  keys: readonly [Buffer, ...Buffer[]],
  count: number,
): Promise<SweepRun> {
  const database = await createDatabase({ migrated: true });
  const store = openStore({
    url: patientUrl(database.url),
    poolSize: 2,
    statementTimeoutMilliseconds: 0,
    onConnectionLost: console.error,
  });
  try {
    return await tamperAround(store, random, keys, count);
  } finally {
    await store.destroy();
    await database.drop();
  }
}

async function tamperAround(
  store: Store,
  random: Random,
  keys: readonly [Buffer, ...Buffer[]],
  count: number,
): Promise<SweepRun> {
  const deployment = await findDeployment(store);
  const kept: AuditChainPosition[] = [];
  for (const months of monthsAgo) {
    await insertAgo(store, months, perMonth);
    kept.push(await signAuditEnd(store, { keys, deployment }));
  }
  const sweep = () => sweepAuditLog(store, { keys, keptMonths, report: () => {}, now: new Date() });
  const verify = async (transaction: StoreTransaction, anchor: readonly AuditChainPosition[] = kept) =>
    await verifyAuditLog(transaction, { keys, deployment, kept: anchor });
  if (!(await sweep())) throw new Error('The audit log was not swept.');
  const whole = await givenUp(store, verify);
  if (whole.problems.length > 0 || whole.swept !== cut)
    throw new Error(`The unchanged swept log: ${JSON.stringify(whole)}`);
  const done = new Map<string, number>();
  const failures: string[] = [];
  const names = Object.keys(tamperings);
  for (let n = 0; n < count; n += 1) {
    const name = names[n % names.length] ?? '';
    const aim = {
      random,
      deployment,
      swept: 1 + random.below(cut),
      left: cut + 1 + random.below(records - cut),
    };
    const { expected, problems } = await givenUp(store, async (transaction) => ({
      expected: await tamperings[name]?.({ ...aim, store: transaction }),
      // By what the database holds: an anchor is not needed for these.
      problems: (await verify(transaction, [])).problems,
    }));
    done.set(name, (done.get(name) ?? 0) + 1);
    const isNamed = problems.some((problem) =>
      Object.entries(expected ?? {}).every(([key, value]) => problem[key as keyof AuditProblem] === value),
    );
    if (!isNamed)
      failures.push(
        `${name}, ${aim.swept}, ${aim.left}: expected ${JSON.stringify(expected)}, found ${JSON.stringify(problems.slice(0, 5))}`,
      );
  }
  const hidden = await hideBehindSweep(store, sweep, async () => {
    await signAuditEnd(store, { keys, deployment });
  });
  if (!hidden) throw new Error('The audit log that was made anew was not swept.');
  const findWith = async (anchor: readonly AuditChainPosition[]) =>
    (await givenUp(store, (transaction) => verify(transaction, anchor))).problems.length;
  for (const head of kept.filter(({ seq }) => seq > cut))
    if ((await findWith([head])) === 0)
      failures.push(`hidden behind a sweep, and the anchor of ${head.seq} did not tell`);
  const isUnanchoredBlind = (await findWith([])) === 0;
  return { done, found: count - failures.length, failures, swept: cut, isUnanchoredBlind };
}

/** Young records are made old and one is removed; an instance that remembers nothing signs that, and it is swept. */
async function hideBehindSweep(
  store: Store,
  sweep: () => Promise<boolean>,
  sign: () => Promise<void>,
): Promise<boolean> {
  await store.transaction().execute(async (transaction) => {
    await run(transaction, 'set local session_replication_role = replica');
    await run(transaction, `update audit_log set at = at - interval '1 year'`);
    await run(
      transaction,
      `delete from audit_log where id = (select id from audit_log_chain where seq = ${cut + 5})`,
    );
    await rewriteChain(transaction, cut + 1);
    await run(transaction, 'update audit_log_chain set at = null');
    await run(transaction, 'delete from audit_log_heads');
  });
  await sign();
  return await sweep();
}
