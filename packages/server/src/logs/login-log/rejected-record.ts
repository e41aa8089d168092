// Reads a rejected record (dead letter): a login record that the table refused.
import { type ChainedRow, spooledText } from './login-row.ts';

interface RejectedRecord {
  readonly row: ChainedRow;
  /** Whether it is, byte for byte, what was spooled with this hash. */
  readonly isWhole: boolean;
}

/** Undefined when it holds no record. */
export function readRejectedRecord(raw: Buffer, hash: Buffer | null): RejectedRecord | undefined {
  try {
    const row = JSON.parse(String(raw)) as ChainedRow;
    return { row, isWhole: row.hash === `\\x${hash?.toString('hex')}` && raw.equals(spooledText(row)) };
  } catch {
    return undefined;
  }
}
