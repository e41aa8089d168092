// Account linking: links an external identity of a provider to a local account, ends links, and creates and withdraws
// invitations to link. A link changes under the lock of the user's credentials, so no session of the user is stored meanwhile.
// Every change has an audit record. When the call that ends a link returns, every instance enforces it.
import { createHash } from 'node:crypto';
import { AppError } from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { lockUserForLink, requireDecidingLink } from '../../people/users/decided-account-store.ts';
import type { UserChange } from '../../people/users/user-changes.ts';
import { endFactors, lockFactorsOfUser } from '../mfa/credential-store.ts';
import { generateRecoveryCode } from '../mfa/recovery/recovery-code.ts';
import { endOfLinks } from '../sessions/end-sessions-store.ts';
import { closeInvitations, insertLink, listLinks, lockEnabledUser, openInvitation } from './link-store.ts';
import type { ProviderIdentity } from './provider-kind.ts';
import { lockProviderExistence, lockUnchangedProvider } from './provider-store.ts';

export interface LinkChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly now: () => number;
  readonly randomBytes: (size: number) => Buffer;
}

export type LinkChanges = ReturnType<typeof createLinkChanges>;

export interface NewProviderLink extends Pick<ProviderIdentity, 'subject' | 'name'> {
  readonly providerId: number;
  /** The provider's epoch when it verified the person. With other settings, the same subject can be another person. */
  readonly epoch: number;
}

const invitationHours = 24;

export function createLinkChanges({ store, access, recordChange, now, randomBytes }: LinkChangesOptions) {
  /** Runs in the caller's transaction. */
  async function link(
    transaction: StoreTransaction,
    call: AuditedCall,
    userId: number,
    { providerId, epoch, subject, name }: NewProviderLink,
    by: 'own' | 'invitation' | 'creation',
  ): Promise<number> {
    // Locks the user before the factors, in the order of a change by an administrator.
    if (!(await lockEnabledUser(transaction, userId))) throw new AppError('record_not_found');
    await lockUserForLink(transaction, userId, providerId);
    await lockFactorsOfUser(transaction, userId);
    await lockUnchangedProvider(transaction, { id: providerId, epoch });
    const id = await insertLink(transaction, { userId, providerId, subject, name });
    await closeInvitations(transaction, userId, providerId);
    const after = { link: id, providerId, subject, name, by };
    const entry = { action: 'user.link_add', target: `user ${userId}`, before: null, after };
    await recordChange(transaction, call, entry);
    return id;
  }

  async function end(transaction: StoreTransaction, userId: number, id: number) {
    await lockFactorsOfUser(transaction, userId);
    const ended = (await listLinks(transaction, userId)).find((each) => each.id === id);
    if (ended === undefined) throw new AppError('record_not_found');
    await endFactors(transaction, [id]);
    const { providerId, subject } = ended;
    return { before: { link: id, providerId, subject }, changes: await endOfLinks(transaction, [id]) };
  }

  return {
    link,

    async addOwn(call: AuditedCall, identity: NewProviderLink): Promise<number> {
      let id = 0;
      await access.give(call, async (transaction) => {
        id = await link(transaction, call, call.caller.userId, identity, 'own');
        return [];
      });
      return id;
    },

    async endOwn(call: AuditedCall, id: number): Promise<number> {
      const { userId } = call.caller;
      return await access.takeAway(call, async (transaction) => {
        const { before, changes } = await end(transaction, userId, id);
        await requireDecidingLink(transaction, userId, id);
        const entry = { action: 'user.link_end', target: `user ${userId}`, before, after: null };
        await recordChange(transaction, call, entry);
        return changes;
      });
    },

    /** Ends a link of any user, for an administrator. */
    ending(id: number): UserChange {
      let before: unknown = null;
      return {
        way: 'takeAway',
        ofOthers: false,
        action: 'user.link_end',
        before: () => before,
        after: () => null,
        isDone: () => false,
        async apply(transaction, user) {
          const ended = await end(transaction, user.id, id);
          before = ended.before;
          return ended.changes;
        },
      };
    },

    /** A code that links this user to this provider once. Administrators cannot invite themselves: they link with their password. */
    inviting(providerId: number): { change: UserChange; invitation: string; expiresAt: Date } {
      const invitation = generateRecoveryCode(randomBytes);
      const expiresAt = new Date(now() + invitationHours * 3_600_000);
      const change: UserChange = {
        kind: 'person',
        way: 'give',
        ofOthers: true,
        action: 'user.link_invite',
        before: () => null,
        after: () => ({ providerId, until: expiresAt.toISOString() }),
        isDone: () => false,
        async apply(transaction, { id: userId }) {
          const provider = await lockProviderExistence(transaction, providerId);
          if (provider === undefined) throw new AppError('record_not_found');
          if (provider.provisioning === 'linked') throw new AppError('conflict');
          const isLinked = (await listLinks(transaction, userId)).some(
            (each) => each.providerId === providerId,
          );
          if (isLinked) throw new AppError('conflict');
          const hash = hashInvitation(providerId, invitation);
          await openInvitation(transaction, { userId, providerId, hash, expiresAt });
          return [];
        },
      };
      return { change, invitation, expiresAt };
    },

    /** Withdraws the invitation of this user to this provider. */
    withdrawing(providerId: number): UserChange {
      return {
        way: 'takeAway',
        ofOthers: false,
        action: 'user.link_invite_withdraw',
        before: () => ({ providerId }),
        after: () => null,
        isDone: () => false,
        async apply(transaction, { id: userId }) {
          if (!(await closeInvitations(transaction, userId, providerId)))
            throw new AppError('record_not_found');
          return [];
        },
      };
    },

    async list(userId: number) {
      const links = await listLinks(store, userId);
      return links.map(({ subject: _subject, createdAt, usedAt, ...shown }) => ({
        ...shown,
        createdAt: createdAt.toISOString(),
        usedAt: usedAt?.toISOString() ?? null,
      }));
    },
  };
}

/** Ignores case, spaces and hyphens. A code has 80 random bits and cannot be guessed, so a plain hash protects it. */
export function hashInvitation(providerId: number, code: string): Buffer {
  const canonical = code.toUpperCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(`link to ${providerId}:${canonical}`).digest();
}
