// The redirect flow of a provider (OpenID Connect, OAuth 2): the authorization URL and the callback, for a login and for a link. The
// person only learns that the provider refused or is unavailable; the kind of provider reports the fault to the operator.
import { AppError } from '@portcullis/contract';
import type { ConcurrencyLimit } from '../../base/limit/concurrency-limit.ts';
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { Store } from '../../cluster/store/store.ts';
import { openProvider } from './provider-changes.ts';
import type { ProviderIdentity, ProviderKind, RedirectPurpose } from './provider-kind.ts';
import { findProvider, type StoredProvider } from './provider-store.ts';

interface RedirectFlowOptions {
  readonly store: Store;
  readonly secrets: SealedSecrets;
  readonly kinds: readonly ProviderKind[];
  readonly concurrencyLimit: ConcurrencyLimit;
}

export type ProviderRedirect = ReturnType<typeof createRedirectFlow>;

export function createRedirectFlow({ store, secrets, kinds, concurrencyLimit }: RedirectFlowOptions) {
  /** The provider, when it is enabled and has a redirect flow. */
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
    run: concurrencyLimit.run,
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
    /** Returns the identity, with the provider as it was before the request. */
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
