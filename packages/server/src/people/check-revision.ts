// Refuses a change that was decided on something older. Asked under the lock of the row, and after the caller's reach:
// the refusal says how the record is now.
import { AppError, type ChangedDetails } from '@portcullis/contract';

/** @example checkRevision(call.body.ifRevision, { revision: user.revision, current: { name: user.name } }) */
export function checkRevision(ifRevision: number | undefined, now: ChangedDetails): void {
  if (ifRevision === undefined || ifRevision === now.revision) return;
  throw new AppError('changed_meanwhile', { details: now });
}
