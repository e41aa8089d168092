// Request metrics: the counters of logins and decisions, shared by all listeners.
import { createDecisionCounts, type DecisionCounts } from './decision-counts.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import { createLoginCounts, type LoginCounts } from './login-counts.ts';
import { createProviderCounts, type ProviderCounts } from './provider-counts.ts';

export interface RequestCounts {
  readonly logins: LoginCounts;
  readonly providers: ProviderCounts;
  readonly loginSeconds: Histogram;
  /** One counter per listener. */
  readonly decisions: { readonly public: DecisionCounts; readonly decision: DecisionCounts };
  readonly misuses: number;
  countMisuse(): void;
}

/** A login takes as long as its hash, plus at most the seconds that it is allowed to wait in the queue. */
const loginBounds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export function createRequestCounts(): RequestCounts {
  const counts = {
    logins: createLoginCounts(),
    providers: createProviderCounts(),
    loginSeconds: createHistogram(loginBounds),
    decisions: { public: createDecisionCounts(), decision: createDecisionCounts() },
    misuses: 0,
    countMisuse() {
      counts.misuses += 1;
    },
  };
  return counts;
}
