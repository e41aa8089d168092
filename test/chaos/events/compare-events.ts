// Lays what was received beside both logs: nothing lost, nothing made up, in order, and doubles with one id alone.
import { readFileSync } from 'node:fs';
import type { Database } from '../../rig/create-database.ts';

type Line = [id: string, log: string, object: string, chain: string | null, seq: number, isGenuine: boolean];

export interface EventComparison {
  readonly expected: number;
  readonly received: number;
  readonly doubled: number;
  readonly failures: readonly string[];
}

const mostExamples = 5;

export async function compareEvents(
  database: Database,
  file: string,
  from: { readonly auditSeq: number },
): Promise<EventComparison> {
  const rows = await database.query<{ id: string; log: string; chain: string | null; seq: number }>(
    `select id, 'audit' as log, null as chain, seq::float8 as seq from audit_log_chain where seq > $1
     union all select id, 'login', chain, seq::float8 from login_log`,
    [from.auditSeq],
  );
  const places = new Map(rows.map(({ id, log, chain, seq }) => [id, placeOf(log, chain, seq)]));
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
  const problems: Record<string, string[]> = { lost: [], 'made up': [], forged: [], 'out of order': [] };
  const seen = new Set<string>();
  const last = new Map<string, number>();
  let doubled = 0;
  for (const [id, log, object, chain, seq, isGenuine] of lines) {
    if (!isGenuine) problems.forged?.push(id);
    if (places.get(id) !== placeOf(log, chain, seq))
      problems['made up']?.push(`${id} ${log} ${chain} ${seq}`);
    if (seen.has(id)) {
      doubled += 1;
      continue;
    }
    seen.add(id);
    const lane = `${log} ${chain} ${object}`;
    const before = last.get(lane) ?? 0;
    if (seq <= before) problems['out of order']?.push(`${lane}: ${seq} after ${before}`);
    last.set(lane, seq);
  }
  for (const id of places.keys()) if (!seen.has(id)) problems.lost?.push(`${id} ${places.get(id)}`);
  const failures = Object.entries(problems).flatMap(([what, found]) =>
    found.length === 0 ? [] : [`${found.length} ${what}: ${found.slice(0, mostExamples).join('; ')}`],
  );
  return { expected: places.size, received: lines.length, doubled, failures };
}

function placeOf(log: string, chain: string | null, seq: number): string {
  return `${log} ${chain} ${seq}`;
}
