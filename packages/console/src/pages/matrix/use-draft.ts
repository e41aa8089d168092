// The draft of the page: what is toggled, and what of it is left when the matrix comes anew.
import { computed, type Ref, shallowRef, watch } from 'vue';
import { useTexts } from '../../language/language.ts';
import { showToast } from '../../ui/toasts.ts';
import { isEditable } from './cell-state.ts';
import { countChanges, type Draft, keepSensible, listChanges, toggleDraft, withoutRole } from './draft.ts';
import type { Matrix, MatrixRole } from './load-matrix.ts';
import type { RouteRow } from './matrix-rows.ts';
import { texts } from './texts.ts';

export function useDraft(matrix: Readonly<Ref<Matrix | undefined>>) {
  const t = useTexts(texts);
  const draft = shallowRef<Draft>(new Map());
  watch(matrix, (next) => {
    if (next === undefined) return;
    const before = countChanges(draft.value);
    draft.value = keepSensible(draft.value, next);
    const dropped = before - countChanges(draft.value);
    if (dropped > 0) showToast(t.value.draft.dropped(dropped), 'bad');
  });
  return {
    draft,
    count: computed(() => countChanges(draft.value)),
    changes: computed(() => listChanges(draft.value, matrix.value?.roles ?? [])),
    toggle(role: MatrixRole, { route, place, rule }: RouteRow): void {
      if (!isEditable(role, route)) return;
      draft.value = toggleDraft(draft.value, role.id, rule, role.cells[place] === 'r');
    },
    /** Applied, or no longer wanted. */
    forgetRole(roleId: number): void {
      draft.value = withoutRole(draft.value, roleId);
    },
    discard(): void {
      draft.value = new Map();
    },
  };
}
