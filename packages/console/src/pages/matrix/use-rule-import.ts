// Prepares a selected file of rules for the review: parses it like the command line does, and compares it with the
// current rules of its roles. It reads those again if another user changed them.
import { type Remark, readRuleFile } from '@portcullis/policy';
import { useQuery } from '@tanstack/vue-query';
import { computed, ref, shallowRef } from 'vue';
import { loadRoleRules } from '../role/use-role-rules.ts';
import type { MatrixRole } from './load-matrix.ts';
import { isTooMuch, planRole, type RulesByRole, sortByRole } from './plan-import.ts';

const mostBytes = 1024 * 1024;

export interface ReadFile extends RulesByRole {
  readonly count: number;
  readonly rejected: readonly Remark[];
  /** Rules that allow less here than in casbin. */
  readonly narrowed: readonly Remark[];
}

export type FileProblem = 'tooLarge' | 'notRead';

export function useRuleImport(roles: () => readonly MatrixRole[]) {
  const read = shallowRef<ReadFile>();
  const problem = ref<FileProblem>();
  const isReplacing = ref(false);
  const isSound = computed(() => {
    const { rejected = [], refused = [], ofRoles = [] } = read.value ?? {};
    return rejected.length === 0 && refused.length === 0 && ofRoles.length > 0;
  });
  const stored = useQuery({
    queryKey: computed(() => ['rules', 'import', read.value?.ofRoles.map(({ role }) => role.id)]),
    queryFn: async ({ signal }) => {
      const loaded = new Map<number, Awaited<ReturnType<typeof loadRoleRules>>>();
      for (const { role } of read.value?.ofRoles ?? [])
        loaded.set(role.id, await loadRoleRules(role.id, signal));
      return loaded;
    },
    enabled: isSound,
    staleTime: 0,
  });
  const plans = computed(() =>
    (isSound.value ? (read.value?.ofRoles ?? []) : []).flatMap(({ role, rules }) => {
      const has = stored.data.value?.get(role.id);
      if (has === undefined) return [];
      return [planRole({ ...role, revision: has.revision }, has.rules, rules, isReplacing.value)];
    }),
  );
  return {
    read,
    problem,
    isReplacing,
    isSound,
    error: stored.error,
    isReady: computed(() => isSound.value && stored.data.value !== undefined && !stored.isFetching.value),
    changes: computed(() => plans.value.filter(({ add, remove }) => add.length + remove.length > 0)),
    tooMuch: computed(() => plans.value.filter(isTooMuch).map(({ role }) => role.roleKey)),
    async take(file: Pick<File, 'size' | 'text'> | undefined): Promise<void> {
      read.value = undefined;
      problem.value = file !== undefined && file.size > mostBytes ? 'tooLarge' : undefined;
      if (file === undefined || problem.value !== undefined) return;
      try {
        const { rules, rejected, narrowed } = readRuleFile(await file.text(), undefined);
        read.value = { ...sortByRole(rules, roles()), count: rules.length, rejected, narrowed };
      } catch {
        problem.value = 'notRead';
      }
    },
  };
}
