// What a login can be proven with here.
import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from '../client.ts';

export function useLoginMethods() {
  const { data } = useQuery({
    queryKey: ['login-methods'],
    queryFn: async ({ signal }) => (await client.loginMethods({ signal })).data.methods,
  });
  return { hasPasskeys: computed(() => data.value?.includes('passkey') === true) };
}
