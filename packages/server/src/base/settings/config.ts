// Settings become one frozen Config here: the only reader of settings and of application.mode. Everything that
// the mode decides is decided in this file; no other file knows the word dev.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { maxTokenLifetimeSeconds as longest, type PermissionDeniedCode } from '@portcullis/contract';
import { StartRefusal } from '../values/start-refusal.ts';
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
import { type MasterKey, parseMasterKey } from './master-key.ts';
import { gatherSettings, readSettings, type SettingsSource } from './read-settings.ts';
import type { Settings } from './schema.ts';
import { traceSettings } from './trace-settings.ts';

export { createSettingsFileSchema } from './settings-file-schema.ts';
export { lintAnchorUrl };

export interface Config {
  readonly mode: string;
  /** False of a mode that has no name of ours, and so behaves as `prod`. */
  readonly modeKnown: boolean;
  readonly listen: { readonly host: string; readonly port: number };
  readonly ops: { readonly host: string; readonly port: number };
  /** For gateways and services; without a secret there is no such listener. */
  readonly decision: { readonly host: string; readonly port: number; readonly secrets: readonly string[] };
  /** CIDR ranges and addresses whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Origins that may call from another site. */
  readonly origins: readonly string[];
  readonly consoleEnabled: boolean;
  /** Whether go-admin's own front end is served. */
  readonly goAdminCompatible: boolean;
  /** The specification's 401, unless a front end was made for another one. */
  readonly permissionDeniedCode: PermissionDeniedCode;
  /** Rows of paper above and below a captcha. */
  readonly captchaMargin: number;
  readonly database: Pick<Settings['database'], 'url' | 'poolSize' | 'durability'>;
  /** Whether a lost primary costs acknowledged changes where it has no synchronous standby. */
  readonly standbyExpected: boolean;
  readonly logLevel: Settings['logger']['level'];
  readonly loginLogEnabled: boolean;
  readonly loginLog: Pick<
    Settings['logger'],
    | 'spoolFolder'
    | 'spoolMegabytes'
    | 'countries'
    | 'failureLines'
    | 'retentionMonths'
    | 'auditRetentionMonths'
  >;
  /** Where the heads of the logs go; empty where they go nowhere. */
  readonly anchors: Pick<Settings['logger'], 'anchorFolder' | 'anchorUrl' | 'anchorMinutes'>;
  readonly masterKey: MasterKey;
  /** The first one seals; the previous one only opens, while the master key is being changed. */
  readonly sealingKeys: readonly [Buffer, ...Buffer[]];
  /** The first one binds new records of the login log; chains of the previous one can still be verified. */
  readonly chainKeys: readonly [Buffer, ...Buffer[]];
  /** The first one hides names in the login log; what the previous one hid can still be found. */
  readonly nameKeys: readonly [Buffer, ...Buffer[]];
  /** Keys of dev sign and verify only in dev, so that a leaked token of 100 years is dead in production. */
  readonly devKeys: boolean;
  readonly migrateOnStart: boolean;
  readonly defaultPasswordsAllowed: boolean;
  readonly captchaRequired: boolean;
  /** Whether the password of the first administrator must be changed before anything else is allowed. */
  readonly firstPasswordDue: boolean;
  readonly password: Settings['password'];
  readonly tokenLifetimeSeconds: number;
  readonly maxTokenLifetimeSeconds: number;
  readonly cookie: { readonly enabled: boolean; readonly secure: boolean };
  readonly exclusions: readonly string[];
  readonly leaseMilliseconds: number;
  readonly drainMilliseconds: number;
  readonly limit: Settings['limit'];
  readonly throttle: Settings['throttle'];
  /** Without a domain there are no passkeys. */
  readonly factor: Settings['factor'];
  /** Without an audience no service account logs in. */
  readonly machine: Settings['machine'];
  /** Where providers may be, and who vouches for their certificates. */
  readonly provider: Settings['provider'];
  readonly hash: Settings['hash'];
  readonly webhook: Settings['webhook'];
  /** Without a host no mail is sent, and without a page for links there are none. */
  readonly mail: Settings['mail'];
}

/** What can be said without the master key. */
export type KeylessConfig = Omit<Config, 'masterKey' | 'sealingKeys' | 'chainKeys' | 'nameKeys'>;

export function loadConfig(source: SettingsSource): Config {
  const settings = readSettings(source);
  const isDev = isDevIn(settings);
  const problems = [
    ...lintDatabaseUrl(settings.database),
    ...lintAnchorUrl(settings.logger, isDev),
    ...lintPasskeys(settings.factor, isDev),
    ...lintMail(settings.mail, isDev),
    ...lintProviders(settings.provider),
    ...(isDev ? [] : lintOutsideDev(settings, source.environment)),
  ];
  const masterKey = parseMasterKey(settings.auth.masterKey, isDev);
  if ('reason' in masterKey) throw new StartRefusal([masterKey.reason, ...problems]);
  if (problems.length > 0) throw new StartRefusal(problems);
  const { previousMasterKey: previous } = settings.auth;
  const previousMasterKey = previous === '' ? undefined : parseMasterKey(previous, isDev);
  if (previousMasterKey !== undefined && 'reason' in previousMasterKey)
    throw new StartRefusal([previousMasterKey.reason.replaceAll('masterKey', 'previousMasterKey')]);
  const both = (pick: (key: MasterKey) => Buffer): [Buffer, ...Buffer[]] => [
    pick(masterKey),
    ...(previousMasterKey === undefined ? [] : [pick(previousMasterKey)]),
  ];
  return deepFreeze({
    ...deriveConfig(settings),
    masterKey,
    sealingKeys: both(({ sealing }) => sealing),
    chainKeys: both(({ chain }) => chain),
    nameKeys: both(({ names }) => names),
  });
}

function isDevIn({ application }: Settings): boolean {
  return application.mode === 'dev';
}

function deriveConfig(settings: Settings): KeylessConfig {
  const { mode, host, port } = settings.application;
  const isDev = isDevIn(settings);
  return {
    mode,
    modeKnown: isDev || mode === 'prod',
    listen: { host: host || (isDev ? '127.0.0.1' : '0.0.0.0'), port },
    trustedProxies: settings.application.trustedProxies,
    origins: settings.application.origins,
    ops: settings.ops,
    decision: decisionOf(settings.decision),
    database: settings.database,
    standbyExpected: !isDev && settings.database.durability === 'standby',
    logLevel: settings.logger.level,
    loginLogEnabled: settings.logger.enableddb,
    loginLog: settings.logger,
    anchors: settings.logger,
    devKeys: isDev,
    migrateOnStart: isDev,
    defaultPasswordsAllowed: isDev,
    captchaRequired: !isDev,
    firstPasswordDue: !isDev,
    password: settings.password,
    tokenLifetimeSeconds: isDev ? longest.dev : settings.auth.tokenLifetimeSeconds,
    maxTokenLifetimeSeconds: isDev ? longest.dev : longest.otherwise,
    cookie: { enabled: settings.auth.cookie, secure: !isDev },
    exclusions: settings.permission.exclusions,
    leaseMilliseconds: settings.cluster.leaseSeconds * 1000,
    drainMilliseconds: settings.application.drainSeconds * 1000,
    consoleEnabled: settings.application.console,
    ...compatibilityOf(settings.application),
    limit: settings.limit,
    throttle: settings.throttle,
    factor: factorOf(settings.factor),
    machine: settings.machine,
    webhook: settings.webhook,
    mail: settings.mail,
    provider: settings.provider,
    hash: { ...settings.hash, concurrency: settings.hash.concurrency || availableParallelism() },
  };
}

/** go-admin's front end shows a captcha in a box of 102 by 40, and crops what has another shape. */
const marginForGoAdmin = 9;

function compatibilityOf({ compatibility }: Settings['application']) {
  const goAdminCompatible = compatibility === 'go-admin';
  return {
    goAdminCompatible,
    permissionDeniedCode: goAdminCompatible ? 403 : 401,
    captchaMargin: goAdminCompatible ? marginForGoAdmin : 0,
  } as const;
}

/** Settings as a program gives them: the sections of the settings file, or any of them. */
export type GivenSettings = { readonly [Section in keyof Settings]?: Readonly<Partial<Settings[Section]>> };

/** With the environment of this process, which wins. */
export function loadProcessConfig(source: { file?: string | undefined; values?: GivenSettings }): Config {
  return loadConfig({ ...source, environment: process.env });
}

/** For `portcullis config print`: every setting without its secret, and why a start would be refused. */
export function traceProcessConfig(file: string | undefined) {
  const source = { file, environment: process.env };
  return { settings: traceSettings(source), reasons: refusalOf(source) };
}

/** For `portcullis import go-admin`; no setting, because the service never needs it. */
export function readGoAdminUrl(): string | undefined {
  return process.env.GO_ADMIN_DATABASE_URL || undefined;
}

function refusalOf(source: SettingsSource): readonly string[] {
  try {
    loadConfig(source);
    return [];
  } catch (error) {
    if (error instanceof StartRefusal) return error.reasons;
    throw error;
  }
}

/** All that is wrong with the settings at once, by what it is about, and what they say all the same. */
export interface Examination {
  readonly problems: {
    readonly [About in
      | 'settings'
      | 'files'
      | 'masterKey'
      | 'hash'
      | 'anchors'
      | 'decision'
      | 'transport']: readonly string[];
  };
  readonly config: KeylessConfig;
  /** As far as there are any; also those of a master key that would be refused. */
  readonly sealingKeys: readonly Buffer[];
  readonly databaseIsVouchedFor: boolean;
  /** Node's threads, where the environment says how many. */
  readonly givenThreads: number | undefined;
}

/** For `portcullis doctor`, which looks on where a start would be refused. */
export function examineProcessConfig(file: string | undefined): Examination {
  const environment = process.env;
  const { settings, reasons, secretsInFile } = gatherSettings({ file, environment });
  const { auth, hash, decision, database } = settings;
  const isDev = isDevIn(settings);
  const outsideDev = (lint: () => readonly string[]) => (isDev ? [] : lint());
  return {
    problems: {
      settings: [
        ...reasons,
        ...lintPasskeys(settings.factor, isDev),
        ...lintMail(settings.mail, isDev),
        ...lintProviders(settings.provider),
      ],
      files: [...outsideDev(() => lintSecretFiles(environment)), ...lintSettingsFile(file, secretsInFile)],
      masterKey: lintMasterKeys(auth, isDev),
      hash: outsideDev(() => lintHashCost(hash)),
      anchors: lintAnchorUrl(settings.logger, isDev),
      decision: outsideDev(() => lintDecision(decision)),
      transport: outsideDev(() => lintTransport(database, environment)),
    },
    config: deriveConfig(settings),
    sealingKeys: [auth.masterKey, auth.previousMasterKey]
      .filter((text, index) => text !== '' || (isDev && index === 0))
      .map((text) => parseMasterKey(text, true))
      .flatMap((key) => ('reason' in key ? [] : [key.sealing])),
    databaseIsVouchedFor: database.plaintext,
    givenThreads:
      environment.UV_THREADPOOL_SIZE === undefined ? undefined : Number(environment.UV_THREADPOOL_SIZE),
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

function factorOf(factor: Settings['factor']): Config['factor'] {
  const isDerived = factor.domain !== '' && factor.origins.length === 0;
  return { ...factor, origins: isDerived ? [`https://${factor.domain}`] : factor.origins };
}

/** The previous secret opens nothing where there is no current one. */
function decisionOf({ host, port, secret, previousSecret }: Settings['decision']): Config['decision'] {
  const secrets = secret === '' ? [] : [secret, previousSecret].filter((text) => text !== '');
  return { host, port, secrets };
}

/** Whether a hash of this cost is good enough outside dev. */
export function isHashCostAccepted(cost: Pick<Settings['hash'], 'memoryKibibytes' | 'passes'>): boolean {
  return lintHashCost(cost).length === 0;
}

/** Hashes run on Node's threads, which also look up names and read files: these must not wait behind them. */
export function makeThreadsFor({ hash }: Pick<Config, 'hash'>): void {
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

const defaultSettingsFile = 'portcullis.yaml';

/** A given file must exist; the default one may be missing. */
export function findSettingsFile(given: string | undefined): string | undefined {
  return given ?? (existsSync(defaultSettingsFile) ? defaultSettingsFile : undefined);
}
