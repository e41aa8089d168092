// Reads the filter from the address, and changes it there.
import { computed } from 'vue';
import { useRoute, useRouter } from 'vue-router';
import { type LogFilter, type ReadFilter, readFilter } from './log-filter.ts';

export function useLogFilter() {
  const route = useRoute();
  const router = useRouter();
  const page = route.name;
  // During a navigation, the address is already that of the next page, whose query must not be read here.
  const read = computed<ReadFilter>((before) =>
    route.name === page || before === undefined ? readFilter(route.query) : before,
  );
  const filter = computed(() => read.value.filter);
  function set(next: LogFilter): void {
    void router.replace({ query: { ...next } });
  }
  return {
    filter,
    refused: computed(() => read.value.refused),
    set,
    /** Keeps the other values; an undefined value removes its filter. */
    change: (values: { readonly [N in keyof LogFilter]: LogFilter[N] | undefined }) =>
      set(readFilter({ ...filter.value, ...values }).filter),
  };
}
