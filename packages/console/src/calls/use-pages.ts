// A paginated list (infinite query): each page starts where the previous one ended.
import { useInfiniteQuery } from '@tanstack/vue-query';
import { computed, type MaybeRefOrGetter, toValue } from 'vue';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

type FetchPage<Item> = (after: string | undefined, signal: AbortSignal) => Promise<Page<Item>>;

/**
 * `key` begins with what the list holds (`users`), followed by its filter: a change of users invalidates `['users']`.
 * @example const users = usePages(() => ['users', filter.value], async (after, signal) =>
 *   (await client.listUsers({ query: { ...filter.value, after }, signal })).data);
 */
export function usePages<Item>(key: MaybeRefOrGetter<readonly unknown[]>, fetchPage: FetchPage<Item>) {
  const query = useInfiniteQuery({
    queryKey: computed(() => toValue(key)),
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: Page<Item>) => page.next ?? undefined,
  });
  return {
    rows: computed(() => query.data.value?.pages.flatMap(({ items }) => items) ?? []),
    isLoading: query.isPending,
    isLoadingMore: query.isFetchingNextPage,
    error: query.error,
    hasMore: query.hasNextPage,
    loadMore: () => void query.fetchNextPage(),
    reload: () => void query.refetch(),
  };
}

export type Pages = ReturnType<typeof usePages>;
