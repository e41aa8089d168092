// The caller's data scope in words, because "everybody" would be wrong for users with a limited scope.
import { useQuery } from '@tanstack/vue-query';
import { computed } from 'vue';
import { client } from './client.ts';
import { defineTexts, useTexts } from './language/language.ts';
import { me } from './session.ts';

const texts = defineTexts({
  en: {
    '1': 'You see everybody',
    '2': 'You see the departments that your role names',
    '3': (department: string) => `You see ${department}`,
    '4': (department: string) => `You see ${department} and below`,
    '5': 'You see only yourself',
  },
  zh: {
    '1': '您可查看所有人',
    '2': '您可查看角色指定的部门',
    '3': (department) => `您可查看${department}`,
    '4': (department) => `您可查看${department}及下级部门`,
    '5': '您仅可查看本人',
  },
});

export function useOwnScope() {
  const t = useTexts(texts);
  const query = useQuery({
    queryKey: computed(() => ['own', 'profile', me.value?.userId]),
    queryFn: async ({ signal }) => (await client.profile({ signal })).data,
    enabled: computed(() => me.value !== undefined),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const scope = computed(() => query.data.value?.roles[0]?.dataScope);
  return {
    /** Undefined if it is not known. */
    isEverybody: computed(() => (scope.value === undefined ? undefined : scope.value === '1')),
    /** Empty if it is not known. */
    text: computed(() => {
      const department = query.data.value?.user.dept.deptName ?? '';
      const found = Object.entries(t.value).find(([known]) => known === scope.value)?.[1];
      return typeof found === 'function' ? found(department) : (found ?? '');
    }),
  };
}
