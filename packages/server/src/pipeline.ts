// The order of the checks, per access. Neither check can be skipped, and this is the only place that knows the
// order (Spec, What the service does).
import type { Access } from '@portcullis/contract';
import type { Check } from './http/access-guard.ts';

export interface Checks {
  readonly limit: Check;
  readonly identify: Check;
  readonly permit: Check;
}

// biome-ignore format: One column a check.
export function createPipeline({ limit, identify, permit }: Checks): Record<Access, readonly Check[]> {
  return {
    //           1. limit  2. who     3. may
    public:     [limit                      ],
    identity:   [limit,    identify         ],
    permission: [limit,    identify,  permit],
  };
}
