// What is counted of requests, over all parts that answer them.
import { createDecisionCounts, type DecisionCounts } from './decision-counts.ts';
import { createHistogram, type Histogram } from './histogram.ts';
import { createLoginCounts, type LoginCounts } from './login-counts.ts';
import { createProviderCounts, type ProviderCounts } from './provider-counts.ts';

export interface RequestCounts {
  readonly logins: LoginCounts;
  readonly providers: ProviderCounts;
  readonly loginSeconds: Histogram;
  /** By the listener that was asked. */
  readonly decisions: { readonly public: DecisionCounts; readonly decision: DecisionCounts };
  readonly misuses: number;
  countMisuse(): void;
}

/** A login takes as long as its hash, and at most the seconds that it may wait for its turn. */
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
