// The matrix as the service has it, one answer for all pages that show it. Thousands of cells: they are neither watched nor compared one by one.
import { useQuery } from '@tanstack/vue-query';
import { markRaw } from 'vue';
import { client } from '../../client.ts';
import { loadMatrix } from './load-matrix.ts';

const rolesPerPage = 100;

export function useMatrix() {
  return useQuery({
    queryKey: ['matrix', 'all'],
    queryFn: async ({ signal }) => {
      const matrix = await loadMatrix(
        async (after) => (await client.matrix({ query: { limit: rolesPerPage, after }, signal })).data,
      );
      return markRaw(matrix);
    },
    structuralSharing: false,
    shallow: true,
  });
}
