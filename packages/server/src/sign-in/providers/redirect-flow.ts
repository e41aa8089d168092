// How a browser gets to a provider and back. What a provider does wrong is told to the operator, and to the person as little
// as helps: that it was not accepted, or that the provider is away.
import { AppError } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import type { ProviderConcurrencyLimit } from './concurrency-limit.ts';
import { openProvider } from './provider-changes.ts';
import type { ProviderIdentity, ProviderKind, RedirectPurpose } from './provider-kind.ts';
import type { ProviderSecrets } from './provider-secrets.ts';
import { findProvider, type StoredProvider } from './provider-store.ts';

interface TravelOptions {
  readonly store: Store;
  readonly secrets: ProviderSecrets;
  readonly kinds: readonly ProviderKind[];
  readonly places: ProviderConcurrencyLimit;
}

export type ProviderRedirect = ReturnType<typeof createRedirectFlow>;

export function createRedirectFlow({ store, secrets, kinds, places }: TravelOptions) {
  /** One that people can go to now. */
  async function get(which: string | number): Promise<StoredProvider> {
    const provider = await findProvider(store, typeof which === 'number' ? { id: which } : { key: which });
    if (provider?.enabled !== true || kindOf(provider)?.authorizationUrl === undefined)
      throw new AppError('provider_unknown');
    return provider;
  }

  function kindOf({ kind }: StoredProvider): ProviderKind | undefined {
    return kinds.find((each) => each.kind === kind);
  }

  return {
    get,
    run: places.run,
    async authorizationUrl(id: number, handle: string, purpose: RedirectPurpose): Promise<string> {
      const provider = await get(id);
      const url = await kindOf(provider)?.authorizationUrl?.(
        openProvider(provider, secrets),
        handle,
        purpose,
      );
      if (url === undefined) throw new AppError('provider_unknown');
      return url;
    },
    /** With the provider as it was when it was asked. */
    async handleCallback(
      id: number,
      handle: string,
      purpose: RedirectPurpose,
      answer: string,
    ): Promise<{ provider: StoredProvider; identity: ProviderIdentity }> {
      const provider = await get(id);
      const opened = openProvider(provider, secrets);
      const identity = await kindOf(provider)?.handleCallback?.(opened, handle, purpose, answer);
      if (identity === undefined) throw new AppError('provider_unknown');
      return { provider, identity };
    },
  };
}
