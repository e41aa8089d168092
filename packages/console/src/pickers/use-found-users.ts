// Searches users by a name prefix, debounced.
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/vue-query';
import { computed, onScopeDispose, type Ref, ref, watch } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';
import { isFoundBy } from './is-found-by.ts';

export type FoundUser = Awaited<ReturnType<typeof client.listUsers>>['data']['items'][number];

const pauseMilliseconds = 150;
const shownUsers = 8;

/** `blank` also searches for an empty text. */
export function useUserSearch(typed: Readonly<Ref<string>>, { blank = true } = {}) {
  const prefix = ref(typed.value.trim());
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(typed, (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      prefix.value = text.trim();
    }, pauseMilliseconds);
  });
  onScopeDispose(() => clearTimeout(timer));
  const query = useQuery({
    queryKey: computed(() => ['users', 'begins', prefix.value]),
    queryFn: async ({ signal }) => {
      const search = prefix.value === '' ? undefined : prefix.value;
      return (await client.listUsers({ query: { search, limit: shownUsers }, signal })).data.items;
    },
    enabled: computed(() => may('GET', '/api/v1/users') && (blank || prefix.value !== '')),
    placeholderData: keepPreviousData,
  });
  return {
    // While a new search runs, the previous answer can contain users that no longer match.
    users: computed<readonly FoundUser[]>(() =>
      (query.data.value ?? []).filter((user) => isFoundBy(user, typed.value)),
    ),
    /** True until the answer matches the typed text. */
    isSearching: computed(() => query.isFetching.value || prefix.value !== typed.value.trim()),
    error: query.error,
    retry: () => void query.refetch(),
  };
}

export function useFoundUsers(typed: Readonly<Ref<string>>) {
  return useUserSearch(typed).users;
}

export function begins(word: string, typed: string): boolean {
  return word.toLowerCase().startsWith(typed.trim().toLowerCase());
}

/** For users who type a complete name and continue before a suggestion appears. */
export async function findUserNamed(typed: string): Promise<FoundUser | undefined> {
  if (typed.trim() === '' || !may('GET', '/api/v1/users')) return undefined;
  const [first] = await client.listUsers({ query: { username: typed.trim(), limit: 1 } }).then(
    ({ data }) => data.items,
    () => [],
  );
  return first?.username.toLowerCase() === typed.trim().toLowerCase() ? first : undefined;
}

/**
 * The name of a user of whom only the id is known, for example after a reload; `keep` stores a known
 * name and saves the request.
 */
export function useUsername(id: () => number | undefined) {
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: computed(() => ['users', 'name', id()]),
    queryFn: async ({ signal }) => {
      const asked = id();
      return asked === undefined
        ? ''
        : (await client.getUser({ params: { id: asked }, signal })).data.username;
    },
    enabled: computed(() => id() !== undefined && may('GET', '/api/v1/users/1')),
  });
  return {
    name: computed(() => (id() === undefined ? undefined : query.data.value)),
    keep: (user: FoundUser) => void queries.setQueryData(['users', 'name', user.id], user.username),
  };
}
