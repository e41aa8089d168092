// The credential step of a login by way of a provider that people go to: the code that it gave is redeemed here, and whoever
// it vouches for is looked up by provider and subject alone.
import { AppError } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import { findAccountOf } from '../../people/users/user-store.ts';
import type { LoginMethod, Proof } from '../login/method.ts';
import type { ApplyGroupMapping } from './groups/apply-group-mapping.ts';
import type { FindGroupsFault } from './groups/find-groups-fault.ts';
import { findLink, useLink } from './link-store.ts';
import type { ProvisionUser } from './provision-user.ts';
import type { ProviderRedirect } from './redirect-flow.ts';

interface ProviderMethodOptions {
  readonly store: Store;
  readonly redirectFlow: ProviderRedirect;
  readonly admit: ProvisionUser;
  readonly settleRole: ApplyGroupMapping;
  readonly findGroupsFault: FindGroupsFault;
}

export function createProviderMethod({
  store,
  redirectFlow,
  admit,
  settleRole,
  findGroupsFault,
}: ProviderMethodOptions): LoginMethod {
  async function accountOf(link: { readonly userId: number } | undefined) {
    return link && (await findAccountOf(store, link.userId))?.account;
  }

  return {
    // In a login, the kind of the provider comes in its place.
    name: 'oidc',
    factor: 1,
    begins: true,
    wrong: 'provider_refused',
    reads: ({ answer, password }) => answer !== undefined && password === undefined,
    leadsTo: ({ provider }) => String(provider),
    async verify({ attempt: handle, provider: key, answer, invitation }, context): Promise<Proof> {
      const { attempt, ip, requestId } = context;
      if (attempt === undefined || attempt.providerId === null) return { refused: 'credentials_wrong' };
      const { id, key: begunWith } = await redirectFlow.get(attempt.providerId);
      if (begunWith !== key) return { refused: 'credentials_wrong' };
      const arrived = await redirectFlow.handleCallback(id, String(handle), 'login', String(answer));
      const { provider, identity } = arrived;
      const linked = await findLink(store, id, identity.subject);
      const isCreated = linked === undefined && invitation === undefined && provider.admission === 'created';
      const fault = await findGroupsFault(provider, identity, isCreated);
      if (fault !== undefined) return { refused: fault, account: await accountOf(linked) };
      const link =
        linked ??
        (await admit({ provider, identity, invitation: invitation as string | undefined, ip, requestId }));
      if (link === undefined) throw new AppError('link_missing');
      const found = await findAccountOf(store, link.userId);
      if (found === undefined) return { refused: 'credentials_wrong' };
      if (!found.userEnabled) return { refused: 'user_disabled', account: found.account };
      const account = await settleRole({ provider, groups: identity.groups, found, ip, requestId });
      if (account === undefined) return { refused: 'role_disabled', account: found.account };
      await useLink(store, link.id, identity.groups);
      const { session } = identity;
      const { beganAt } = attempt;
      return {
        account,
        credentialId: link.id,
        provider: { providerId: id, epoch: provider.epoch, session, linkId: link.id, beganAt },
      };
    },
  };
}
