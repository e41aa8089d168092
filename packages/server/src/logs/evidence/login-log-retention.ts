// Retention of the login log, run with the role of an operator: creates months ahead, and verifies and drops months that are too
// old. A dropped month leaves a signed checkpoint for each chain. A month that does not verify stays.

import type { Store } from '../../cluster/store/store.ts';
import { dropOlderAuditHeads } from '../audit/sign-audit-head.ts';
import { type ChainPosition, signLink } from '../login-log/chain.ts';
import { readHeads } from './head-store.ts';
import {
  deleteOlderHeads,
  dropMonth,
  listOldMonths,
  type Month,
  MonthChanged,
  makeMonths,
} from './retention-store.ts';
import { codeOf, retry } from './retry.ts';
import { createVerifier, type Verifier } from './verifier.ts';
import { collectHeads } from './verify.ts';
import { inSnapshot, readRows, type StoredRow } from './verify-store.ts';

interface MaintainOptions {
  /** The first key signs. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  /** The number of full months to keep besides the current one; 0 keeps all. */
  readonly keptMonths: number;
  readonly report: (line: string) => void;
}

/** Consecutive records: a month that can be dropped, or records that stay. */
interface LogRange {
  readonly month: Month | undefined;
  readonly positions: Map<string, ChainPosition>;
  records: number;
  deadLetters: number;
  /** The first record that is not as it was written. */
  doubt: StoredRow | undefined;
}

/** Postgres: undefined_table. Another process has dropped it. */
const goneCode = '42P01';

/** Whether everything that was due is dropped. */
export async function maintainLoginLog(store: Store, options: MaintainOptions): Promise<boolean> {
  const { keys, keptMonths, report } = options;
  await retry(() => makeMonths(store));
  const isDropped = keptMonths === 0 || (await dropOldMonths(store, options));
  const { heads, strange } = await collectHeads(store, keys);
  // One of them could be what an attacker left of a head.
  if (strange > 0)
    report(`Kept all heads: neither master key signed ${strange} of them. Run \`log verify\`.`);
  else {
    const ofLoginLog = await retry(() => deleteOlderHeads(store, heads));
    report(`Deleted ${ofLoginLog + (await dropOlderAuditHeads(store, keys))} older heads.`);
  }
  return isDropped;
}

async function dropOldMonths(store: Store, { keys, keptMonths, report }: MaintainOptions): Promise<boolean> {
  const months = await listOldMonths(store, keptMonths);
  const chainsThatStay = new Set<string>();
  let isDropped = true;
  for (const range of await readRanges(store, keys, months)) {
    const { month, positions, records } = range;
    const reason = findReasonToKeep(range, chainsThatStay) ?? (await drop(store, keys[0], range));
    if (reason === undefined) {
      report(`Dropped ${month?.table}: ${records} records of ${positions.size} chains.`);
      continue;
    }
    for (const chain of positions.keys()) chainsThatStay.add(chain);
    if (month === undefined) continue;
    report(`Kept ${month.table}: ${reason}`);
    isDropped = false;
  }
  return isDropped;
}

/** A checkpoint covers everything before it, so a chain is dropped from its beginning on. */
function findReasonToKeep(
  { month, doubt, positions }: LogRange,
  chainsThatStay: Set<string>,
): string | undefined {
  if (month === undefined) return 'no month was ready for these records.';
  if (doubt !== undefined)
    return `record ${doubt.id} of chain ${doubt.chain} is not as it was written. Run \`log verify\`.`;
  const chain = [...positions.keys()].find((one) => chainsThatStay.has(one));
  return chain === undefined ? undefined : `chain ${chain} has older records, which stay.`;
}

/** Returns the reason why the month stays; undefined when it was dropped. */
async function drop(
  store: Store,
  key: Buffer,
  { month, positions, ...counts }: LogRange,
): Promise<string | undefined> {
  const checkpoints = [...positions].map(([chain, link]) => ({
    chain,
    ...link,
    signature: signLink(key, chain, link, 'checkpoint'),
  }));
  try {
    if (month !== undefined) await retry(() => dropMonth(store, month, { ...counts, checkpoints }));
  } catch (error) {
    if (error instanceof MonthChanged) return 'it changed while it was verified. Run this again.';
    if (codeOf(error) !== goneCode) throw error;
  }
  return undefined;
}

/** All records up to the last of the months, verified; months without records come last. */
async function readRanges(
  store: Store,
  keys: readonly [Buffer, ...Buffer[]],
  months: readonly Month[],
): Promise<LogRange[]> {
  const last = months.at(-1);
  if (last === undefined) return [];
  const ranges: LogRange[] = [];
  await inSnapshot(store, async (transaction) => {
    const verifier = createVerifier(keys);
    for await (const heads of readHeads(transaction)) for (const head of heads) verifier.takeHead(head);
    for await (const rows of readRows(transaction, last.before))
      for (const row of rows) {
        const month = months.find(({ from, before }) => row.id >= from && row.id < before);
        if (ranges.length === 0 || ranges.at(-1)?.month !== month) ranges.push(emptyRange(month));
        const range = ranges.at(-1);
        if (range !== undefined) takeInto(range, verifier, row);
      }
  });
  const found = new Set(ranges.map(({ month }) => month));
  return [...ranges, ...months.filter((month) => !found.has(month)).map(emptyRange)];
}

function emptyRange(month: Month | undefined): LogRange {
  return { month, positions: new Map(), records: 0, deadLetters: 0, doubt: undefined };
}

function takeInto(range: LogRange, verifier: Verifier, row: StoredRow): void {
  const isAsWritten = verifier.takeRow(row);
  range.records += 1;
  if (row.raw !== null) range.deadLetters += 1;
  if (!isAsWritten) range.doubt ??= row;
  const place = row.chain === null ? undefined : verifier.placeOf(row.chain);
  if (row.chain !== null && place !== undefined) range.positions.set(row.chain, place);
}
