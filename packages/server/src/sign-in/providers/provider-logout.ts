// Back-channel logout: ends the sessions that a provider has ended. When the call is answered, every instance rejects the sessions,
// and a login of them that was under way is refused. The logout completes even when the provider closes the connection.
import { createHash } from 'node:crypto';
import { AppError } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { ConcurrencyLimit } from '../../base/limit/concurrency-limit.ts';
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { isStorable } from '../../people/users/user-store.ts';
import { endOfLinks, endOfProviderSession, endUnnamedOfLinks } from '../sessions/end-sessions-store.ts';
import { findLink, listUsersOfSession, recordIdOnce, recordProviderLogout } from './link-store.ts';
import { openProvider } from './provider-changes.ts';
import type { EndedAtProvider, ProviderKind, WithinLimit } from './provider-kind.ts';
import { findProvider, lockProviderSession, lockProviderSubject } from './provider-store.ts';
import { isProviderUnavailable } from './provider-unavailable.ts';

interface ProviderLogoutOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly secrets: SealedSecrets;
  readonly kinds: readonly ProviderKind[];
  readonly concurrencyLimit: ConcurrencyLimit;
  /** Writes a fault of the provider to the process log. */
  readonly report: (provider: string, error: unknown) => void;
}

const service = { confirmedAt: 'unchecked' } as const;

/** Resolves with the users of the sessions, when every instance rejects the sessions. */
export function createProviderLogout({
  store,
  access,
  secrets,
  kinds,
  concurrencyLimit,
  report,
}: ProviderLogoutOptions) {
  async function read(key: string, token: string): Promise<{ providerId: number; ended: EndedAtProvider }> {
    const provider = await findProvider(store, { key });
    const kind = kinds.find((each) => each.kind === provider?.kind);
    // All sessions by a disabled provider have ended already.
    if (provider?.enabled !== true || kind?.readLogout === undefined) throw new AppError('provider_unknown');
    const inSlot: WithinLimit = (isKnown, work) =>
      concurrencyLimit.run(`${key} ${isKnown ? 'known logout' : 'logout'}`, work);
    try {
      const ended = await kind.readLogout(openProvider(provider, secrets), token, inSlot);
      if (!isStorable(`${ended.subject}${ended.session}`)) throw new Error('It names no person.');
      return { providerId: provider.id, ended };
    } catch (error) {
      if (error instanceof AppError) throw error;
      report(key, error);
      throw new AppError(isProviderUnavailable(error) ? 'provider_unavailable' : 'logout_token_wrong');
    }
  }

  return async (key: string, token: string): Promise<number[]> => {
    const { providerId, ended } = await read(key, token);
    let users: number[] = [];
    await access.takeAway(service, async (transaction) => {
      const seen = createHash('sha256').update(`${providerId}:${ended.id}`).digest();
      if (!(await recordIdOnce(transaction, 'logout', seen, ended.forgottenAt)))
        throw new AppError('logout_token_wrong');
      const done = await end(transaction, providerId, ended);
      users = done.users;
      return done.changes;
    });
    return users;
  };
}

async function end(
  transaction: StoreTransaction,
  providerId: number,
  { subject, session }: EndedAtProvider,
): Promise<{ users: number[]; changes: Change[] }> {
  const users = new Set<number>();
  const changes: Change[] = [];
  if (session !== undefined) {
    await lockProviderSession(transaction, providerId, session);
    await recordProviderLogout(transaction, { providerId, kind: 'session', value: session });
    for (const user of await listUsersOfSession(transaction, providerId, session)) users.add(user);
    changes.push(...(await endOfProviderSession(transaction, providerId, session)));
  }
  if (subject !== undefined) {
    await lockProviderSubject(transaction, providerId, subject);
    const kind = session === undefined ? 'subject' : 'unnamed';
    await recordProviderLogout(transaction, { providerId, kind, value: subject });
    const link = await findLink(transaction, providerId, subject);
    if (link !== undefined) {
      users.add(link.userId);
      // Besides the named session, all sessions whose login came without a session id.
      const endAll = session === undefined ? endOfLinks : endUnnamedOfLinks;
      changes.push(...(await endAll(transaction, [link.id])));
    }
  }
  return { users: [...users], changes };
}
