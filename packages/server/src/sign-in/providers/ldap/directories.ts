// The directories that are stored as providers, opened to be asked. What asks them is loaded with the first one only.

import { AppError, type LdapSettings } from '@portcullis/contract';
import { UnansweredAttempt } from '../../login/throttle/unanswered-attempt.ts';
import { openProvider } from '../provider-changes.ts';
import type { OpenProvider } from '../provider-kind.ts';
import type { ProviderSecrets } from '../provider-secrets.ts';
import type { StoredProvider } from '../provider-store.ts';
import type { Directory, GroupedPerson } from './directory.ts';
import { DirectoryUnavailable } from './directory-unavailable.ts';
import { createHostLookup } from './host-lookup.ts';

export interface Directories {
  /** Throws `provider_away` over whatever is wrong with the directory, and says so to the operator. */
  ask<T>(provider: StoredProvider, question: (directory: Directory) => Promise<T>): Promise<T>;
  open(provider: OpenProvider): Promise<Directory>;
}

interface DirectoriesOptions {
  readonly secrets: ProviderSecrets;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly reportUnavailable: (provider: string, away: DirectoryUnavailable) => void;
  /** Told of people whose groups exceed a limit. */
  readonly reportLimits: (provider: string, people: readonly GroupedPerson[]) => void;
}

export function createDirectories(options: DirectoriesOptions): Directories {
  const { secrets, now, monotonic, reportUnavailable, reportLimits } = options;
  /** By provider: the directory is made anew where anything of it was changed. */
  const opened = new Map<number, { readonly made: string; readonly directory: Directory }>();

  async function open({ id, key, settings, secret }: OpenProvider): Promise<Directory> {
    const { createDirectory } = await import('./directory.ts');
    const made = JSON.stringify([settings, secret]);
    const kept = opened.get(id);
    if (kept?.made === made) return kept.directory;
    const directory = createDirectory({
      settings: settings as LdapSettings,
      readerPassword: secret ?? '',
      lookup: createHostLookup({ monotonic }),
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
          ? new UnansweredAttempt('provider_away', { cause: error })
          : new AppError('provider_away', { cause: error });
      }
    },
  };
}
