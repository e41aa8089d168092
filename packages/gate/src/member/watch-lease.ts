// Tells that a lease is over, and that it is back: at that moment itself nothing happens that could tell it.
import type { SetTimer } from './alarm.ts';
import type { Lease } from './lease.ts';

const lookMilliseconds = 250;

/** Of a live one; until the returned function is called. */
export function watchLease(
  { isLive }: Pick<Lease, 'isLive'>,
  onChange: (isLive: boolean) => void,
  setTimer: SetTimer,
): () => void {
  let wasLive = true;
  let cancel = setTimer(look, lookMilliseconds);

  function look(): void {
    cancel = setTimer(look, lookMilliseconds);
    const isLiveNow = isLive();
    if (isLiveNow === wasLive) return;
    wasLive = isLiveNow;
    onChange(isLiveNow);
  }

  return () => cancel();
}
