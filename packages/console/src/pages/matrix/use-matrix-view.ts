// The view of the matrix: the roles and rows that match the filter, and the collapsed groups.
import { computed, type Ref, shallowRef } from 'vue';
import { isAdmin } from './cell-state.ts';
import type { Matrix } from './load-matrix.ts';
import type { MatrixFilter } from './matrix-filter.ts';
import { groupRoutes, listRows } from './matrix-rows.ts';

export function useMatrixView(
  matrix: Readonly<Ref<Matrix | undefined>>,
  filter: Readonly<Ref<MatrixFilter>>,
  isNarrow: Readonly<Ref<boolean>>,
) {
  const collapsed = shallowRef<ReadonlySet<string>>(new Set());
  const groups = computed(() => (matrix.value === undefined ? [] : groupRoutes(matrix.value)));
  const roles = computed(() => matrix.value?.roles ?? []);
  const chosenRoles = computed(() => {
    const keys = new Set(filter.value.roleKeys);
    return roles.value.filter(({ roleKey }) => keys.has(roleKey));
  });
  const rows = computed(() => {
    const { text, service, onlyDifferences } = filter.value;
    const differing = onlyDifferences && !isNarrow.value ? chosenRoles.value : [];
    return listRows(groups.value, { text, service, differing }, collapsed.value);
  });
  return {
    rows,
    services: computed(() => [...new Set(groups.value.map(({ service }) => service))]),
    shownRoles: computed(() => (chosenRoles.value.length > 0 ? chosenRoles.value : roles.value)),
    /** For screens with room for one role. */
    oneRole: computed(
      () => chosenRoles.value[0] ?? roles.value.find((role) => !isAdmin(role)) ?? roles.value[0],
    ),
    shownRoutes: computed(() =>
      rows.value.reduce((sum, row) => sum + (row.kind === 'group' ? row.members.length : 0), 0),
    ),
    hasCollapsed: computed(() => collapsed.value.size > 0),
    toggleGroup(key: string): void {
      const next = new Set(collapsed.value);
      if (!next.delete(key)) next.add(key);
      collapsed.value = next;
    },
    toggleAll(): void {
      collapsed.value = new Set(collapsed.value.size > 0 ? [] : groups.value.map(({ key }) => key));
    },
  };
}
