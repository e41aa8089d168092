// Polls a lease and calls a listener when the lease has ended or is live again. It polls because no event marks the end
// of a lease.
import type { SetTimer } from './alarm.ts';
import type { Lease } from './lease.ts';

const pollMilliseconds = 250;

/** Takes a live lease. The returned function stops the polling. */
export function watchLease(
  { isLive }: Pick<Lease, 'isLive'>,
  onChange: (isLive: boolean) => void,
  setTimer: SetTimer,
): () => void {
  let wasLive = true;
  let cancel = setTimer(poll, pollMilliseconds);

  function poll(): void {
    cancel = setTimer(poll, pollMilliseconds);
    const isLiveNow = isLive();
    if (isLiveNow === wasLive) return;
    wasLive = isLiveNow;
    onChange(isLiveNow);
  }

  return () => cancel();
}
