// The filter of a page, kept in the address. Typing shows at once; the address follows when it rests.
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
  // Written later, it would call off the way to another page.
  onBeforeRouteLeave(() => clearTimeout(pending));
  return { filter, setFilter };
}
