// The login method `ldap`: a directory verifies username and password. An account with the username is verified as the subject
// of its link, so a renamed entry cannot take the account over. A username without an account is searched in the default
// directory, and the person is linked by the id of the entry.
import { AppError, type LoginBody } from '@portcullis/contract';
import type { ConcurrencyLimit } from '../../../base/limit/concurrency-limit.ts';
import type { Store } from '../../../cluster/store/store.ts';
import { findAccountOf } from '../../../people/users/user-store.ts';
import type { FoundDirectory } from '../../login/login-options.ts';
import type { LoginContext, LoginMethod, Proof } from '../../login/method.ts';
import type { ApplyGroupMapping } from '../groups/apply-group-mapping.ts';
import type { NewProviderLink } from '../link-changes.ts';
import { findLink, useLink } from '../link-store.ts';
import type { ProviderIdentity } from '../provider-kind.ts';
import { findProvider, type StoredProvider } from '../provider-store.ts';
import type { ProvisionUser } from '../provision-user.ts';
import { readShownName } from '../read-identity.ts';
import type { Directories } from './directories.ts';
import { findInvitedSource, findSource, type LoginSource, listEnabledDirectories } from './source-store.ts';

interface LdapLoginOptions {
  readonly store: Store;
  readonly directories: Directories;
  /** The concurrency limit of each directory. */
  readonly concurrencyLimit: ConcurrencyLimit;
  readonly provisionUser: ProvisionUser;
  readonly applyGroupMapping: ApplyGroupMapping;
}

export type LdapLogin = ReturnType<typeof createLdapLogin>;

export function createLdapLogin(options: LdapLoginOptions) {
  const { store, directories, concurrencyLimit, provisionUser, applyGroupMapping } = options;
  async function findInvited({ invitation }: LoginBody): Promise<LoginSource | undefined> {
    if (invitation === undefined) return undefined;
    return await findInvitedSource(store, invitation, await listEnabledDirectories(store));
  }

  async function verify(
    { username, password, invitation }: LoginBody,
    { ip, requestId }: LoginContext,
    provider: StoredProvider,
    { link: ofName, beganAt }: LoginSource,
  ): Promise<Proof> {
    const sought = ofName === undefined ? { username } : { subject: ofName.subject };
    const person = await directories.ask(provider, ({ authenticate }) => authenticate(sought, password));
    if (person?.state !== 'active') {
      const account = ofName && (await findAccountOf(store, ofName.userId))?.account;
      return { refused: person === undefined ? 'credentials_wrong' : 'user_disabled', account };
    }
    const groups = typeof person.groups === 'string' ? undefined : person.groups;
    const identity: ProviderIdentity = {
      subject: person.subject,
      name: readShownName(person.username),
      groups,
    };
    const link =
      ofName ??
      (await findLink(store, provider.id, person.subject)) ??
      (groups === undefined && provider.roleSource !== 'local'
        ? undefined
        : await provisionUser({ provider, identity, invitation, ip, requestId }));
    if (link === undefined) throw new AppError('provider_link_missing');
    const found = await findAccountOf(store, link.userId);
    if (found === undefined) return { refused: 'credentials_wrong' };
    if (!found.userEnabled) return { refused: 'user_disabled', account: found.account };
    // The star is for people who are in no mapped group. It is not known whether this person is in one.
    const isRefused = groups === undefined && provider.roleSource === 'every_login';
    const settled = isRefused
      ? undefined
      : await applyGroupMapping({ provider, groups, found, ip, requestId });
    if (settled === undefined) return { refused: 'role_disabled', account: found.account };
    await useLink(store, link.id, groups);
    const by = { providerId: provider.id, epoch: provider.epoch, linkId: link.id, beganAt };
    return { account: settled, credentialId: link.id, provider: by };
  }

  function methodOf(provider: StoredProvider, source: LoginSource, isForeignName: boolean): LoginMethod {
    return {
      name: 'ldap',
      factor: 1,
      begins: true,
      isForeignName,
      wrong: 'credentials_wrong',
      reads: ({ password }) => password !== undefined,
      verify: (fields, context) =>
        concurrencyLimit.run(provider.key, () => verify(fields as LoginBody, context, provider, source)),
    };
  }

  return {
    /** Finds the directory that verifies a login, and its login method. */
    async find(body: LoginBody): Promise<FoundDirectory> {
      const invited = await findInvited(body);
      const { isAnyEnabled, providerId, source } = invited
        ? { isAnyEnabled: true, providerId: invited.providerId, source: invited }
        : await findSource(store, body.username);
      // Read for every username: a throttled attempt must take the same time, whether the password is verified here or there.
      const provider = providerId === undefined ? undefined : await findProvider(store, { id: providerId });
      if (source === undefined || provider?.enabled !== true) return { isAnyEnabled };
      const method = methodOf(provider, source, invited !== undefined);
      return { isAnyEnabled, directory: { key: provider.key, method } };
    },

    /** Verifies a person of the directory, for a signed-in user who links the own account to that person. */
    async authenticate(key: string, username: string, password: string): Promise<DirectoryIdentity> {
      const provider = await findProvider(store, { key });
      if (provider?.enabled !== true || provider.kind !== 'ldap') throw new AppError('provider_unknown');
      const person = await concurrencyLimit.run(key, () =>
        directories.ask(provider, ({ authenticate }) => authenticate({ username }, password)),
      );
      if (person?.state !== 'active') return { refused: 'credentials_wrong' };
      const { id: providerId, epoch } = provider;
      return { providerId, epoch, subject: person.subject, name: readShownName(person.username) };
    },
  };
}

export type DirectoryIdentity = { readonly refused: 'credentials_wrong' } | NewProviderLink;
