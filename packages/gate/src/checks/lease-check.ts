// Refuses what an instance without a lease cannot know: with 503, because "unknown" is not "logged out".
import { AppError } from '@portcullis/contract';

export function createLeaseCheck(lease: { isLive(): boolean }) {
  return function leaseCheck(): void {
    if (lease.isLive() !== true) throw new AppError('unavailable');
  };
}
