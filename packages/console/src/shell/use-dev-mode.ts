// Whether an instance runs in dev mode, if the role has permission to know.
import { useQuery } from '@tanstack/vue-query';
import { type ComputedRef, computed } from 'vue';
import { client } from '../client.ts';
import { may } from '../session.ts';

export function useDevMode(): ComputedRef<boolean> {
  const query = useQuery({
    queryKey: ['instances', 'mode'],
    queryFn: async ({ signal }) => (await client.listInstances({ query: { limit: 100 }, signal })).data.items,
    enabled: computed(() => may('GET', '/api/v1/instances')),
  });
  return computed(() => query.data.value?.some(({ mode }) => mode === 'dev') === true);
}
