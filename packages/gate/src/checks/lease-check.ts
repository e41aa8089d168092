// Lease check: a process without a live lease rejects every request, because its memory can be outdated. It answers 503,
// because "unknown" does not mean "logged out".
import { AppError } from '@portcullis/contract';

export function createLeaseCheck(lease: { isLive(): boolean }) {
  return function leaseCheck(): void {
    if (lease.isLive() !== true) throw new AppError('unavailable');
  };
}
