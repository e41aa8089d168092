// The order of the checks, per access. Neither check can be skipped, and this is the only place that knows the
// order (Spec, What the service does).
import type { Access } from '@portcullis/contract';
import type { Identifiable, Permissible, ReceivedRequest, Sited } from '@portcullis/gate';
import type { DecisionStages } from './decision/decide.ts';
import type { Check } from './http/access-guard.ts';
import type { Exchange } from './http/exchange.ts';
import type { Stages } from './http/mount.ts';

/** What the checks read of a request: one to this service, or one that a gateway or service asks about. */
export type AnyRequest = Identifiable & Sited & Permissible;

export interface Checks<T = AnyRequest> {
  readonly limit: Check;
  /** Whether this instance may decide at all: without a lease it cannot know. */
  readonly hold: Check<T>;
  readonly identify: Check<T>;
  /** Whether a token that the browser sent by itself was meant. */
  readonly site: Check<T>;
  /** Whether the password may stay as it is. It is a claim of the token, so it is asked once. */
  readonly settled: Check<T>;
  readonly permit: Check<T>;
}

// biome-ignore format: One column a check.
export function createPipeline({ limit, hold, identify, site, settled, permit }: Checks<Exchange>): Record<Access, Stages> {
  return {
    //                    1. limit  2. hold  3. who    4. from where  5. settled  6. may    again, where access changed before the handler
    public:     { first: [limit                                                         ], again: [                       ] },
    identity:   { first: [limit,    hold,    identify, site,          settled           ], again: [hold, identify         ] },
    permission: { first: [limit,    hold,    identify, site,          settled,    permit], again: [hold, identify, permit ] },
  };
}

export interface DecisionChecks extends Omit<Checks<ReceivedRequest>, 'limit'> {
  /** Whether the request can be read in one way only. */
  readonly canonical: Check<ReceivedRequest>;
}

/** Of requests that others received: with their token, or of a user or role that is named. */
// biome-ignore format: One column a check.
export function createDecisionPipeline({ hold, canonical, identify, site, settled, permit }: DecisionChecks): Record<'asked' | 'named', DecisionStages> {
  return {
    //               1. hold  2. which    3. who    4. from where  5. settled  6. may    again, where access changed meanwhile
    asked: { first: [hold,    canonical,  identify, site,          settled,    permit], again: [hold, identify, permit ] },
    named: { first: [hold,    canonical,                           settled,    permit], again: [hold,           permit ] },
  };
}
