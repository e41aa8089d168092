// How answers are kept and asked for again. A refusal is an answer: only a line that failed is tried once more.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/vue-query';
import { kindOf } from './describe-error.ts';

const triesOfLostLine = 2;

export function createQueryClient(onError: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Offline a call fails at once. The library would keep it, and make it by itself when nobody expects it any more.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => kindOf(error) === 'network' && failures < triesOfLostLine,
      },
    },
  });
}
