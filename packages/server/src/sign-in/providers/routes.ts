// HTTP endpoints of providers, links, invitations and back-channel logout.
import {
  type Account,
  AppError,
  addLinkEndpoint,
  beginLinkEndpoint,
  type Caller,
  changeProviderEndpoint,
  checkProviderEndpoint,
  createProviderEndpoint,
  deleteProviderEndpoint,
  endAtProviderEndpoint,
  endOwnLinkEndpoint,
  endUserLinkEndpoint,
  getProviderEndpoint,
  inviteToLinkEndpoint,
  listOwnLinksEndpoint,
  listProvidersEndpoint,
  listUserLinksEndpoint,
  type Provider,
  type Route,
  route,
  setProviderEnabledEndpoint,
  withdrawInvitationEndpoint,
} from '@portcullis/contract';
import { answerWrite } from '../../cluster/answer-write.ts';
import { createUserChanges, type UserChangesOptions } from '../../people/users/user-changes.ts';
import type { LinkChanges } from './link-changes.ts';
import type { LinkFlow } from './link-flow.ts';
import type { ProviderChanges } from './provider-changes.ts';
import { countOfProvider, findProvider, listProviders, type StoredProvider } from './provider-store.ts';

export interface ProviderLogout {
  readonly userId: number;
  readonly provider: string;
  readonly ip: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

interface ProviderRoutesOptions extends UserChangesOptions {
  readonly providers: ProviderChanges;
  readonly links: LinkChanges;
  readonly linkFlow: LinkFlow;
  /** Resolves with the users of the ended sessions, when every instance rejects the sessions. */
  readonly endAtProvider: (key: string, token: string) => Promise<number[]>;
  readonly recordLogout: (logout: ProviderLogout) => Promise<void>;
  /** Undefined for a wrong password, which counts as a failed attempt of this person. */
  readonly verifyPassword: (
    caller: Pick<Caller, 'userId'>,
    username: string,
    password: string,
  ) => Promise<Account | undefined>;
}

export function providerRoutes(options: ProviderRoutesOptions): Route[] {
  const { store, providers, links, linkFlow, verifyPassword, endAtProvider, recordLogout } = options;
  const users = createUserChanges(options);

  async function verifyOwn({ caller, body }: { caller: Caller; body: { oldPassword: string } }) {
    const account = await verifyPassword(caller, caller.username, body.oldPassword);
    if (account?.userId !== caller.userId) throw new AppError('credentials_wrong');
  }

  return [
    route(listOwnLinksEndpoint, async ({ caller }) => ({
      data: { items: await links.list(caller.userId) },
    })),
    route(beginLinkEndpoint, async (call) => {
      await verifyOwn(call);
      return { data: await linkFlow.begin(call.caller, call.body.provider) };
    }),
    route(addLinkEndpoint, async (call) => {
      const identity = await linkFlow.finish(call.caller, call.body);
      return { data: { id: await links.addOwn(call, identity) } };
    }),
    route(endOwnLinkEndpoint, async (call) => {
      await verifyOwn(call);
      return await answerWrite(call, links.endOwn(call, call.params.id));
    }),
    route(listUserLinksEndpoint, async ({ caller, params }) => {
      const { user, isDeleted } = await users.getVisible(caller, params.id);
      if (isDeleted) throw new AppError('record_not_found');
      return { data: { items: await links.list(user.id) } };
    }),
    route(endUserLinkEndpoint, (call) =>
      answerWrite(call, users.change(call, links.ending(call.params.linkId))),
    ),
    route(inviteToLinkEndpoint, async (call) => {
      const { change, invitation, expiresAt } = links.inviting(call.body.providerId);
      await answerWrite(call, users.change(call, change));
      return { data: { invitation, expiresAt: expiresAt.toISOString() } };
    }),
    route(withdrawInvitationEndpoint, (call) =>
      answerWrite(call, users.change(call, links.withdrawing(call.params.providerId))),
    ),
    route(listProvidersEndpoint, async () => ({
      data: { items: (await listProviders(store)).map(shownOf) },
    })),
    route(getProviderEndpoint, async ({ params }) => {
      const provider = await findProvider(store, params);
      if (provider === undefined) throw new AppError('record_not_found');
      return { data: { ...shownOf(provider), ...(await countOfProvider(store, provider.id)) } };
    }),
    route(createProviderEndpoint, async (call) => ({ data: { id: await providers.create(call) } })),
    route(changeProviderEndpoint, (call) => answerWrite(call, providers.change(call))),
    route(checkProviderEndpoint, async (call) => {
      const findings = await providers.check(call, call.params.id);
      return { data: { ok: findings.every(({ ok }) => ok), findings: [...findings] } };
    }),
    route(setProviderEnabledEndpoint, (call) =>
      answerWrite(call, providers.setEnabled(call, call.params.id, call.body.enabled)),
    ),
    route(endAtProviderEndpoint, async (call) => {
      const { params, body, ip, userAgent, requestId } = call;
      const users = await endAtProvider(params.key, body.logout_token);
      // The sessions have ended, even if the login log cannot record it.
      for (const userId of users)
        await recordLogout({ userId, provider: params.key, ip, userAgent, requestId }).catch(() => {});
      return { data: null };
    }),
    route(deleteProviderEndpoint, (call) => answerWrite(call, providers.delete(call, call.params.id))),
  ];
}

/** Leaves out the secret. */
function shownOf({ sealedSecret, epoch: _epoch, createdAt, ...provider }: StoredProvider): Provider {
  return { ...provider, hasSecret: sealedSecret !== null, createdAt: createdAt.toISOString() };
}
