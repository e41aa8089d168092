// Optimistic concurrency check: rejects a change that is based on an older revision (`ifRevision`) of the record. It runs under
// the row lock, and after the check that the caller can manage the record, because the error contains the current record.
import { AppError, type ChangedDetails } from '@portcullis/contract';

/** @example checkRevision(call.body.ifRevision, { revision: user.revision, current: { name: user.name } }) */
export function checkRevision(ifRevision: number | undefined, now: ChangedDetails): void {
  if (ifRevision === undefined || ifRevision === now.revision) return;
  throw new AppError('revision_conflict', { details: now });
}
