// The context that the parts of an import share.
import { displayNamePattern } from '@portcullis/contract';
import type { StoreTransaction } from '@portcullis/server/cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '@portcullis/server/logs/audit/record-change.ts';
import type { Findings } from './findings.ts';
import type { Source } from './source.ts';

export interface ImportWork {
  readonly source: Source;
  readonly transaction: StoreTransaction;
  readonly findings: Findings;
  readonly recordChange: RecordChange;
  readonly call: AuditedCall;
  /** @example onProgress('20,000 users') */
  readonly onProgress: (text: string) => void;
}

/** The counts for one table. Every row that was read is in exactly one of the other counts. */
export interface Tally {
  read: number;
  imported: number;
  /** Existed before, and stays unchanged. */
  thereAlready: number;
  /** Marked as deleted in go-admin. */
  deleted: number;
  /** Redundant rules, and rules of `admin`, which needs none. */
  notNeeded: number;
  leftOut: number;
}

export function createTally(): Tally {
  return { read: 0, imported: 0, thereAlready: 0, deleted: 0, notNeeded: 0, leftOut: 0 };
}

const displayName = new RegExp(displayNamePattern, 'u');

export function isDisplayName(text: string): boolean {
  return text.isWellFormed() && displayName.test(text);
}
