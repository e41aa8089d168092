// Searches tables and indexes on the disk, after they were rewritten as the how-to says: a dump does not show these bytes.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../rig/create-database.ts';
import { note } from '../rig/notes.ts';
import { findTraces, isTraceOf } from './find-traces.ts';

interface Looked {
  readonly text: string;
  readonly left: number;
}

/** Postgres looks after the tables automatically meanwhile, and what it may still read is not removed. */
const mostTries = 10;

export async function lookIntoFiles(
  { query }: Database,
  isErased: (person: number) => boolean,
): Promise<Looked> {
  await query('vacuum full');
  await query('analyze');
  const [place] = await query<{ folder: string }>(
    `select current_setting('data_directory') || '/base/' || oid as folder from pg_database where datname = current_database()`,
  );
  for (let tried = 1; ; tried += 1) {
    await query('vacuum full pg_statistic');
    await query('checkpoint');
    const looked = await look(query, place?.folder ?? '', isErased);
    if (looked.left === 0 || tried === mostTries) return looked;
    note('retried', 'a look into the files of Postgres that found what it still kept');
    await sleep(2000);
  }
}

async function look(
  query: Database['query'],
  folder: string,
  isErased: (person: number) => boolean,
): Promise<Looked> {
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return { text: 'The files of Postgres cannot be read from here.', left: 0 };
  const leaking = new Set<string>();
  let [bytes, left, others] = [0, 0, 0];
  for (const name of names) {
    const found = await findTraces(join(folder, name)).catch(() => undefined);
    if (found === undefined) continue;
    bytes += found.bytes;
    const ofErased = [...found.traces.keys()].filter((trace) => isTraceOf(trace, isErased));
    left += ofErased.length;
    others += found.traces.size - ofErased.length;
    if (ofErased.length > 0) leaking.add(name);
  }
  const relations = await Promise.all([...leaking].map((name) => relationOf(query, name)));
  const text = `The files of all tables and indexes: ${bytes} bytes, ${left} traces of who was erased, ${others} of others.`;
  return { text: [text, ...relations].join(' '), left };
}

async function relationOf(query: Database['query'], file: string): Promise<string> {
  const [row] = await query<{ name: string | null }>(
    'select pg_filenode_relation(0, $1::oid)::text as name',
    [Number.parseInt(file, 10)],
  );
  return row?.name ?? file;
}
