// Cuts off the end of the login log or the audit log, with all heads that reach beyond it: the rest is consistent,
// and only heads that were kept elsewhere reveal the cut.
import { sql } from 'kysely';
import { findDeployment } from '../../packages/server/src/cluster/store/deployment.ts';
import {
  openStore,
  type Store,
  type StoreTransaction,
} from '../../packages/server/src/cluster/store/store.ts';
import { verifyAuditLog } from '../../packages/server/src/logs/audit/verify-audit.ts';
import { mergeKeptHeads, parseKeptHeads } from '../../packages/server/src/logs/evidence/kept-heads.ts';
import { verifyLoginRecords, writeHeads } from '../../packages/server/src/logs/evidence/verify.ts';
import { cutOff, insertMany } from '../../packages/server/test/logs/audit/audit-world.ts';
import { writeChain } from '../../packages/server/test/logs/login-log/write-chain.ts';
import type { Random } from '../fuzz/random.ts';
import { createDatabase } from '../rig/create-database.ts';
import { givenUp } from './given-up.ts';
import { patientUrl } from './patient-url.ts';

const chains = 8;
const recordsPerChain = 20;
const auditRecords = 60;

interface Cuts {
  readonly found: number;
  /** How many cuts a verification without an anchor missed. */
  readonly unanchored: number;
}

export async function runCuts(
  random: Random,
  keys: readonly [Buffer, ...Buffer[]],
  count: number,
): Promise<Cuts> {
  const database = await createDatabase({ migrated: true });
  const store = openStore({
    url: patientUrl(database.url),
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    onConnectionLost: console.error,
  });
  try {
    return await cutOffMany(store, random, keys, count);
  } finally {
    await store.destroy();
    await database.drop();
  }
}

async function cutOffMany(
  store: Store,
  random: Random,
  keys: readonly [Buffer, ...Buffer[]],
  count: number,
): Promise<Cuts> {
  await writeLogs(store, keys[0]);
  const deployment = await findDeployment(store);
  const { text } = await writeHeads(store, keys, new Date());
  const kept = mergeKeptHeads([parseKeptHeads(keys, text)].filter((read) => read !== undefined));
  const countProblems = async (transaction: StoreTransaction, anchor: typeof kept) => {
    const login = await verifyLoginRecords(transaction, { keys, kept: anchor });
    const audit = await verifyAuditLog(transaction, { keys, deployment, kept: anchor?.audit ?? [] });
    return login.problems.length + audit.problems.length;
  };
  let [found, unanchored] = [0, 0];
  for (let n = 0; n < count; n += 1)
    await givenUp(store, async (transaction) => {
      if ((await countProblems(transaction, kept)) > 0) throw new Error('These logs were not changed.');
      if (random.once(2)) await cutOff(transaction, 1 + random.below(auditRecords));
      else await cutOffLogins(transaction, 1 + random.below(chains * recordsPerChain));
      if ((await countProblems(transaction, kept)) > 0) found += 1;
      if ((await countProblems(transaction, undefined)) === 0) unanchored += 1;
    });
  return { found, unanchored };
}

/** Chains that lie side by side, each with its head. */
async function writeLogs(store: Store, key: Buffer): Promise<void> {
  const begin = Date.now() - 3_600_000;
  for (let chain = 0; chain < chains; chain += 1)
    await writeChain(store, {
      key,
      times: Array.from({ length: recordsPerChain }, (_, index) => begin + index * 60_000 + chain),
    });
  await insertMany(store, auditRecords);
}

/** The newest records of all chains. */
async function cutOffLogins(store: StoreTransaction, count: number): Promise<void> {
  await sql`delete from login_log where id in (select id from login_log order by id desc limit ${count})`.execute(
    store,
  );
  await sql`
    delete from login_log_heads as head
    where seq > (select coalesce(max(seq), 0) from login_log where chain = head.chain)`.execute(store);
}
