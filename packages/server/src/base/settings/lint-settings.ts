// Lint of all settings together: runs every lint function, as one list for a start or by topic for `portcullis doctor`. Some
// lints apply only outside dev.
import { lintAnchorUrl } from './lint-anchor-url.ts';
import { lintDatabaseUrl } from './lint-database-url.ts';
import { lintMail } from './lint-mail.ts';
import { lintPasskeys } from './lint-passkeys.ts';
import {
  lintDecision,
  lintHashCost,
  lintProduction,
  lintSecretFiles,
  lintSettingsFile,
} from './lint-production.ts';
import { lintProviders } from './lint-providers.ts';
import { lintTransport } from './lint-transport.ts';
import { parseMasterKey } from './master-key.ts';
import type { GatheredSettings, SettingsSource } from './read-settings.ts';
import type { Settings } from './schema.ts';

type Environment = SettingsSource['environment'];

/** Every problem that refuses a start, except those of the master key. */
export function lintSettings(settings: Settings, environment: Environment, isDev: boolean): string[] {
  return [
    ...lintDatabaseUrl(settings.database),
    ...lintAnchorUrl(settings.logger, isDev),
    ...lintPasskeys(settings.mfa, isDev),
    ...lintMail(settings.mail, isDev),
    ...lintProviders(settings.provider),
    ...(isDev ? [] : lintOutsideDev(settings, environment)),
  ];
}

function lintOutsideDev(settings: Settings, environment: Environment): string[] {
  return [...lintProduction(settings, environment), ...lintTransport(settings.database, environment)];
}

export interface Problems {
  readonly settings: readonly string[];
  readonly files: readonly string[];
  readonly masterKey: readonly string[];
  readonly hash: readonly string[];
  readonly anchors: readonly string[];
  readonly decision: readonly string[];
  readonly transport: readonly string[];
}

interface Examined extends Pick<GatheredSettings, 'settings' | 'reasons' | 'secretsInFile'> {
  readonly file: string | undefined;
  readonly environment: Environment;
  readonly isDev: boolean;
}

/** Every problem by topic, including those that do not refuse a start. */
export function groupProblems({
  settings,
  reasons,
  secretsInFile,
  file,
  environment,
  isDev,
}: Examined): Problems {
  const outsideDev = (lint: () => readonly string[]) => (isDev ? [] : lint());
  return {
    settings: [
      ...reasons,
      ...lintPasskeys(settings.mfa, isDev),
      ...lintMail(settings.mail, isDev),
      ...lintProviders(settings.provider),
    ],
    files: [...outsideDev(() => lintSecretFiles(environment)), ...lintSettingsFile(file, secretsInFile)],
    masterKey: lintMasterKeys(settings.auth, isDev),
    hash: outsideDev(() => lintHashCost(settings.hash)),
    anchors: lintAnchorUrl(settings.logger, isDev),
    decision: outsideDev(() => lintDecision(settings.decision)),
    transport: outsideDev(() => lintTransport(settings.database, environment)),
  };
}

function lintMasterKeys({ masterKey, previousMasterKey }: Settings['auth'], isDev: boolean): string[] {
  const reasonsOf = (text: string) => {
    const key = parseMasterKey(text, isDev);
    return 'reason' in key ? [key.reason] : [];
  };
  const ofPrevious = previousMasterKey === '' ? [] : reasonsOf(previousMasterKey);
  return [
    ...reasonsOf(masterKey),
    ...ofPrevious.map((reason) => reason.replaceAll('masterKey', 'previousMasterKey')),
  ];
}
