// The live stream of a page: the received records, and the state of the connection. It closes with the page.
import { onScopeDispose, ref, shallowRef } from 'vue';
import { type FollowEvent, type FollowState, followRecords } from './follow-records.ts';
import { addRecord } from './merge-records.ts';

/** `onMissed`: records did not arrive over the stream and must be fetched. */
export function useTail<Item extends { readonly id: string }>(onMissed: () => void) {
  const records = shallowRef<readonly Item[]>([]);
  const state = ref<FollowState>();
  const arrived = ref(0);
  const isMissing = ref(false);
  let stopper: AbortController | undefined;

  /** Keeps the received records. */
  function stop(): void {
    stopper?.abort();
    stopper = undefined;
    state.value = undefined;
  }

  function forget(): void {
    records.value = [];
    arrived.value = 0;
    isMissing.value = false;
  }

  function start(open: (signal: AbortSignal) => AsyncIterable<FollowEvent<Item>>): void {
    stop();
    // The list contains everything before.
    arrived.value = 0;
    isMissing.value = false;
    stopper = new AbortController();
    const { signal } = stopper;
    void followRecords<Item>({
      open: () => open(signal),
      signal,
      onRecord(record) {
        const next = addRecord(records.value, record);
        if (next === records.value) return;
        if (next.length < records.value.length) onMissed();
        records.value = next;
        arrived.value += 1;
      },
      onGap() {
        isMissing.value = true;
      },
      onStanding: onMissed,
      onState(next) {
        if (!signal.aborted) state.value = next;
      },
      sleep,
      now: () => performance.now(),
    });
  }
  onScopeDispose(stop);
  return { records, state, arrived, isMissing, start, stop, forget };
}

/** Resolves when it is aborted. */
export function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const leave = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}
