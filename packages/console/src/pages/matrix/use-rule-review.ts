// Prepares a single change of a role's rules for the review: it reads the base revision first, and again if
// another user changed the rules.
import { useQuery } from '@tanstack/vue-query';
import { computed, nextTick, ref, shallowRef } from 'vue';
import { describeError } from '../../calls/describe-error.ts';
import { client } from '../../client.ts';
import { may } from '../../session.ts';
import { showToast } from '../../ui/toasts.ts';
import type { ChangedRole, RoleChanges } from './draft.ts';

interface Change extends Omit<RoleChanges, 'role'> {
  readonly role: Omit<ChangedRole, 'revision'>;
}

/** The polling interval while an instance still answers by the previous rules. */
export const followMilliseconds = 300;

export function useRuleReview() {
  const pending = shallowRef<Change>();
  const isOpen = ref(false);
  const id = computed(() => pending.value?.role.id ?? 0);
  const { data: revision, refetch } = useQuery({
    queryKey: computed(() => ['rules', 'revision', id.value]),
    queryFn: async ({ signal }) =>
      (await client.listRules({ params: { id: id.value }, query: { limit: 1 }, signal })).data.revision,
    enabled: computed(() => pending.value !== undefined),
    staleTime: 0,
  });
  const changes = computed((): RoleChanges[] => {
    const change = pending.value;
    if (change === undefined || revision.value === undefined) return [];
    return [{ ...change, role: { ...change.role, revision: revision.value } }];
  });

  return {
    isOpen,
    changes,
    /** The last revision that changed the rules of the role. */
    revision,
    async review(change: Change): Promise<void> {
      pending.value = change;
      await nextTick();
      const { error } = await refetch();
      if (error === null) isOpen.value = true;
      else showToast(describeError(error), 'bad');
    },
  };
}

/** Whether the role has the permissions that a review needs. */
export function mayReview(): boolean {
  return may('POST', '/api/v1/roles/1/rules') && may('GET', '/api/v1/roles/1/rules');
}
