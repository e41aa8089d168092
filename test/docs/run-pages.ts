// Executes the blocks marked `sh` of the README and the tutorial, in order, in a fresh clone, and compares what they print
// with the block `text` that follows. Marks behind `sh`: `running` goes on until the page is done, `refused` ends with an
// exit code other than 0. What cannot be executed everywhere is marked `console`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { repository } from '../rig/start-process.ts';
import { cloneFrom, createCloneSource } from './clone-source.ts';
import { matchOutput } from './match-output.ts';
import { PageShell } from './page-shell.ts';
import { type Block, readBlocks } from './read-markdown.ts';

/**
 * In the order of reading, with the folder in which a reader has arrived: the README's first block makes the clone, and the
 * first rule a project beside it, which has nothing but the packed packages.
 */
const pages = {
  'README.md': '',
  'docs/tutorial/first-five-minutes.md': 'portcullis',
  'docs/tutorial/first-rule.md': 'portcullis',
  'docs/tutorial/express.md': 'my-admin',
  'docs/tutorial/production.md': 'my-admin',
} as const;

const server = 'postgres://postgres@127.0.0.1:5432/postgres';
/** What the pages make in Postgres; it must not be there before, and is gone afterwards. */
const databases = ['portcullis', 'portcullis_production'];
const roles = ['portcullis_owner', 'portcullis_service'];
/** Is there for as long as this runs: what is found beside it was left by a run that was killed. */
const mark = 'portcullis_docs_test_runs';
/** What npm has fetched before is not asked for again. */
const npmSettings = {
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fetch_retries: '6',
};

export interface PageTally {
  passed: number;
  failed: number;
}

export async function runPages(names: readonly string[]): Promise<PageTally> {
  const tally = { passed: 0, failed: 0 };
  await using _alone = await beAlone();
  if (process.env.CI !== 'true') await refuseToDrop();
  await dropAll();
  const work = mkdtempSync(join(tmpdir(), 'portcullis-docs-'));
  const source = join(work, 'source');
  mkdirSync(source);
  createCloneSource(source);
  const environment = { ...npmSettings, ...cloneFrom(source, addressOf(readPage('README.md'))) };
  await query(`create role ${mark}`);
  try {
    for (const [page, folder] of Object.entries(pages)) {
      if (page !== 'README.md' && names.length > 0 && !names.some((name) => page.includes(name))) continue;
      await runPage(page, join(work, folder), work, environment, tally);
      // Without the clone there is nothing to go on with.
      if (page === 'README.md' && tally.failed > 0) break;
    }
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
    await dropAll();
  }
  return tally;
}

/** Two at once would drop each other's databases, whose names are those of the pages. */
async function beAlone(): Promise<AsyncDisposable> {
  const client = new pg.Client(server);
  await client.connect();
  const lock = "select pg_try_advisory_lock(hashtext('portcullis docs-test')) as held";
  const { rows } = await client.query<{ held: boolean }>(lock);
  if (rows[0]?.held !== true) {
    await client.end();
    throw new Error('The pages are being executed already, by another run. Wait for its end.');
  }
  return { [Symbol.asyncDispose]: () => client.end() };
}

async function refuseToDrop(): Promise<void> {
  const rows = await query('select datname as name from pg_database where datname = any($1)', [databases]);
  const marks = await query('select rolname as name from pg_roles where rolname = $1', [mark]);
  if (rows.length > 0 && marks.length === 0)
    throw new Error(`There is a database ${rows[0]?.name} already, and this would drop it. Rename it first.`);
}

async function dropAll(): Promise<void> {
  for (const name of databases) await query(`drop database if exists ${name} with (force)`);
  for (const name of [...roles, mark]) await query(`drop role if exists ${name}`);
}

async function query(text: string, values: unknown[] = []): Promise<{ name: string }[]> {
  const client = new pg.Client(server);
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function runPage(
  page: string,
  start: string,
  work: string,
  environment: Readonly<Record<string, string>>,
  tally: PageTally,
): Promise<void> {
  const kept = join(work, page.replaceAll('/', '-'));
  mkdirSync(kept);
  const shell = new PageShell(kept, start, environment);
  const blocks = readBlocks(readPage(page));
  try {
    for (const [index, block] of blocks.entries()) {
      if (block.language !== 'sh') continue;
      const startedAt = performance.now();
      const fault = await runBlock(shell, block, shownAfter(blocks, index));
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      const [command] = block.text.split('\n');
      console.log(`${fault === undefined ? 'ok  ' : 'FAIL'} ${page}:${block.line} ${command} (${seconds} s)`);
      if (fault !== undefined) {
        console.log(fault);
        tally.failed += 1;
        return;
      }
      tally.passed += 1;
    }
  } finally {
    await shell.close();
  }
}

/** What is wrong with it, or nothing. */
async function runBlock(shell: PageShell, block: Block, shown: string): Promise<string | undefined> {
  const isShown = (printed: string) => matchOutput(shown, printed);
  const mayFail = block.marks.includes('refused');
  const { status, printed } = block.marks.includes('running')
    ? await shell.start(block.text, isShown)
    : await shell.run(block.text, mayFail);
  if ((status !== 0) !== mayFail) return `It ended with ${status}:\n${printed}`;
  return isShown(printed) ? undefined : `The page shows\n${shown}\nand it printed\n${printed}`;
}

/** The block `text` right after it; without one, nothing is compared. */
function shownAfter(blocks: readonly Block[], index: number): string {
  const next = blocks[index + 1];
  return next?.language === 'text' ? next.text : '';
}

function addressOf(page: string): string {
  const address = /git clone (\S+)/.exec(page)?.[1];
  if (address === undefined) throw new Error('README.md says nowhere what to clone.');
  return address;
}

function readPage(page: string): string {
  return readFileSync(join(repository, page), 'utf8');
}
