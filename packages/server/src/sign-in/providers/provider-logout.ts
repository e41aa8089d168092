// What a provider says has ended, ends here: when the call is answered, no member takes the sessions any more, and a login that
// was on its way is not finished. The work is not the connection's: a provider that hangs up has said it all the same.
import { createHash } from 'node:crypto';
import { AppError } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { isStorable } from '../../people/users/user-store.ts';
import { endOfLinks, endOfProviderSession, endUnnamedOfLinks } from '../sessions/end-sessions-store.ts';
import type { ProviderConcurrencyLimit } from './concurrency-limit.ts';
import { findLink, listUsersOfSession, noteLogout, seeOnce } from './link-store.ts';
import { openProvider } from './provider-changes.ts';
import type { EndedAtProvider, ProviderKind, WithinLimit } from './provider-kind.ts';
import type { ProviderSecrets } from './provider-secrets.ts';
import { findProvider, lockProviderSession, lockProviderSubject } from './provider-store.ts';
import { isProviderUnavailable } from './provider-unavailable.ts';

interface ProviderLogoutOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly secrets: ProviderSecrets;
  readonly kinds: readonly ProviderKind[];
  readonly places: ProviderConcurrencyLimit;
  /** Told what a provider did wrong, for the process log. */
  readonly report: (provider: string, error: unknown) => void;
}

const service = { confirmedAt: 'unchecked' } as const;

/** Resolves with whose sessions were meant, when none of them is taken anywhere. */
export function createProviderLogout({
  store,
  access,
  secrets,
  kinds,
  places,
  report,
}: ProviderLogoutOptions) {
  async function read(key: string, token: string): Promise<{ providerId: number; ended: EndedAtProvider }> {
    const provider = await findProvider(store, { key });
    const kind = kinds.find((each) => each.kind === provider?.kind);
    // Of one that is disabled, every session has ended.
    if (provider?.enabled !== true || kind?.readLogout === undefined) throw new AppError('provider_unknown');
    const inSlot: WithinLimit = (isKnown, work) =>
      places.run(`${key} ${isKnown ? 'known logout' : 'logout'}`, work);
    try {
      const ended = await kind.readLogout(openProvider(provider, secrets), token, inSlot);
      if (!isStorable(`${ended.subject}${ended.session}`)) throw new Error('It names nobody.');
      return { providerId: provider.id, ended };
    } catch (error) {
      if (error instanceof AppError) throw error;
      report(key, error);
      throw new AppError(isProviderUnavailable(error) ? 'provider_away' : 'logout_token_wrong');
    }
  }

  return async (key: string, token: string): Promise<number[]> => {
    const { providerId, ended } = await read(key, token);
    let users: number[] = [];
    await access.takeAway(service, async (transaction) => {
      const seen = createHash('sha256').update(`${providerId}:${ended.id}`).digest();
      if (!(await seeOnce(transaction, 'logout', seen, ended.forgottenAt)))
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
    await noteLogout(transaction, { providerId, kind: 'session', value: session });
    for (const user of await listUsersOfSession(transaction, providerId, session)) users.add(user);
    changes.push(...(await endOfProviderSession(transaction, providerId, session)));
  }
  if (subject !== undefined) {
    await lockProviderSubject(transaction, providerId, subject);
    const kind = session === undefined ? 'subject' : 'unnamed';
    await noteLogout(transaction, { providerId, kind, value: subject });
    const link = await findLink(transaction, providerId, subject);
    if (link !== undefined) {
      users.add(link.userId);
      // Beside the one that it names, those of which it did not say at the login which one they are.
      const endAll = session === undefined ? endOfLinks : endUnnamedOfLinks;
      changes.push(...(await endAll(transaction, [link.id])));
    }
  }
  return { users: [...users], changes };
}
