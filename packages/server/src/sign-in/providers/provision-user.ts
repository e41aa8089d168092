// Just-in-time provisioning of a person whom a provider has verified and who has no link: as the setting of the
// provider allows, an invitation of an administrator links an account, or a new account is created. No account is ever searched by
// a mail address or a name.
import { createHash } from 'node:crypto';
import { AppError, hasWordsOfOneScript, isOneScript, usernamePattern } from '@portcullis/contract';
import { canonicalUsername } from '../../base/values/canonical-username.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import { insertUser } from '../../people/users/user-access-store.ts';
import { findAccount, findAccountOf, noPassword } from '../../people/users/user-store.ts';
import { lockFactorsOfUser } from '../mfa/credential-store.ts';
import { callOf } from '../mfa/login-caller.ts';
import type { FindRoleAndDepartment } from './groups/apply-group-mapping.ts';
import { hashInvitation, type LinkChanges, type NewProviderLink } from './link-changes.ts';
import { findInvited, findLink, lockEnabledUser, type ProviderLink, spendInvitation } from './link-store.ts';
import type { ProviderIdentity } from './provider-kind.ts';
import { lockUnchangedProvider, type StoredProvider } from './provider-store.ts';

export interface PersonToProvision {
  readonly provider: StoredProvider;
  readonly identity: ProviderIdentity;
  readonly invitation: string | undefined;
  readonly ip: string;
  readonly requestId: string;
}

/** Undefined when the person gets no access. */
export type ProvisionUser = (
  person: PersonToProvision,
) => Promise<Pick<ProviderLink, 'id' | 'userId'> | undefined>;

interface ProvisionOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly links: Pick<LinkChanges, 'link'>;
  readonly findRoleAndDepartment: FindRoleAndDepartment;
}

const usernameShape = new RegExp(usernamePattern, 'u');

export function createProvisionUser({
  store,
  access,
  recordChange,
  links,
  findRoleAndDepartment,
}: ProvisionOptions): ProvisionUser {
  async function acceptInvitation({ provider, identity, invitation = '', ip, requestId }: PersonToProvision) {
    const hash = hashInvitation(provider.id, invitation);
    let admitted: { id: number; userId: number } | undefined;
    await access.give(service, async (transaction) => {
      admitted = undefined;
      const userId = await findInvited(transaction, provider.id, hash);
      // One order for everything that changes a link: the user, the user's factors, the provider, the invitation.
      if (userId === undefined || !(await lockEnabledUser(transaction, userId))) return [];
      await lockFactorsOfUser(transaction, userId);
      await lockUnchangedProvider(transaction, provider);
      if ((await spendInvitation(transaction, provider.id, hash)) !== userId) return [];
      const found = await findAccountOf(transaction, userId);
      if (found === undefined) return [];
      const call = callOf({ account: found.account, ip, requestId });
      const link = linkOf(provider, identity);
      const id = await links.link(transaction, call, found.account.userId, link, 'invitation');
      admitted = { id, userId: found.account.userId };
      return [];
    });
    return admitted;
  }

  async function create({ provider, identity, ip, requestId }: PersonToProvision) {
    const { id: providerId } = provider;
    const place = await findRoleAndDepartment(provider, identity.groups);
    if (place === undefined) return undefined;
    const { roleId, departmentId } = place;
    const username = await chooseUsername(store, provider.key, identity);
    const name = hasWordsOfOneScript(identity.name) && identity.name !== '' ? identity.name : username;
    const user = { username, name: name.slice(0, 64), departmentId, roleId };
    let admitted: { id: number; userId: number } | undefined;
    await access.give(service, async (transaction) => {
      admitted = undefined;
      const names = { ...user, canonicalUsername: canonicalUsername(username) };
      const userId = await insertUser(transaction, {
        ...names,
        passwordHash: noPassword,
        passwordDue: false,
      });
      const made = await findAccountOf(transaction, userId);
      if (made === undefined) return [];
      const call = callOf({ account: made.account, ip, requestId });
      const after = { ...user, enabled: true, providerId };
      const entry = { action: 'user.create', target: `user ${userId}`, before: null, after };
      await recordChange(transaction, call, entry);
      const link = linkOf(provider, identity);
      admitted = { id: await links.link(transaction, call, userId, link, 'creation'), userId };
      return [];
    });
    return admitted;
  }

  async function provision(person: PersonToProvision) {
    const { provisioning } = person.provider;
    if (person.invitation !== undefined)
      return provisioning === 'linked' ? undefined : await acceptInvitation(person);
    return provisioning === 'created' ? await create(person) : undefined;
  }

  return async (person) => {
    try {
      return await provision(person);
    } catch (error) {
      if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
      // A concurrent login of the same person was faster: its link is found now.
      const { provider, identity } = person;
      const link = await findLink(store, provider.id, identity.subject);
      // Or another person took the username meanwhile: the second try chooses another username.
      return link ?? (await provision(person));
    }
  };
}

function linkOf(
  { id: providerId, epoch }: StoredProvider,
  { subject, name }: ProviderIdentity,
): NewProviderLink {
  return { providerId, epoch, subject, name };
}

const service = { confirmedAt: 'unchecked' } as const;

/** A username with the key of the provider, so that it is not mistaken for the account of a colleague. */
async function chooseUsername(
  store: Store,
  key: string,
  { name, subject }: ProviderIdentity,
): Promise<string> {
  const plain = name.normalize('NFKC').split('@')[0]?.replaceAll(' ', '.').slice(0, 24) ?? '';
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 12);
  const wished = `${plain}@${key}`;
  const isFit = plain !== '' && usernameShape.test(wished) && isOneScript(wished);
  if (isFit && (await findAccount(store, wished)) === undefined) return wished;
  return `${digest}@${key}`;
}
