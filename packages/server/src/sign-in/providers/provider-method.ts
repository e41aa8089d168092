// The login method of providers with a redirect (OpenID Connect, OAuth 2): verifies the callback, and finds the account by provider
// and subject, and by nothing else. A person without a link is provisioned.
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
  readonly provisionUser: ProvisionUser;
  readonly applyGroupMapping: ApplyGroupMapping;
  readonly findGroupsFault: FindGroupsFault;
}

export function createProviderMethod({
  store,
  redirectFlow,
  provisionUser,
  applyGroupMapping,
  findGroupsFault,
}: ProviderMethodOptions): LoginMethod {
  async function accountOf(link: { readonly userId: number } | undefined) {
    return link && (await findAccountOf(store, link.userId))?.account;
  }

  return {
    // A login records the kind of its provider instead.
    name: 'oidc',
    factor: 1,
    begins: true,
    wrong: 'provider_refused',
    reads: ({ answer, password }) => answer !== undefined && password === undefined,
    providerKeyOf: ({ provider }) => String(provider),
    async verify({ flowId: handle, provider: key, answer, invitation }, context): Promise<Proof> {
      const { flow, ip, requestId } = context;
      if (flow === undefined || flow.providerId === null) return { refused: 'credentials_wrong' };
      const { id, key: begunWith } = await redirectFlow.get(flow.providerId);
      if (begunWith !== key) return { refused: 'credentials_wrong' };
      const verified = await redirectFlow.handleCallback(id, String(handle), 'login', String(answer));
      const { provider, identity } = verified;
      const linked = await findLink(store, id, identity.subject);
      const isCreated =
        linked === undefined && invitation === undefined && provider.provisioning === 'created';
      const fault = await findGroupsFault(provider, identity, isCreated);
      if (fault !== undefined) return { refused: fault, account: await accountOf(linked) };
      const link =
        linked ??
        (await provisionUser({
          provider,
          identity,
          invitation: invitation as string | undefined,
          ip,
          requestId,
        }));
      if (link === undefined) throw new AppError('provider_link_missing');
      const found = await findAccountOf(store, link.userId);
      if (found === undefined) return { refused: 'credentials_wrong' };
      if (!found.userEnabled) return { refused: 'user_disabled', account: found.account };
      const account = await applyGroupMapping({ provider, groups: identity.groups, found, ip, requestId });
      if (account === undefined) return { refused: 'role_disabled', account: found.account };
      await useLink(store, link.id, identity.groups);
      const { session } = identity;
      const { beganAt } = flow;
      return {
        account,
        credentialId: link.id,
        provider: { providerId: id, epoch: provider.epoch, session, linkId: link.id, beganAt },
      };
    },
  };
}
