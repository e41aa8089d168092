// Settings become one frozen Config here: the only reader of settings and of application.mode. Everything that
// the mode decides is decided in this file; no other file knows the word dev.
import { availableParallelism } from 'node:os';
import { lintProduction } from './settings/lint-production.ts';
import { type MasterKey, parseMasterKey } from './settings/master-key.ts';
import { readSettings, type SettingsSource } from './settings/read-settings.ts';
import type { Settings } from './settings/schema.ts';
import { StartRefusal } from './start-refusal.ts';
import { lintTransport } from './store/lint-transport.ts';

export interface Config {
  readonly mode: string;
  readonly listen: { readonly host: string; readonly port: number };
  readonly ops: { readonly host: string; readonly port: number };
  /** CIDR ranges and addresses whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins that may call from another site. */
  readonly origins: readonly string[];
  readonly database: { readonly url: string; readonly poolSize: number };
  readonly logLevel: Settings['logger']['level'];
  readonly loginLogEnabled: boolean;
  readonly loginLog: Pick<
    Settings['logger'],
    'spoolFolder' | 'spoolMegabytes' | 'countries' | 'failureLines' | 'retentionMonths'
  >;
  readonly masterKey: MasterKey;
  /** The first one seals; the one of before only opens, while the master key is being changed. */
  readonly sealingKeys: readonly [Buffer, ...Buffer[]];
  /** The first one binds new records of the login log; chains of the one of before can still be verified. */
  readonly chainKeys: readonly [Buffer, ...Buffer[]];
  /** Keys of dev sign and verify only in dev, so that a leaked token of 100 years is dead in production. */
  readonly devKeys: boolean;
  readonly migrateOnStart: boolean;
  readonly defaultPasswordsAllowed: boolean;
  readonly captchaRequired: boolean;
  readonly tokenLifetimeSeconds: number;
  readonly maxTokenLifetimeSeconds: number;
  readonly cookie: { readonly enabled: boolean; readonly secure: boolean };
  readonly exclusions: readonly string[];
  readonly leaseMilliseconds: number;
  readonly drainMilliseconds: number;
  readonly limit: Settings['limit'];
  readonly throttle: Settings['throttle'];
  readonly hash: Settings['hash'];
}

/** Spec, Limits: roughly 100 years in dev. */
const devTokenLifetimeSeconds = 876_010 * 3600;
const prodMaxTokenLifetimeSeconds = 86_400;

export function loadConfig(source: SettingsSource): Config {
  const settings = readSettings(source);
  const { mode, host, port } = settings.application;
  const isDev = mode === 'dev';
  const problems = isDev ? [] : lintOutsideDev(settings, source.environment);
  const masterKey = parseMasterKey(settings.auth.masterKey, isDev);
  if ('reason' in masterKey) throw new StartRefusal([masterKey.reason, ...problems]);
  if (problems.length > 0) throw new StartRefusal(problems);
  const { previousMasterKey: previous } = settings.auth;
  const previousMasterKey = previous === '' ? undefined : parseMasterKey(previous, isDev);
  if (previousMasterKey !== undefined && 'reason' in previousMasterKey)
    throw new StartRefusal([previousMasterKey.reason.replaceAll('masterKey', 'previousMasterKey')]);
  return deepFreeze({
    mode,
    listen: { host: host || (isDev ? '127.0.0.1' : '0.0.0.0'), port },
    trustedProxies: settings.application.trustedProxies,
    origins: settings.application.origins,
    ops: settings.ops,
    database: settings.database,
    logLevel: settings.logger.level,
    loginLogEnabled: settings.logger.enableddb,
    loginLog: settings.logger,
    masterKey,
    sealingKeys: [masterKey.sealing, ...(previousMasterKey === undefined ? [] : [previousMasterKey.sealing])],
    chainKeys: [masterKey.chain, ...(previousMasterKey === undefined ? [] : [previousMasterKey.chain])],
    devKeys: isDev,
    migrateOnStart: isDev,
    defaultPasswordsAllowed: isDev,
    captchaRequired: !isDev,
    tokenLifetimeSeconds: isDev ? devTokenLifetimeSeconds : settings.auth.tokenLifetimeSeconds,
    maxTokenLifetimeSeconds: isDev ? devTokenLifetimeSeconds : prodMaxTokenLifetimeSeconds,
    cookie: { enabled: settings.auth.cookie, secure: !isDev },
    exclusions: settings.permission.exclusions,
    leaseMilliseconds: settings.cluster.leaseSeconds * 1000,
    drainMilliseconds: settings.application.drainSeconds * 1000,
    limit: settings.limit,
    throttle: settings.throttle,
    hash: { ...settings.hash, concurrency: settings.hash.concurrency || availableParallelism() },
  });
}

/** Hashes run on Node's threads, which also look up names and read files: these must not wait behind them. */
export function makeThreadsFor({ hash }: Config): void {
  process.env.UV_THREADPOOL_SIZE ??= String(hash.concurrency + 4);
}

function lintOutsideDev(settings: Settings, environment: SettingsSource['environment']): string[] {
  return [...lintProduction(settings, environment), ...lintTransport(settings.database, environment)];
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part !== null && !ArrayBuffer.isView(part)) deepFreeze(part);
  return Object.freeze(value);
}
