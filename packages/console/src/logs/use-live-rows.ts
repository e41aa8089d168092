// A log that grows on top while somebody reads it. New records come in by themselves at the top of an untouched page, and
// wait behind a button anywhere else. A pause loses nothing: when it ends, the list is asked for what came meanwhile.
import { computed, ref, shallowRef, watch } from 'vue';
import type { Pages } from '../calls/use-pages.ts';
import type { FollowEvent } from './follow-records.ts';
import { holdBack } from './hold-back.ts';
import { mergeRecords } from './merge-records.ts';
import { useTail } from './use-tail.ts';

interface LiveOptions<Row> {
  readonly pages: Omit<Pages, 'rows'> & { readonly rows: { readonly value: readonly Row[] } };
  /** The filter: with another one, nothing that was shown means anything. */
  readonly key: () => string;
  /** Whether records of now can fit the filter. */
  readonly mayGrow: () => boolean;
  readonly open: (signal: AbortSignal) => AsyncIterable<FollowEvent<Row>>;
}

export function useLiveRows<Row extends { readonly id: string }>(options: LiveOptions<Row>) {
  const { pages, key, mayGrow, open } = options;
  /** Scrolled, or with the focus in the table. */
  const isTouched = ref(false);
  /** A record is open. */
  const isReading = ref(false);
  const isHolding = computed(() => isTouched.value || isReading.value);
  /** The list has to be asked for more than has come, once nobody reads it. */
  const mustReload = ref(false);
  const shown = shallowRef<readonly Row[]>([]);
  const held = shallowRef<readonly Row[]>([]);

  // Loaded anew, the list could end before what is read.
  const askAgain = () => {
    if (isHolding.value) mustReload.value = true;
    else pages.reload();
  };
  const { records, state, arrived, isMissing, start, stop, forget } = useTail<Row>(askAgain);
  const isFollowing = computed(() => state.value !== undefined && state.value.name !== 'refused');
  const latest = computed(() => mergeRecords(records.value, pages.rows.value));

  function show(): void {
    shown.value = latest.value;
    held.value = [];
    if (!mustReload.value) return;
    mustReload.value = false;
    pages.reload();
  }
  function look(): void {
    if (!isHolding.value) {
      show();
      return;
    }
    const parts = holdBack(shown.value, latest.value);
    shown.value = parts.shown;
    held.value = parts.held;
  }
  watch([latest, isHolding], look, { immediate: true, flush: 'sync' });
  watch(
    key,
    () => {
      forget();
      mustReload.value = false;
      isReading.value = false;
      shown.value = [];
      look();
      if (isFollowing.value && mayGrow()) start(open);
      else stop();
    },
    { flush: 'sync' },
  );

  return {
    /** As a table takes them. */
    pages: { ...pages, rows: shown },
    fresh: records,
    held,
    mustReload,
    isTouched,
    isReading,
    state,
    arrived,
    isMissing,
    isFollowing,
    show,
    start: () => start(open),
    stop,
    reload() {
      forget();
      pages.reload();
    },
  };
}
