// Links the own account to a provider by redirect: a signed-in user signs in at the provider and returns. Only the session that
// began the flow can finish it, and only once.
import { createHash } from 'node:crypto';
import { AppError, type Caller } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import type { NewProviderLink } from './link-changes.ts';
import { insertLinkAttempt, takeLinkAttempt } from './link-store.ts';
import type { ProviderRedirect } from './redirect-flow.ts';

export type LinkFlow = ReturnType<typeof createLinkFlow>;

interface LinkFlowOptions {
  readonly store: Store;
  readonly redirectFlow: ProviderRedirect;
  readonly randomBytes: (size: number) => Buffer;
}

export function createLinkFlow({ store, redirectFlow, randomBytes }: LinkFlowOptions) {
  return {
    async begin({ userId, jti }: Pick<Caller, 'userId' | 'jti'>, key: string) {
      const handle = randomBytes(32).toString('base64url');
      const { id: providerId } = await redirectFlow.get(key);
      const url = await redirectFlow.run(key, () =>
        redirectFlow.authorizationUrl(providerId, handle, 'link'),
      );
      const expiresAt = await insertLinkAttempt(store, hashOf(handle), { userId, providerId, jti });
      return { flowId: handle, url, expiresAt: expiresAt.toISOString() };
    },
    async finish(
      { userId, jti }: Pick<Caller, 'userId' | 'jti'>,
      { flowId, answer }: { readonly flowId: string; readonly answer: string },
    ): Promise<NewProviderLink> {
      const begun = await takeLinkAttempt(store, hashOf(flowId));
      if (begun === undefined || begun.userId !== userId || begun.jti !== jti)
        throw new AppError('provider_refused');
      const { providerId } = begun;
      const { key } = await redirectFlow.get(providerId);
      const { provider, identity } = await redirectFlow.run(key, () =>
        redirectFlow.handleCallback(providerId, flowId, 'link', answer),
      );
      return { providerId, epoch: provider.epoch, subject: identity.subject, name: identity.name };
    },
  };
}

function hashOf(handle: string): Buffer {
  return createHash('sha256').update(handle).digest();
}
