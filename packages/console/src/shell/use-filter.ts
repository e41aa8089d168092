// Keeps the filter of a page in the address. Input takes effect at once; the address follows after a pause.
import { type ShallowRef, shallowRef, watch } from 'vue';
import {
  type LocationQuery,
  type LocationQueryRaw,
  onBeforeRouteLeave,
  useRoute,
  useRouter,
} from 'vue-router';

const restMilliseconds = 250;

export function useFilter<Filter extends object>(
  readFilter: (query: LocationQuery) => Filter,
  writeFilter: (filter: Filter) => LocationQueryRaw,
): { readonly filter: ShallowRef<Filter>; setFilter(part: Partial<Filter>): void } {
  const route = useRoute();
  const router = useRouter();
  const page = route.name;
  const filter: ShallowRef<Filter> = shallowRef<Filter>(readFilter(route.query));
  let pending: ReturnType<typeof setTimeout> | undefined;

  function setFilter(part: Partial<Filter>): void {
    filter.value = { ...filter.value, ...part };
    clearTimeout(pending);
    pending = setTimeout(() => {
      pending = undefined;
      void router.replace({ query: writeFilter(filter.value) });
    }, restMilliseconds);
  }
  watch(
    () => route.query,
    (query) => {
      if (pending === undefined && route.name === page) filter.value = readFilter(query);
    },
  );
  // A later write to the address would cancel the navigation.
  onBeforeRouteLeave(() => clearTimeout(pending));
  return { filter, setFilter };
}
