// The matrix as the service has it, one answer for all pages that show it. Thousands of cells: they are neither watched nor compared one by one.
import { useQuery } from '@tanstack/vue-query';
import { computed, markRaw } from 'vue';
import { client } from '../../client.ts';
import { loadMatrix, type Matrix } from './load-matrix.ts';
import { untilNextEnd, withTimes } from './timed-cells.ts';

const queryKey = ['matrix', 'all'];
const rolesPerPage = 100;
/** The clocks of browser and database differ; and no timer runs longer than a day. */
const [leastWait, mostWait] = [5000, 86_400_000];

/** Not asked for where a page can do without and the own role may not see it. */
export function useMatrix(isWanted: () => boolean = () => true) {
  return useQuery({
    queryKey,
    queryFn: async ({ signal, client: answers }) => {
      const matrix = await loadMatrix(
        async (after) => (await client.matrix({ query: { limit: rolesPerPage, after }, signal })).data,
        (part) => {
          const isShown = answers.getQueryData<Matrix>(queryKey)?.isPart === false;
          // Whoever leaves now must not find it later as if it were the whole: it is old at once.
          if (!isShown && !signal.aborted)
            answers.setQueryData(queryKey, markRaw(withTimes(part)), { updatedAt: 0 });
        },
      );
      return markRaw(withTimes(matrix));
    },
    enabled: computed(isWanted),
    // What a temporary rule allows ends without anybody's doing.
    refetchInterval: ({ state }: { state: { data: Matrix | undefined } }) => {
      const wait = state.data === undefined ? undefined : untilNextEnd(state.data, Date.now());
      return wait === undefined ? false : Math.min(mostWait, Math.max(leastWait, wait));
    },
    structuralSharing: false,
    shallow: true,
  });
}
