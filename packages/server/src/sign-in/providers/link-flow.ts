// Somebody who is signed in goes to a provider and comes back, to link what it vouches for. Only the same session finishes
// what it began, once.
import { createHash } from 'node:crypto';
import { AppError, type Caller } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import type { NewLink } from './link-changes.ts';
import { insertLinkAttempt, takeLinkAttempt } from './link-store.ts';
import type { ProviderTravel } from './redirect-flow.ts';

export type LinkJourneys = ReturnType<typeof createLinkJourneys>;

interface LinkJourneysOptions {
  readonly store: Store;
  readonly travel: ProviderTravel;
  readonly randomBytes: (size: number) => Buffer;
}

export function createLinkJourneys({ store, travel, randomBytes }: LinkJourneysOptions) {
  return {
    async begin({ userId, jti }: Pick<Caller, 'userId' | 'jti'>, key: string) {
      const handle = randomBytes(32).toString('base64url');
      const { id: providerId } = await travel.get(key);
      const url = await travel.run(key, () => travel.leave(providerId, handle, 'link'));
      const expiresAt = await insertLinkAttempt(store, hashOf(handle), { userId, providerId, jti });
      return { attempt: handle, url, expiresAt: expiresAt.toISOString() };
    },
    async finish(
      { userId, jti }: Pick<Caller, 'userId' | 'jti'>,
      { attempt, answer }: { readonly attempt: string; readonly answer: string },
    ): Promise<NewLink> {
      const begun = await takeLinkAttempt(store, hashOf(attempt));
      if (begun === undefined || begun.userId !== userId || begun.jti !== jti)
        throw new AppError('provider_refused');
      const { providerId } = begun;
      const { key } = await travel.get(providerId);
      const { provider, vouched } = await travel.run(key, () =>
        travel.arrive(providerId, attempt, 'link', answer),
      );
      return { providerId, epoch: provider.epoch, subject: vouched.subject, name: vouched.name };
    },
  };
}

function hashOf(handle: string): Buffer {
  return createHash('sha256').update(handle).digest();
}
