// Erases people of a large log and searches for their traces, byte for byte: `npm run erasure -- --people 1000
// --users 100000 --records 1000000 --kills 5`. The program that erases is killed meanwhile and continues; a dump from before is
// restored, and erased again by the receipts.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Random } from '../fuzz/random.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { closeSuite, collectNotes } from '../rig/notes.ts';
import { commandLine, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { fillLogs, personOf } from './fill-logs.ts';
import { findTraces, isTraceOf } from './find-traces.ts';
import { lookIntoFiles } from './look-into-files.ts';

collectNotes();

const isSmall = process.env.CI === 'true';
const { values } = parseArgs({
  options: {
    people: { type: 'string', default: isSmall ? '8' : '50' },
    users: { type: 'string', default: isSmall ? '200' : '2000' },
    records: { type: 'string', default: isSmall ? '4000' : '40000' },
    kills: { type: 'string', default: isSmall ? '1' : '3' },
    seed: { type: 'string', default: '1' },
  },
});
const [people, users, records, kills] = [values.people, values.users, values.records, values.kills].map(
  Number,
) as [number, number, number, number];
const random = new Random(Number(values.seed));
/** The first are erased; their records are among those of all others. */
const isErased = (person: number) => person < people;
const folder = await mkdtemp(join(tmpdir(), 'portcullis-erasure-'));
const database = await createDatabase({ migrated: true });
const restored = await createDatabase({ migrated: false });
let passed = 0;
const failures: string[] = [];

try {
  await timed(`${users} people, ${records} records`, () =>
    fillLogs(database.url, { users, records, random }),
  );
  const anchor = join(folder, 'heads.json');
  await writeFile(anchor, (await run(database, 'log', 'head')).output);
  await expectVerified('before', database, anchor);
  const before = dump(database, 'before');
  await expectTraces('a dump of before, as a control', before, true);

  await timed(`erasing ${people} people, with ${kills} kills`, eraseAll);
  const receipts = join(folder, 'erased.jsonl');
  const printed = await run(database, 'user', 'erased');
  await writeFile(receipts, printed.output);
  expectReceipts(printed.output);
  await expectVerified('after', database, anchor);
  await expectTraces('a dump of after', dump(database, 'after'), false);
  await expectTraces('the receipts', receipts, false);
  for (const [name, ...command] of [['an export of the login log', 'log', 'export']] as const) {
    const file = join(folder, 'export.csv');
    await writeFile(file, (await run(database, ...command)).output);
    await expectTraces(name, file, false);
  }
  const files = await timed('rewriting the files of Postgres', () => lookIntoFiles(database, isErased));
  console.log(files.text);
  expect(files.text, files.left === 0);

  await timed('restoring the dump of before', async () => restore(restored, before));
  const again = await timed('erasing again by the receipts', () =>
    run(restored, 'user', 'erase', '--again', receipts, '--yes'),
  );
  console.log(again.output.trim());
  expect(
    'erasing again',
    again.code === 0 && again.output.includes(`${people.toLocaleString('en')} people are erased`),
  );
  await expectVerified('restored and erased again', restored, anchor);
  await expectTraces('a dump of it', dump(restored, 'restored'), false);
} finally {
  await database.drop();
  await restored.drop();
  await rm(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED: ${failure}`);
if (failures.length === 0) console.log('Nothing is left of them.');
closeSuite({ passed, failed: failures.length });

/** By a separate program, which is killed at any moment and started again. */
async function eraseAll(): Promise<void> {
  for (let killed = 0; ; ) {
    const erasing = startProcess({
      script: 'test/erasure/erase-people.ts',
      arguments: ['1', String(people)],
      environment: settingsOf(database),
    });
    if (killed < kills) {
      await erasing.waitForLine(/^erasing /);
      await sleep(random.below(2000));
      erasing.signal('SIGKILL');
      killed += 1;
      await erasing.exited;
      continue;
    }
    const code = await erasing.exited;
    expect(`the program that erases ended with ${code}: ${erasing.output.slice(-500)}`, code === 0);
    return;
  }
}

function expectReceipts(output: string): void {
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Receipt);
  const sum = (field: 'loginRecords' | 'auditRecords' | 'otherRows') =>
    lines.reduce((total, receipt) => total + receipt[field], 0);
  console.log(
    `${lines.length} receipts: ${sum('loginRecords')} login records, ${sum('auditRecords')} audit records, ${sum('otherRows')} other rows.`,
  );
  expect('a receipt for everybody', lines.length === people);
  expect(
    'all are finished and sealed',
    lines.every(({ finishedAt, unsealed }) => finishedAt !== null && unsealed === 0),
  );
}

interface Receipt {
  readonly finishedAt: string | null;
  readonly unsealed: number;
  readonly loginRecords: number;
  readonly auditRecords: number;
  readonly otherRows: number;
}

async function expectVerified(when: string, of: Database, anchor: string): Promise<void> {
  const { code, output } = await timed(`log verify, ${when}`, () =>
    run(of, 'log', 'verify', '--anchor', anchor),
  );
  console.log(
    output
      .trim()
      .split('\n')
      .filter((line) => !line.endsWith('...'))
      .join('\n'),
  );
  expect(`log verify ${when} ended with ${code}`, code === 0);
}

/** `isWanted`: a control, in which every person must be found. */
async function expectTraces(name: string, file: string, isWanted: boolean): Promise<void> {
  const { bytes, traces } = await findTraces(file);
  const found = [...traces].filter(([trace]) => isTraceOf(trace, isErased));
  const others = traces.size - found.length;
  console.log(`${name}: ${bytes} bytes, ${found.length} traces of who was erased, ${others} of others.`);
  if (isWanted)
    expect(
      `the control finds everybody (${found.length})`,
      found.length >= people * personOf(0).traces.length,
    );
  else expect(`${name} has ${JSON.stringify(found.slice(0, 5))}`, found.length === 0);
}

function dump(of: Database, name: string): string {
  const file = join(folder, `${name}.sql`);
  const { status, stderr } = spawnSync('pg_dump', ['--no-owner', '--file', file, of.url]);
  if (status !== 0) throw new Error(`pg_dump: ${stderr}`);
  return file;
}

function restore(into: Database, file: string): void {
  const { status, stderr } = spawnSync('psql', ['-q', '-v', 'ON_ERROR_STOP=1', '-f', file, into.url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`psql: ${stderr}`);
}

async function run(of: Database, ...command: string[]) {
  const running = startProcess({ script: commandLine, arguments: command, environment: settingsOf(of) });
  return { code: await running.exited, output: running.output };
}

function settingsOf(of: Database): Record<string, string> {
  return { ...baseSettings(of.url), DATABASE_URL: of.url };
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  return result;
}

function expect(what: string, isSo: boolean): void {
  if (isSo) passed += 1;
  else failures.push(what);
}
