// The cache and retry rules of the query library. A refusal is an answer and is not retried; only a failed
// connection is retried, once.
import { MutationCache, QueryCache, QueryClient } from '@tanstack/vue-query';
import { kindOf } from './describe-error.ts';

const triesOfLostLine = 2;

export function createQueryClient(onError: (error: unknown) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // Offline, a call fails at once. By default the library would queue it and send it later, when the user does not expect it.
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
