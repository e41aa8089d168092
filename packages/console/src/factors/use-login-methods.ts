// Loads the login methods and identity providers of this service.
import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from '../client.ts';

export function useLoginMethods() {
  const { data } = useQuery({
    queryKey: ['login-methods'],
    queryFn: async ({ signal }) => (await client.loginMethods({ signal })).data,
  });
  return {
    hasPasskeys: computed(() => data.value?.methods.includes('passkey') === true),
    providers: computed(() => data.value?.providers ?? []),
    isResetOffered: computed(() => data.value?.passwordReset === true),
  };
}
