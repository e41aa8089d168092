// Provider metrics: counts logins and logouts through each provider. Attempts with invalid parameters, such as an unknown provider,
// are not counted: a caller must not be able to invent label values.
import type { LoginAttempt, LoginReason } from '@portcullis/contract';

export interface ProviderCounts {
  count(attempt: Pick<LoginAttempt, 'provider' | 'reason'>): void;
  read(): { labels: { provider: string; reason: LoginReason }; value: number }[];
}

export function createProviderCounts(): ProviderCounts {
  const counted = new Map<string, Map<LoginReason, number>>();
  return {
    count({ provider, reason }) {
      if (provider === undefined || reason === 'params_invalid') return;
      const reasons = counted.get(provider) ?? new Map<LoginReason, number>();
      counted.set(provider, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
    },
    read: () =>
      [...counted].flatMap(([provider, reasons]) =>
        [...reasons].map(([reason, value]) => ({ labels: { provider, reason }, value })),
      ),
  };
}
