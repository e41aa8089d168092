// The order of the checks, per access. Neither check can be skipped, and this is the only place that knows the
// order (Spec, What the service does).
import type { Access } from '@portcullis/contract';
import type { Check } from './http/access-guard.ts';
import type { Stages } from './http/mount.ts';

export interface Checks {
  readonly limit: Check;
  /** Whether this instance may decide at all: without a lease it cannot know. */
  readonly hold: Check;
  readonly identify: Check;
  /** Whether a token that the browser sent by itself was meant. */
  readonly site: Check;
  readonly permit: Check;
}

// biome-ignore format: One column a check.
export function createPipeline({ limit, hold, identify, site, permit }: Checks): Record<Access, Stages> {
  return {
    //                    1. limit  2. hold  3. who    4. from where  5. may    again, where access changed before the handler
    public:     { first: [limit                                             ], again: [                       ] },
    identity:   { first: [limit,    hold,    identify, site                 ], again: [hold, identify         ] },
    permission: { first: [limit,    hold,    identify, site,          permit], again: [hold, identify, permit ] },
  };
}
