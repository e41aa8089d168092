import { useQueryClient } from '@tanstack/vue-query';
import { readonly, ref } from 'vue';
import { useRouter } from 'vue-router';
import { client } from '../client.ts';
import { forgetMe } from '../session.ts';

export function useSignOut() {
  const router = useRouter();
  const queries = useQueryClient();
  const isLeaving = ref(false);

  async function signOut(): Promise<void> {
    isLeaving.value = true;
    await client.logout().catch(() => {});
    isLeaving.value = false;
    forgetMe();
    queries.clear();
    await router.push({ name: 'sign-in' });
  }

  return { signOut, isLeaving: readonly(isLeaving) };
}
