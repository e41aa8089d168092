import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';
import { listTree } from './department-tree.ts';
import { readAll } from './read-all.ts';

export type Department = Awaited<ReturnType<typeof client.listDepartments>>['data']['items'][number];

/** All departments that the caller can see, in tree order; empty if the role has no permission to list them. */
export function useDepartments() {
  const query = useQuery({
    queryKey: ['departments', 'all'],
    queryFn: ({ signal }) =>
      readAll(async (after) => (await client.listDepartments({ query: { after, limit: 100 }, signal })).data),
    enabled: computed(() => may('GET', '/api/v1/departments')),
  });
  return {
    departments: computed(() => listTree(query.data.value?.items ?? [])),
    /** False if there are more departments than were read. */
    isWhole: computed(() => query.data.value?.isWhole ?? true),
    isLoading: query.isLoading,
    error: query.error,
    reload: () => void query.refetch(),
  };
}
