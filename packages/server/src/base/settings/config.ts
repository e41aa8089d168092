// Configuration: turns the settings into one frozen `Config`. This is the only reader of settings and of `application.mode`.
// Everything that the mode decides is decided in this file; no other file knows the word dev.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { maxTokenLifetimeSeconds as longest, type PermissionDeniedCode } from '@portcullis/contract';
import { StartRefusal } from '../values/start-refusal.ts';
import { lintHashCost } from './lint-production.ts';
import { groupProblems, lintSettings, type Problems } from './lint-settings.ts';
import { type MasterKey, parseMasterKey } from './master-key.ts';
import { gatherSettings, readSettings, type SettingsSource } from './read-settings.ts';
import type { Settings } from './schema.ts';
import { traceSettings } from './trace-settings.ts';

export { lintAnchorUrl } from './lint-anchor-url.ts';
export { createSettingsFileSchema } from './settings-file-schema.ts';

export interface Config {
  readonly mode: string;
  /** False when the mode is neither `dev` nor `prod`; it then behaves as `prod`. */
  readonly modeKnown: boolean;
  readonly listen: { readonly host: string; readonly port: number };
  readonly ops: { readonly host: string; readonly port: number };
  /** The listener for gateways and services; it needs a secret. */
  readonly decision: { readonly host: string; readonly port: number; readonly secrets: readonly string[] };
  /** CIDR ranges and addresses of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Origins of other sites that are allowed to call (CORS). */
  readonly origins: readonly string[];
  readonly consoleEnabled: boolean;
  /** Whether the API serves go-admin's own front end. */
  readonly goAdminCompatible: boolean;
  /** 401 as in the specification, or the code that the front end expects. */
  readonly permissionDeniedCode: PermissionDeniedCode;
  /** Empty pixel rows above and below a captcha. */
  readonly captchaMargin: number;
  readonly database: Pick<Settings['database'], 'url' | 'poolSize' | 'durability'>;
  /** Whether a synchronous standby is expected: without one, the loss of the primary loses acknowledged changes. */
  readonly standbyExpected: boolean;
  readonly logLevel: Settings['logger']['level'];
  readonly loginLogEnabled: boolean;
  readonly loginLog: Pick<
    Settings['logger'],
    | 'spoolFolder'
    | 'spoolMegabytes'
    | 'geoipFile'
    | 'logFailedLogins'
    | 'retentionMonths'
    | 'auditRetentionMonths'
  >;
  /** Where the signed heads of the logs are exported to; empty without export. */
  readonly anchors: Pick<Settings['logger'], 'anchorFolder' | 'anchorUrl' | 'anchorIntervalMinutes'>;
  readonly masterKey: MasterKey;
  /** The first key encrypts; the previous one only decrypts, while the master key is being changed. */
  readonly sealingKeys: readonly [Buffer, ...Buffer[]];
  /** The first key chains new records of the login log; the previous one verifies older chains. */
  readonly chainKeys: readonly [Buffer, ...Buffer[]];
  /** The first key hashes names in the login log; the previous one finds names that were hashed before. */
  readonly nameKeys: readonly [Buffer, ...Buffer[]];
  /** Signing keys of dev sign and verify only in dev, so that production refuses a leaked token of 100 years. */
  readonly devKeys: boolean;
  readonly migrateOnStart: boolean;
  readonly defaultPasswordsAllowed: boolean;
  readonly captchaRequired: boolean;
  /** Whether the first administrator must change the password before any other call is allowed. */
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
  /** Passkeys need a domain. */
  readonly mfa: Settings['mfa'];
  /** Service accounts need an audience to log in. */
  readonly serviceAccount: Settings['serviceAccount'];
  /** The networks where providers are allowed, and the authorities for their certificates. */
  readonly provider: Settings['provider'];
  readonly hash: Settings['hash'];
  readonly webhook: Settings['webhook'];
  /** Mail needs a host; links in mail need a page. */
  readonly mail: Settings['mail'];
}

/** The part of the configuration that does not need the master key. */
export type KeylessConfig = Omit<Config, 'masterKey' | 'sealingKeys' | 'chainKeys' | 'nameKeys'>;

export function loadConfig(source: SettingsSource): Config {
  const settings = readSettings(source);
  const isDev = isDevIn(settings);
  const problems = lintSettings(settings, source.environment, isDev);
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
    origins: settings.application.allowedOrigins,
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
    mfa: mfaOf(settings.mfa),
    serviceAccount: settings.serviceAccount,
    webhook: settings.webhook,
    mail: settings.mail,
    provider: settings.provider,
    hash: { ...settings.hash, concurrency: settings.hash.concurrency || availableParallelism() },
  };
}

/** go-admin's front end shows a captcha in a box of 102 by 40 pixels, and crops other shapes. */
const marginForGoAdmin = 9;

function compatibilityOf({ compatibility }: Settings['application']) {
  const goAdminCompatible = compatibility === 'go-admin';
  return {
    goAdminCompatible,
    permissionDeniedCode: goAdminCompatible ? 403 : 401,
    captchaMargin: goAdminCompatible ? marginForGoAdmin : 0,
  } as const;
}

/** Settings that a program passes: any of the sections of the settings file. */
export type GivenSettings = { readonly [Section in keyof Settings]?: Readonly<Partial<Settings[Section]>> };

/** Uses the environment of this process, which wins over the source. */
export function loadProcessConfig(source: { file?: string | undefined; values?: GivenSettings }): Config {
  return loadConfig({ ...source, environment: process.env });
}

/** For `portcullis config print`: every setting with secrets redacted, and the reasons that would refuse a start. */
export function traceProcessConfig(file: string | undefined) {
  const source = { file, environment: process.env };
  return { settings: traceSettings(source), reasons: refusalOf(source) };
}

/** For `portcullis import go-admin`. It is not a setting, because the service never needs it. */
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

/** All problems of the settings by topic, and the configuration despite them. */
export interface Examination {
  readonly problems: Problems;
  readonly config: KeylessConfig;
  /** Empty without a master key; includes the key of a master key that would be refused. */
  readonly sealingKeys: readonly Buffer[];
  readonly databasePlaintextAllowed: boolean;
  /** The number of Node's threads, if the environment sets it. */
  readonly givenThreads: number | undefined;
}

/** For `portcullis doctor`, which continues where a start would be refused. */
export function examineProcessConfig(file: string | undefined): Examination {
  const environment = process.env;
  const { settings, reasons, secretsInFile } = gatherSettings({ file, environment });
  const { auth, database } = settings;
  const isDev = isDevIn(settings);
  return {
    problems: groupProblems({ settings, reasons, secretsInFile, file, environment, isDev }),
    config: deriveConfig(settings),
    sealingKeys: [auth.masterKey, auth.previousMasterKey]
      .filter((text, index) => text !== '' || (isDev && index === 0))
      .map((text) => parseMasterKey(text, true))
      .flatMap((key) => ('reason' in key ? [] : [key.sealing])),
    databasePlaintextAllowed: database.allowPlaintext,
    givenThreads:
      environment.UV_THREADPOOL_SIZE === undefined ? undefined : Number(environment.UV_THREADPOOL_SIZE),
  };
}

function mfaOf(mfa: Settings['mfa']): Config['mfa'] {
  const isDerived = mfa.passkeyDomain !== '' && mfa.passkeyOrigins.length === 0;
  return { ...mfa, passkeyOrigins: isDerived ? [`https://${mfa.passkeyDomain}`] : mfa.passkeyOrigins };
}

/** Without a current secret the previous one is not accepted either. */
function decisionOf({ host, port, secret, previousSecret }: Settings['decision']): Config['decision'] {
  const secrets = secret === '' ? [] : [secret, previousSecret].filter((text) => text !== '');
  return { host, port, secrets };
}

/** Whether the hash cost is accepted outside dev. */
export function isHashCostAccepted(cost: Pick<Settings['hash'], 'memoryKibibytes' | 'passes'>): boolean {
  return lintHashCost(cost).length === 0;
}

/**
 * Hashes run on Node's threads, which also resolve names and read files: the extra threads keep those from waiting behind hashes.
 */
export function makeThreadsFor({ hash }: Pick<Config, 'hash'>): void {
  process.env.UV_THREADPOOL_SIZE ??= String(hash.concurrency + 4);
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
