import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';
import { readAll } from './read-all.ts';

export type Role = Awaited<ReturnType<typeof client.listRoles>>['data']['items'][number];

/** All roles by their keys; empty if the role has no permission to list them. */
export function useRoles() {
  const query = useQuery({
    queryKey: ['roles', 'all'],
    queryFn: ({ signal }) =>
      readAll(async (after) => (await client.listRoles({ query: { after, limit: 100 }, signal })).data),
    enabled: computed(() => may('GET', '/api/v1/roles')),
  });
  return {
    roles: computed(() => query.data.value?.items ?? []),
    isLoading: query.isLoading,
    error: query.error,
  };
}
