// Loads the rules of a role with their revision, up to a limit that is more than a person reads.
import { useQuery } from '@tanstack/vue-query';
import { computed, type MaybeRefOrGetter, toValue } from 'vue';
import { client } from '../../client.ts';
import type { Rule } from '../matrix/draft.ts';

export interface RoleRules {
  readonly rules: readonly Rule[];
  /** The revision of the first page: if a change happens between two pages, the service refuses an edit based on it. */
  readonly revision: number;
  readonly isWhole: boolean;
}

const mostPages = 50;

export async function loadRoleRules(id: number, signal?: AbortSignal): Promise<RoleRules> {
  const rules: Rule[] = [];
  let revision: number | undefined;
  let after: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = { limit: 100, after };
    const { data } = await client.listRules({ params: { id }, query, ...(signal && { signal }) });
    rules.push(...data.items);
    revision ??= data.revision;
    if (data.next === null) return { rules, revision, isWhole: true };
    after = data.next;
  }
  return { rules, revision: revision ?? 0, isWhole: false };
}

export function useRoleRules(roleId: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: computed(() => ['rules', 'of-role', toValue(roleId)]),
    queryFn: ({ signal }) => loadRoleRules(toValue(roleId), signal),
  });
}
