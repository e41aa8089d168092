// The draft as the cells show it: if a wider rule is removed, the endpoints that no other rule allows
// are shown as removed too.
import { useQueries } from '@tanstack/vue-query';
import { computed, type Ref } from 'vue';
import { loadRoleRules } from '../role/use-role-rules.ts';
import { type Draft, listWiderRemovals, ruleText, showLost } from './draft.ts';
import type { Matrix } from './load-matrix.ts';
import { findLost } from './wider-rules.ts';

export function useShownDraft(matrix: Readonly<Ref<Matrix | undefined>>, draft: Readonly<Ref<Draft>>) {
  const removals = computed(() =>
    matrix.value === undefined ? [] : listWiderRemovals(draft.value, matrix.value.routes),
  );
  const loaded = useQueries({
    queries: computed(() =>
      removals.value.map(({ roleId }) => ({
        queryKey: ['rules', 'of-role', roleId],
        queryFn: ({ signal }: { signal: AbortSignal }) => loadRoleRules(roleId, signal),
      })),
    ),
  });
  return computed((): Draft => {
    const routes = matrix.value?.routes ?? [];
    return removals.value.reduce((shown, { roleId, rules: removed }, index) => {
      const { rules } = loaded.value[index]?.data ?? { rules: removed };
      return showLost(shown, roleId, findLost(rules, removed, routes).map(ruleText));
    }, draft.value);
  });
}
