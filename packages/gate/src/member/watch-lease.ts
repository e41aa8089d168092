// Tells that a lease is over, and that it is back: at that moment itself nothing happens that could tell it.
import type { Lease } from './lease.ts';

const lookMilliseconds = 250;

/** Of a live one; until the returned function is called. */
export function watchLease(
  { isLive }: Pick<Lease, 'isLive'>,
  onChange: (isLive: boolean) => void,
): () => void {
  let wasLive = true;
  const timer = setInterval(() => {
    const isLiveNow = isLive();
    if (isLiveNow === wasLive) return;
    wasLive = isLiveNow;
    onChange(isLiveNow);
  }, lookMilliseconds);
  timer.unref();
  return () => clearInterval(timer);
}
