// The live tail of the page: what has come, and how the line stands. It ends with the page.
import type { LoginLogItem } from '@portcullis/client';
import { onScopeDispose, ref, shallowRef } from 'vue';
import { client } from '../../client.ts';
import { type FollowState, followRecords } from './follow-records.ts';
import { type LogFilter, toQuery } from './log-filter.ts';
import { addRecord } from './merge-records.ts';

export function useTail(onStanding: () => void) {
  const records = shallowRef<readonly LoginLogItem[]>([]);
  const state = ref<FollowState>();
  const arrived = ref(0);
  const isMissing = ref(false);
  let stopper: AbortController | undefined;

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

  /** What is new has no end in time, and begins now. */
  function start({ last: _last, from: _from, to: _to, ...filter }: LogFilter): void {
    stop();
    forget();
    stopper = new AbortController();
    const { signal } = stopper;
    void followRecords({
      open: () => client.tailLoginLogs({ query: toQuery(filter, Date.now()), signal }),
      signal,
      onRecord(record) {
        records.value = addRecord(records.value, record);
        arrived.value += 1;
      },
      onGap() {
        isMissing.value = true;
      },
      onStanding,
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

function sleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const leave = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', leave, { once: true });
  });
}
