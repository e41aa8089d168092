// Tampers with both logs and looks whether `verify` names what was done: `npm run tamper -- --cases 10000 --audit 2000
// --sweeps 1000 --cuts 1000 --seed 7`. In every round each tampering has separate chains. The whole log is verified by the product's own code, with the
// heads that were kept from before; then everything is undone. An unchanged chain must not be named.
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { parseMasterKey } from '../../packages/server/src/base/settings/master-key.ts';
import { openStore, type Store } from '../../packages/server/src/cluster/store/store.ts';
import type { KeptHeads } from '../../packages/server/src/logs/evidence/kept-heads.ts';
import { collectHeads, verifyLoginLog } from '../../packages/server/src/logs/evidence/verify.ts';
import { Random } from '../fuzz/random.ts';
import { createDatabase } from '../rig/create-database.ts';
import { masterKey } from '../rig/master-key.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { runAudit } from './audit-tamperings.ts';
import { runCuts } from './cut-ends.ts';
import { eraseLogins } from './erase-some.ts';
import { type ChainPlaces, copyLog, undo } from './log-copy.ts';
import { makeLog } from './make-log.ts';
import { patientUrl } from './patient-url.ts';
import { runRound } from './run-round.ts';
import { runSweeps } from './sweep-tamperings.ts';

/** Where every change is run, each tampering has a few cases in a log of some thousand records. */
const isSmall = process.env.CI === 'true';
const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: isSmall ? '80' : '300' },
    /** Tamperings of the audit log. */
    audit: { type: 'string', default: isSmall ? '50' : '150' },
    /** Tamperings around a sweep of the audit log. */
    sweeps: { type: 'string', default: isSmall ? '24' : '60' },
    /** Ends that are cut off, of either log. */
    cuts: { type: 'string', default: isSmall ? '16' : '60' },
    seed: { type: 'string', default: '1' },
  },
});
const cases = Number(values.cases);
const random = new Random(Number(values.seed));
/** Each has two chains. */
const casesPerRound = 200;
const previousMasterKey = randomBytes(32).toString('hex');
const keys: [Buffer, Buffer] = [chainKeyOf(masterKey), chainKeyOf(previousMasterKey)];

const database = await createDatabase({ migrated: true });
const store = openStore({
  url: patientUrl(database.url),
  poolSize: 2,
  statementTimeoutMilliseconds: 0,
  onConnectionLost: console.error,
});
const client = new pg.Client({ connectionString: database.url });
await client.connect();
try {
  const size = isSmall ? { chains: 240, recordsPerChain: 20 } : { chains: 600, recordsPerChain: 60 };
  await makeLog(store, random, { keys, ...size });
  const chains = await copyLog(client);
  const kept = await collectHeads(store, keys);
  const figures = await expectWhole(store, kept);
  console.log(
    `A log of ${figures.records} records, ${figures.deadLetters} of them put aside and ${figures.erased} erased, in ${chains.length} chains.`,
  );
  await tamper(chains, kept);
  await expectWhole(store, kept);
  await runCommandLine(store, chains);
  await tamperWithAudit(Number(values.audit));
  await tamperWithSweep(Number(values.sweeps));
  await cutOffEnds(Number(values.cuts));
} finally {
  await client.end();
  await store.destroy();
  await database.drop();
}

async function tamper(chains: readonly ChainPlaces[], kept: KeptHeads): Promise<void> {
  const startedAt = performance.now();
  const done = new Map<string, number>();
  const failures: string[] = [];
  let left = cases;
  while (left > 0 && failures.length < 20) {
    const round = await runRound(
      {
        client,
        random,
        chains,
        cases: Math.min(left, casesPerRound),
        from: cases - left,
        erase: async (userId) => void (await eraseLogins(store, keys, userId)),
      },
      async () => {
        const { problems } = await verifyLoginLog(store, { keys, kept });
        return problems;
      },
    );
    await undo(client);
    failures.push(...round.failures);
    for (const name of round.done) done.set(name, (done.get(name) ?? 0) + 1);
    left -= round.done.length;
    if (left > 0) console.log(`${left} to come`);
  }
  for (const [name, count] of [...done].sort()) console.log(`${String(count).padStart(7)}  ${name}`);
  for (const failure of failures) console.error(failure);
  const total = cases - left;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${total} tamperings in ${seconds} s: ${total - failures.length} found, ${failures.length} not.`,
  );
  if (failures.length > 0) process.exitCode = 1;
}

async function expectWhole(of: Store, kept: KeptHeads) {
  const findings = await verifyLoginLog(of, { keys, kept });
  if (findings.problems.length > 0)
    throw new Error(`The unchanged log: ${JSON.stringify(findings.problems.slice(0, 5))}`);
  return findings;
}

/** Once as an operator does it. */
async function runCommandLine(of: Store, [chain]: readonly ChainPlaces[]): Promise<void> {
  const file = join(tmpdir(), `portcullis-tamper-${process.pid}.json`);
  const heads = await runCommand('log', 'head');
  await writeFile(file, heads.output);
  const unanchored = await runCommand('log', 'verify');
  const whole = await runCommand('log', 'verify', '--anchor', file);
  const place = chain?.places.find(({ isRejected }) => !isRejected);
  await of.deleteFrom('login_log').where('id', '=', String(place?.id)).execute();
  const broken = await runCommand('log', 'verify', '--anchor', file);
  await rm(file);
  console.log(unanchored.output.trim());
  console.log(whole.output.trim());
  console.log(broken.output.trim());
  const isNamed = broken.output.includes(
    `Login log, chain ${chain?.chain}: record ${place?.seq} was removed.`,
  );
  const codes = [unanchored.code, whole.code, broken.code];
  if (String(codes) === '3,0,1' && isNamed && unanchored.output.includes('Not anchored')) return;
  console.error(`The command line ended with ${codes}.`);
  process.exitCode = 1;
}

async function runCommand(...command: string[]) {
  const environment = { ...baseSettings(database.url), AUTH_PREVIOUS_MASTER_KEY: previousMasterKey };
  const running = startProcess({ script: commandLine, arguments: command, environment });
  return { code: await running.exited, output: running.output };
}

/** Each in a transaction that is rolled back. */
async function tamperWithAudit(count: number): Promise<void> {
  const startedAt = performance.now();
  const { done, found, failures, control } = await runAudit(store, random, keys, count);
  for (const [name, n] of [...done].sort()) console.log(`${String(n).padStart(7)}  ${name}`);
  for (const failure of failures.slice(0, 20)) console.error(failure);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${count} tamperings with the audit log in ${seconds} s: ${found} found, ${count - found} not; without its chain ${control}.`,
  );
  if (found !== count || control !== 0) process.exitCode = 1;
}

async function tamperWithSweep(count: number): Promise<void> {
  const { done, found, failures, swept, isUnanchoredBlind } = await runSweeps(random, keys, count);
  for (const [name, n] of [...done].sort()) console.log(`${String(n).padStart(7)}  ${name}`);
  for (const failure of failures.slice(0, 20)) console.error(failure);
  console.log(
    `${count} tamperings around a sweep of ${swept} records: ${found} found, ${count - found} not; the sweep alone 0.`,
  );
  if (found !== count || !isUnanchoredBlind) process.exitCode = 1;
}

async function cutOffEnds(count: number): Promise<void> {
  const { found, unanchored } = await runCuts(random, keys, count);
  console.log(
    `${count} ends cut off with their heads: ${found} found with an anchor, ${count - found} not; without one ${count - unanchored}.`,
  );
  // The control: without an anchor, the cut cannot be detected.
  if (found !== count || unanchored !== count) process.exitCode = 1;
}

function chainKeyOf(text: string): Buffer {
  const parsed = parseMasterKey(text, true);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.chain;
}
