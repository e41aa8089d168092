// The draft of the page: the planned changes, and what remains of them when the matrix is reloaded.
import { computed, onScopeDispose, type Ref, shallowRef, watch } from 'vue';
import { useTexts } from '../../language/language.ts';
import { isSignedIn, me } from '../../session.ts';
import { showToast } from '../../ui/toasts.ts';
import { countChanges, type Draft, keepSensible, listChanges, withoutRole } from './draft.ts';
import { keepDraft, takeDraft } from './kept-draft.ts';
import type { Matrix } from './load-matrix.ts';
import { texts } from './texts.ts';

/** The number of undo steps. */
const mostSteps = 100;

export function useDraft(matrix: Readonly<Ref<Matrix | undefined>>) {
  const t = useTexts(texts);
  const ownerId = me.value?.userId;
  const draft = shallowRef<Draft>(takeDraft(ownerId));
  const past: Draft[] = [];
  function change(next: Draft): void {
    past.push(draft.value);
    if (past.length > mostSteps) past.shift();
    draft.value = next;
  }
  onScopeDispose(() => {
    if (ownerId !== undefined && !isSignedIn.value) keepDraft(ownerId, draft.value);
  });
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
    /** One undo step, however many rules it changes. */
    change,
    /** Undoes the last change of the draft. Applied changes stay. */
    undo(): void {
      const before = past.pop();
      if (before !== undefined && matrix.value !== undefined)
        draft.value = keepSensible(before, matrix.value);
    },
    /** The changes were applied or discarded. */
    forgetRole(roleId: number): void {
      past.length = 0;
      draft.value = withoutRole(draft.value, roleId);
    },
    discard(): void {
      change(new Map());
    },
  };
}
