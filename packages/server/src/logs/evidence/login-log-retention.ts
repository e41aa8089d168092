// The upkeep of the login log, by the role of an operator: months are made ahead, and those that are too old are
// verified and go, with a signed checkpoint for every chain in their place. What does not verify stays.

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
import { atOneMoment, readRows, type StoredRow } from './verify-store.ts';

interface MaintainOptions {
  /** The first one signs. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  /** How many full months are kept beside the current one; 0 keeps all. */
  readonly keptMonths: number;
  readonly report: (line: string) => void;
}

/** What stands one after the other: a month that may go, or records that stay. */
interface Stretch {
  readonly month: Month | undefined;
  readonly places: Map<string, ChainPosition>;
  records: number;
  deadLetters: number;
  /** The first record that is not as it was written. */
  doubt: StoredRow | undefined;
}

/** Postgres: undefined_table. Somebody else has dropped it. */
const goneCode = '42P01';

/** Whether everything that should go is gone. */
export async function maintainLoginLog(store: Store, options: MaintainOptions): Promise<boolean> {
  const { keys, keptMonths, report } = options;
  await retry(() => makeMonths(store));
  const isDropped = keptMonths === 0 || (await dropOldMonths(store, options));
  const { heads, strange } = await collectHeads(store, keys);
  // One of those might be what is left of a head that somebody changed.
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
  for (const stretch of await readStretches(store, keys, months)) {
    const { month, places, records } = stretch;
    const reason = findReasonToKeep(stretch, chainsThatStay) ?? (await drop(store, keys[0], stretch));
    if (reason === undefined) {
      report(`Dropped ${month?.table}: ${records} records of ${places.size} chains.`);
      continue;
    }
    for (const chain of places.keys()) chainsThatStay.add(chain);
    if (month === undefined) continue;
    report(`Kept ${month.table}: ${reason}`);
    isDropped = false;
  }
  return isDropped;
}

/** A checkpoint stands for everything before it, so a chain goes from its beginning on. */
function findReasonToKeep(
  { month, doubt, places }: Stretch,
  chainsThatStay: Set<string>,
): string | undefined {
  if (month === undefined) return 'no month was ready for these records.';
  if (doubt !== undefined)
    return `record ${doubt.id} of chain ${doubt.chain} is not as it was written. Run \`log verify\`.`;
  const chain = [...places.keys()].find((one) => chainsThatStay.has(one));
  return chain === undefined ? undefined : `chain ${chain} has older records, which stay.`;
}

/** The reason why it stays; undefined when it is gone. */
async function drop(
  store: Store,
  key: Buffer,
  { month, places, ...counts }: Stretch,
): Promise<string | undefined> {
  const checkpoints = [...places].map(([chain, link]) => ({
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

/** All records up to the last of the months, verified; months without any come last. */
async function readStretches(
  store: Store,
  keys: readonly [Buffer, ...Buffer[]],
  months: readonly Month[],
): Promise<Stretch[]> {
  const last = months.at(-1);
  if (last === undefined) return [];
  const stretches: Stretch[] = [];
  await atOneMoment(store, async (transaction) => {
    const verifier = createVerifier(keys);
    for await (const heads of readHeads(transaction)) for (const head of heads) verifier.takeHead(head);
    for await (const rows of readRows(transaction, last.before))
      for (const row of rows) {
        const month = months.find(({ from, before }) => row.id >= from && row.id < before);
        if (stretches.length === 0 || stretches.at(-1)?.month !== month) stretches.push(emptyStretch(month));
        const stretch = stretches.at(-1);
        if (stretch !== undefined) takeInto(stretch, verifier, row);
      }
  });
  const found = new Set(stretches.map(({ month }) => month));
  return [...stretches, ...months.filter((month) => !found.has(month)).map(emptyStretch)];
}

function emptyStretch(month: Month | undefined): Stretch {
  return { month, places: new Map(), records: 0, deadLetters: 0, doubt: undefined };
}

function takeInto(stretch: Stretch, verifier: Verifier, row: StoredRow): void {
  const isAsWritten = verifier.takeRow(row);
  stretch.records += 1;
  if (row.raw !== null) stretch.deadLetters += 1;
  if (!isAsWritten) stretch.doubt ??= row;
  const place = row.chain === null ? undefined : verifier.placeOf(row.chain);
  if (row.chain !== null && place !== undefined) stretch.places.set(row.chain, place);
}
