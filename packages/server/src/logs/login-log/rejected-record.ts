// A record that the table refused, as it was put aside.
import { type ChainedRow, spooledText } from './login-row.ts';

interface Letter {
  readonly row: ChainedRow;
  /** Whether it is, to the byte, what was spooled with this hash. */
  readonly isWhole: boolean;
}

/** Undefined where it holds no record. */
export function readRejectedRecord(raw: Buffer, hash: Buffer | null): Letter | undefined {
  try {
    const row = JSON.parse(String(raw)) as ChainedRow;
    return { row, isWhole: row.hash === `\\x${hash?.toString('hex')}` && raw.equals(spooledText(row)) };
  } catch {
    return undefined;
  }
}
