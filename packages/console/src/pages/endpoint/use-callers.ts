// Loads the users and roles that can call an endpoint, page by page. The summary comes with the first page.
import { useInfiniteQuery } from '@tanstack/vue-query';
import { computed, type MaybeRefOrGetter, type Ref, toValue, watch } from 'vue';
import { client } from '../../client.ts';
import type { Rule } from '../matrix/draft.ts';
import { followMilliseconds } from '../matrix/use-rule-review.ts';

export type Callers = Awaited<ReturnType<typeof client.listCallers>>['data'];
export type CallingRole = Callers['roles']['items'][number];
export type CallingPerson = Callers['items'][number];

const peoplePerPage = 50;

/** `changed` is the revision of the last change: an instance can need a moment until it applies this revision. */
export function useCallers(called: MaybeRefOrGetter<Rule | undefined>, changed: Readonly<Ref<number>>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => ['rules', 'callers', toValue(called)]),
    queryFn: async ({ pageParam, signal }) => {
      const { method = '', path = '' } = toValue(called) ?? {};
      const asked = { method, path, limit: peoplePerPage, after: pageParam };
      return (await client.listCallers({ query: asked, signal })).data;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Callers) => page.next ?? undefined,
    enabled: computed(() => toValue(called) !== undefined),
    refetchInterval: ({ state }) =>
      changed.value > (state.data?.pages[0]?.revision ?? Number.POSITIVE_INFINITY)
        ? followMilliseconds
        : false,
  });
  // The answer can arrive before the revision is known; then no polling interval has started yet.
  watch(changed, (now) => {
    if (now > (query.data.value?.pages[0]?.revision ?? now)) void query.refetch();
  });
  return {
    first: computed(() => query.data.value?.pages[0]),
    people: {
      rows: computed(() => query.data.value?.pages.flatMap(({ items }) => items) ?? []),
      isLoading: query.isPending,
      isLoadingMore: query.isFetchingNextPage,
      error: query.error,
      hasMore: query.hasNextPage,
      loadMore: () => void query.fetchNextPage(),
      reload: () => void query.refetch(),
    },
  };
}
