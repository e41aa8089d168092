// Loads the matrix; all pages share one query. It has thousands of cells, so it is neither deeply reactive
// nor compared cell by cell.
import { useQuery } from '@tanstack/vue-query';
import { computed, markRaw } from 'vue';
import { client } from '../../client.ts';
import { loadMatrix, type Matrix } from './load-matrix.ts';
import { untilNextEnd, withTimes } from './timed-cells.ts';

const queryKey = ['matrix', 'all'];
const rolesPerPage = 100;
/** The minimum allows for different clocks of browser and database; the maximum is the limit of a timer, a day. */
const [leastWait, mostWait] = [5000, 86_400_000];

/** No request if a page can do without the matrix and the role has no permission to read it. */
export function useMatrix(isWanted: () => boolean = () => true) {
  return useQuery({
    queryKey,
    queryFn: async ({ signal, client: answers }) => {
      const matrix = await loadMatrix(
        async (after) => (await client.matrix({ query: { limit: rolesPerPage, after }, signal })).data,
        (part) => {
          const isShown = answers.getQueryData<Matrix>(queryKey)?.isPart === false;
          // If the user leaves before all pages are loaded, the partial matrix is marked stale, so that it is not
          // reused as the complete one.
          if (!isShown && !signal.aborted)
            answers.setQueryData(queryKey, markRaw(withTimes(part)), { updatedAt: 0 });
        },
      );
      return markRaw(withTimes(matrix));
    },
    enabled: computed(isWanted),
    // Refetches when the next temporary rule ends.
    refetchInterval: ({ state }: { state: { data: Matrix | undefined } }) => {
      const wait = state.data === undefined ? undefined : untilNextEnd(state.data, Date.now());
      return wait === undefined ? false : Math.min(mostWait, Math.max(leastWait, wait));
    },
    structuralSharing: false,
    shallow: true,
  });
}
