// The rows of a live log. New records appear at the top of an untouched page, and wait behind a button otherwise. A
// pause loses nothing: when it ends, the list is fetched again.
import { computed, ref, shallowRef, watch } from 'vue';
import type { Pages } from '../calls/use-pages.ts';
import type { FollowEvent } from './follow-records.ts';
import { holdBack } from './hold-back.ts';
import { mergeRecords } from './merge-records.ts';
import { useTail } from './use-tail.ts';

interface LiveOptions<Row> {
  readonly pages: Omit<Pages, 'rows'> & { readonly rows: { readonly value: readonly Row[] } };
  /** The filter: when it changes, all shown rows are dropped. */
  readonly key: () => string;
  /** Whether new records can match the filter. */
  readonly mayGrow: () => boolean;
  readonly open: (signal: AbortSignal) => AsyncIterable<FollowEvent<Row>>;
}

export function useLiveRows<Row extends { readonly id: string }>(options: LiveOptions<Row>) {
  const { pages, key, mayGrow, open } = options;
  /** The page is scrolled, or the focus is in the table. */
  const isTouched = ref(false);
  /** A record is open. */
  const isReading = ref(false);
  const isHolding = computed(() => isTouched.value || isReading.value);
  /** The list must be fetched again when the user stops reading it. */
  const mustReload = ref(false);
  const shown = shallowRef<readonly Row[]>([]);
  const held = shallowRef<readonly Row[]>([]);

  // Not while the user reads: a refetched list could end before the row that they read.
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
    /** In the form that a table expects. */
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
