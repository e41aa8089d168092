// Creates and caches an LDAP client for each provider that is a directory. The client's code and the LDAP library are loaded
// with the first directory.

import { AppError, type LdapSettings } from '@portcullis/contract';
import type { Connect } from '../../../base/outbound/checked-connection.ts';
import type { SealedSecrets } from '../../../base/secrets/sealed-secrets.ts';
import { UnansweredAttempt } from '../../login/throttle/unanswered-attempt.ts';
import { openProvider } from '../provider-changes.ts';
import type { OpenProvider } from '../provider-kind.ts';
import type { StoredProvider } from '../provider-store.ts';
import { DirectoryUnavailable } from './connection/directory-unavailable.ts';
import type { Directory, GroupedPerson } from './directory.ts';

export interface Directories {
  /** Throws `provider_unavailable` for every fault of the directory, and reports the fault to the operator. */
  ask<T>(provider: StoredProvider, question: (directory: Directory) => Promise<T>): Promise<T>;
  open(provider: OpenProvider): Promise<Directory>;
}

interface DirectoriesOptions {
  readonly secrets: SealedSecrets;
  readonly now: () => number;
  readonly connect: Connect;
  readonly reportUnavailable: (provider: string, error: DirectoryUnavailable) => void;
  /** Receives the people whose groups exceed a limit. */
  readonly reportLimits: (provider: string, people: readonly GroupedPerson[]) => void;
}

export function createDirectories(options: DirectoriesOptions): Directories {
  const { secrets, now, connect, reportUnavailable, reportLimits } = options;
  /** By provider id. A change of the settings or of the secret creates a new client. */
  const opened = new Map<number, { readonly made: string; readonly directory: Directory }>();

  async function open({ id, key, settings, secret }: OpenProvider): Promise<Directory> {
    const { createDirectory } = await import('./directory.ts');
    const made = JSON.stringify([settings, secret]);
    const kept = opened.get(id);
    if (kept?.made === made) return kept.directory;
    const directory = createDirectory({
      settings: settings as LdapSettings,
      readerPassword: secret ?? '',
      connect,
      now,
      reportLimits: (people) => reportLimits(key, people),
    });
    opened.set(id, { made, directory });
    return directory;
  }

  return {
    open,
    async ask(provider, question) {
      try {
        return await question(await open(openProvider(provider, secrets)));
      } catch (error) {
        if (!(error instanceof DirectoryUnavailable)) throw error;
        reportUnavailable(provider.key, error);
        throw error.passwordSent
          ? new UnansweredAttempt('provider_unavailable', { cause: error })
          : new AppError('provider_unavailable', { cause: error });
      }
    },
  };
}
