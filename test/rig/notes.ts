// What a suite left out or did again, although it passed: each is noted where it happens, in whatever process of the suite, and
// the closing line of the suite counts it. .ci/steps adds these lines up.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** `late`: an answer came after a limit that the rig had raised: that of the product on Postgres, or of a full-size run. */
const kinds = ['skipped', 'not judged', 'retried', 'late'] as const;
type Kind = (typeof kinds)[number];

interface Note {
  readonly kind: Kind;
  readonly what: string;
  /** A suite with more of them fails. Left out where the loop that tries again fails sooner, or where a scenario breaks things on purpose. */
  readonly most?: number;
}

/** In a whole suite: far above what a busy machine shows. */
export const mostResent = 200;

/** Names the file of the notes to the processes of a suite. */
export const notesVariable = 'PORTCULLIS_TEST_NOTES';

/** Before the suite starts other processes. Those that are started by a suite write into its file. */
export function collectNotes(): void {
  if (process.env[notesVariable] !== undefined) return;
  const file = join(mkdtempSync(join(tmpdir(), 'portcullis-notes-')), 'notes');
  process.env[notesVariable] = file;
  process.once('exit', () => rmSync(dirname(file), { recursive: true, force: true }));
}

export function note(kind: Kind, what: string, most?: number): void {
  const file = process.env[notesVariable];
  const told: Note = { kind, what, ...(most === undefined ? {} : { most }) };
  // A line is written at once, so that those of several processes do not mix.
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(told)}\n`);
}

interface Totals {
  readonly passed: number;
  readonly failed: number;
  /** Those that are known without a note. */
  readonly skipped?: number;
  readonly notJudged?: number;
}

/** The last line of a suite, with what is behind its numbers above it; the process fails where one is over its limit. */
export function closeSuite({ passed, failed, skipped = 0, notJudged = 0 }: Totals): void {
  const notes = takeNotes();
  const counts: Record<Kind, number> = { skipped, 'not judged': notJudged, retried: 0, late: 0 };
  let over = 0;
  for (const same of Map.groupBy(notes, ({ kind, what }) => `${kind}: ${what}`).values()) {
    const [{ kind, what, most = Number.POSITIVE_INFINITY }] = same as [Note];
    // What is not judged or skipped is that, however often it is passed.
    const times = kind === 'retried' || kind === 'late' ? same.length : 1;
    counts[kind] += times;
    console.log(`${kind}: ${what}${times > 1 ? ` (${times} times)` : ''}`);
    if (times <= most) continue;
    over += 1;
    console.error(`FAILED ${what}: ${times} times, and at most ${most} may be`);
  }
  const more = kinds.filter((kind) => counts[kind] > 0).map((kind) => `, ${counts[kind]} ${kind}`);
  console.log(`${passed} passed, ${failed + over} failed${more.join('')}`);
  if (failed + over > 0) process.exitCode = 1;
}

function takeNotes(): Note[] {
  const file = process.env[notesVariable];
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  rmSync(file);
  return lines.map((line) => JSON.parse(line) as Note);
}
