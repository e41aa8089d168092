// Tampers with a login log and looks whether `verify` names what was done: `npm run tamper -- --cases 10000 --seed 7`.
// In every round each tampering has chains of its own. The whole log is verified by the product's own code, with the
// heads that were kept from before; then everything is undone. A chain that nobody touched must not be named.
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { KeptHeads } from '../../packages/server/src/login-log/evidence/kept-heads.ts';
import { collectHeads, verifyLoginLog } from '../../packages/server/src/login-log/evidence/verify.ts';
import { parseMasterKey } from '../../packages/server/src/settings/master-key.ts';
import { openStore, type Store } from '../../packages/server/src/store/store.ts';
import { Random } from '../fuzz/random.ts';
import { createDatabase } from '../rig/create-database.ts';
import { masterKey } from '../rig/master-key.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { type ChainPlaces, copyLog, undo } from './log-copy.ts';
import { makeLog } from './make-log.ts';
import { runRound } from './run-round.ts';

const { values } = parseArgs({
  options: { cases: { type: 'string', default: '300' }, seed: { type: 'string', default: '1' } },
});
const cases = Number(values.cases);
const random = new Random(Number(values.seed));
/** Each has two chains. */
const casesPerRound = 200;
const previousMasterKey = randomBytes(32).toString('hex');
const keys: [Buffer, Buffer] = [chainKeyOf(masterKey), chainKeyOf(previousMasterKey)];

const database = await createDatabase({ migrated: true });
const store = openStore({
  url: database.url,
  poolSize: 2,
  statementTimeoutMilliseconds: 0,
  onConnectionLost: console.error,
});
const client = new pg.Client({ connectionString: database.url });
await client.connect();
try {
  await makeLog(store, random, { keys, chains: 600, recordsPerChain: 60 });
  const chains = await copyLog(client);
  const kept = await collectHeads(store, keys);
  const figures = await expectWhole(store, kept);
  console.log(
    `A log of ${figures.records} records, ${figures.deadLetters} of them put aside, in ${chains.length} chains.`,
  );
  await tamper(chains, kept);
  await expectWhole(store, kept);
  await runCommandLine(store, chains);
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
      { client, random, chains, cases: Math.min(left, casesPerRound) },
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
    throw new Error(`The log that nobody touched: ${JSON.stringify(findings.problems.slice(0, 5))}`);
  return findings;
}

/** One time as an operator does it. */
async function runCommandLine(of: Store, [chain]: readonly ChainPlaces[]): Promise<void> {
  const file = join(tmpdir(), `portcullis-tamper-${process.pid}.json`);
  const heads = await runCommand('log', 'head');
  await writeFile(file, heads.output);
  const whole = await runCommand('log', 'verify', '--head', file);
  const place = chain?.places.find(({ aside }) => !aside);
  await of.deleteFrom('login_log').where('id', '=', String(place?.id)).execute();
  const broken = await runCommand('log', 'verify', '--head', file);
  await rm(file);
  console.log(whole.output.trim());
  console.log(broken.output.trim());
  const isNamed = broken.output.includes(`Chain ${chain?.chain}: record ${place?.seq} was removed.`);
  if (whole.code === 0 && broken.code === 1 && isNamed) return;
  console.error(`The command line ended with ${whole.code} and ${broken.code}.`);
  process.exitCode = 1;
}

async function runCommand(...command: string[]) {
  const environment = { ...baseSettings(database.url), AUTH_PREVIOUS_MASTER_KEY: previousMasterKey };
  const running = startProcess({ script: commandLine, arguments: command, environment });
  return { code: await running.exited, output: running.output };
}

function chainKeyOf(text: string): Buffer {
  const parsed = parseMasterKey(text, true);
  if ('reason' in parsed) throw new Error(parsed.reason);
  return parsed.chain;
}
