// Loads the second factors of the signed-in user, or of another user.
import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from '../client.ts';

export type Factors = Awaited<ReturnType<typeof client.listOwnFactors>>['data'];

export function useOwnFactors() {
  return useQuery({
    queryKey: ['factors', 'own'],
    queryFn: async ({ signal }) => (await client.listOwnFactors({ signal })).data,
  });
}

export function useUserFactors(userId: () => number) {
  return useQuery({
    queryKey: computed(() => ['factors', 'user', userId()]),
    queryFn: async ({ signal }) => (await client.listUserFactors({ params: { id: userId() }, signal })).data,
  });
}
