// The draft of the page: what is toggled, and what of it is left when the matrix comes anew.
import { computed, onScopeDispose, type Ref, shallowRef, watch } from 'vue';
import { useTexts } from '../../language/language.ts';
import { isSignedIn, me } from '../../session.ts';
import { showToast } from '../../ui/toasts.ts';
import { countChanges, type Draft, keepSensible, listChanges, withoutRole } from './draft.ts';
import { keepDraft, takeDraft } from './kept-draft.ts';
import type { Matrix } from './load-matrix.ts';
import { texts } from './texts.ts';

/** How many changes can be taken back. */
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
    /** One step, however much it changes. */
    change,
    /** Takes the last change of the draft back. What was applied meanwhile stays. */
    undo(): void {
      const before = past.pop();
      if (before !== undefined && matrix.value !== undefined)
        draft.value = keepSensible(before, matrix.value);
    },
    /** Applied, or no longer wanted. */
    forgetRole(roleId: number): void {
      past.length = 0;
      draft.value = withoutRole(draft.value, roleId);
    },
    discard(): void {
      change(new Map());
    },
  };
}
