import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/base/settings/read-settings.ts';
import { allSettings } from '../../../src/base/settings/schema.ts';
import { StartRefusal } from '../../../src/base/values/start-refusal.ts';

const folder = mkdtempSync(join(tmpdir(), 'portcullis-settings-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
function fileWith(text: string): string {
  count += 1;
  const file = join(folder, `${count}.yaml`);
  writeFileSync(file, text);
  return file;
}

function reasonsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof StartRefusal) return error.reasons;
    throw error;
  }
  return [];
}

const reasonsOfFile = (text: string) =>
  reasonsOf(() => readSettings({ file: fileWith(text), environment: {} }));
const reasonsOfEnvironment = (environment: Record<string, string>) =>
  reasonsOf(() => readSettings({ environment }));

describe('a settings file', () => {
  it.each([
    ['application:\n  moed: dev', 'There is no setting `application.moed`. Did you mean `application.mode`?'],
    ['aplication:\n  mode: dev', 'There is no setting `aplication.mode`. Did you mean `application.mode`?'],
    [
      'logger:\n  enabledDB: true',
      'There is no setting `logger.enabledDB`. Did you mean `logger.enableddb`?',
    ],
    [
      'auth:\n  colour: red',
      'There is no setting `auth.colour`. docs/reference/configuration.md lists all settings.',
    ],
    ['colour: red', 'There is no setting `colour`. docs/reference/configuration.md lists all settings.'],
    ['application.mode: dev', 'There is no setting `application.mode`.'],
    ['application: dev', '`application`'],
    [
      '__proto__:\n  mode: dev',
      'There is no setting `__proto__.mode`. docs/reference/configuration.md lists all settings.',
    ],
    [
      'constructor:\n  name: dev',
      'There is no setting `constructor.name`. docs/reference/configuration.md lists all settings.',
    ],
  ])('with the unknown key of %j is refused with what was meant', (text, reason) => {
    expect(reasonsOfFile(text)).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    [
      'application:\n  allowedOrigins: https://a.example',
      'application.allowedOrigins',
      'APPLICATION_ALLOWED_ORIGINS',
      "is a list. Write `allowedOrigins: [a, b]` in the file, or APPLICATION_ALLOWED_ORIGINS='[a, b]'",
    ],
    ['application:\n  mode: 7', 'application.mode', 'APPLICATION_MODE', 'must be string'],
    ['application:\n  mode:', 'application.mode', 'APPLICATION_MODE', 'must be string'],
    ['application:\n  port: "8000"', 'application.port', 'APPLICATION_PORT', 'must be integer'],
    ['application:\n  port: 80.5', 'application.port', 'APPLICATION_PORT', 'must be integer'],
    ['application:\n  port: -1', 'application.port', 'APPLICATION_PORT', 'must be >= 0'],
    ['application:\n  port: 65536', 'application.port', 'APPLICATION_PORT', 'must be <= 65535'],
    [
      'mfa:\n  totpIssuer: "a:b"',
      'mfa.totpIssuer',
      'MFA_TOTP_ISSUER',
      'has characters that are not allowed, or too many characters',
    ],
    ['logger:\n  enableddb: "off"', 'logger.enableddb', 'LOGGER_ENABLEDDB', 'must be boolean'],
    ['logger:\n  enableddb: 0', 'logger.enableddb', 'LOGGER_ENABLEDDB', 'must be boolean'],
    ['logger:\n  level: loud', 'logger.level', 'LOGGER_LEVEL', 'must be equal to one of'],
    ['database:\n  poolSize: 1', 'database.poolSize', 'DATABASE_POOL_SIZE', 'must be >= 2'],
    ['database:\n  poolSize: 101', 'database.poolSize', 'DATABASE_POOL_SIZE', 'must be <= 100'],
    [
      'auth:\n  tokenLifetimeSeconds: 299',
      'auth.tokenLifetimeSeconds',
      'AUTH_TOKEN_LIFETIME_SECONDS',
      'must be >= 300',
    ],
    [
      'auth:\n  tokenLifetimeSeconds: 86401',
      'auth.tokenLifetimeSeconds',
      'AUTH_TOKEN_LIFETIME_SECONDS',
      'must be <= 86400',
    ],
    ['auth:\n  masterKey: 123456', 'auth.masterKey', 'AUTH_MASTER_KEY', 'must be string'],
    [
      'permission:\n  exclusions: POST /api/v1/login',
      'permission.exclusions',
      'PERMISSION_EXCLUSIONS',
      'is a list',
    ],
    ['permission:\n  exclusions: [7]', 'permission.exclusions', 'PERMISSION_EXCLUSIONS', 'must be string'],
    [
      'limit:\n  requestsPerSecond: 0',
      'limit.requestsPerSecond',
      'LIMIT_REQUESTS_PER_SECOND',
      'must be >= 1',
    ],
    ['limit:\n  burst: 1000001', 'limit.burst', 'LIMIT_BURST', 'must be <= 1000000'],
  ])('with the wrong value of %j is refused with key, variable and bound', (text, key, variable, problem) => {
    expect(reasonsOfFile(text)).toEqual([expect.stringContaining(`\`${key}\` (${variable}) ${problem}`)]);
  });

  it('that does not exist is refused with its name', () => {
    const file = join(folder, 'missing.yaml');
    expect(reasonsOf(() => readSettings({ file, environment: {} }))).toEqual([
      `The settings file ${file} does not exist. Create it, or remove --config.`,
    ]);
  });

  it.each([
    ['an unclosed quote', 'application:\n  mode: "dev', 2],
    ['a repeated key', 'application:\n  port: 1\n  port: 2', 3],
    ['a tab for indentation', 'application:\n\tmode: dev', 2],
  ])('with %s is refused with the line number, and without the text of the line', (_what, text, line) => {
    const [reason, ...others] = reasonsOfFile(text);
    expect(reason).toMatch(
      new RegExp(`^The settings file \\S+ is not valid YAML \\(line ${line}\\)\\. Correct it\\.$`),
    );
    expect(others).toEqual([]);
  });

  it('with many mistakes is refused once, with all of them', () => {
    expect(reasonsOfFile('application:\n  port: x\n  colour: red\nlogger:\n  enableddb: 1')).toHaveLength(3);
  });

  it('never shows a secret in a refusal', () => {
    const reasons = reasonsOfFile(
      'auth:\n  masterKey: [canary-secret]\ndatabase:\n  url: {canary-secret: 1}',
    );
    expect(reasons).toHaveLength(2);
    expect(reasons.join()).not.toContain('canary');
  });

  it.each(['', '# nothing but a comment', '---\n...'])('that is empty (%j) leaves the defaults', (text) => {
    expect(readSettings({ file: fileWith(text), environment: {} })).toEqual(
      readSettings({ environment: {} }),
    );
  });

  it.each(['- application', 'application', '7', '[]'])('that is no mapping (%j) is refused', (text) => {
    expect(reasonsOfFile(text)).not.toEqual([]);
  });
});

describe('the environment', () => {
  it.each([
    ['APPLICATION_MODES', 'APPLICATION_MODE'],
    ['APLICATION_MODE', 'APPLICATION_MODE'],
    ['application_mode', 'APPLICATION_MODE'],
    ['LOGGER_ENABLEDB', 'LOGGER_ENABLEDDB'],
    ['LOGGER_ENABLED_DB', 'LOGGER_ENABLEDDB'],
    ['AUTH_MASTERKEY', 'AUTH_MASTER_KEY'],
    ['AUTH_MASTER_KEY_FLIE', 'AUTH_MASTER_KEY_FILE'],
    ['DATABASE_URI', 'DATABASE_URL'],
  ])('with %s is refused: %s was meant', (name, meant) => {
    expect(reasonsOfEnvironment({ [name]: 'x' })).toEqual([
      `The environment variable ${name} is not a setting. Did you mean ${meant}?`,
    ]);
  });

  it.each([
    ['APPLICATION_PORT', 'http', 'must be integer'],
    ['APPLICATION_PORT', '', 'must be integer'],
    ['APPLICATION_PORT', '70000', 'must be <= 65535'],
    ['LOGGER_ENABLEDDB', 'off', 'must be boolean'],
    ['LOGGER_ENABLEDDB', '1', 'must be boolean'],
    ['AUTH_COOKIE', 'no', 'must be boolean'],
    ['PERMISSION_EXCLUSIONS', 'POST /api/v1/login', 'is a list'],
    ['PERMISSION_EXCLUSIONS', '[unclosed', 'is a list'],
  ])('with %s=%j is refused', (name, value, problem) => {
    expect(reasonsOfEnvironment({ [name]: value })).toEqual([
      expect.stringContaining(`(${name}) ${problem}`),
    ]);
  });

  it('with a secret file that cannot be read is refused with its name', () => {
    const file = join(folder, 'no-such-secret');
    expect(reasonsOfEnvironment({ AUTH_MASTER_KEY_FILE: file })).toEqual([
      `AUTH_MASTER_KEY_FILE names ${file}, which cannot be read. Check the path and its permissions.`,
    ]);
  });

  it('with a file for a setting that is no secret is refused, not ignored', () => {
    expect(reasonsOfEnvironment({ APPLICATION_MODE_FILE: fileWith('dev') })).not.toEqual([]);
  });

  it.each([
    'PATH',
    'HOME',
    'NODE_ENV',
    'PORT',
    'MODE',
    'PGHOST',
    'LOG_LEVEL',
    'npm_config_cache',
    'OPS',
    'AUTH',
  ])('may hold %s, which is not ours', (name) => {
    expect(reasonsOfEnvironment({ [name]: 'x' })).toEqual([]);
  });

  it('reads a secret from a file, without the line end that editors add', () => {
    const environment = {
      AUTH_MASTER_KEY_FILE: fileWith('a key\n'),
      DATABASE_URL_FILE: fileWith('postgres://x\r\n'),
    };
    const settings = readSettings({ environment });
    expect(settings.auth.masterKey).toBe('a key');
    expect(settings.database.url).toBe('postgres://x');
  });

  it('overrides the file', () => {
    const file = fileWith('application:\n  mode: dev\n  port: 1\nlogger:\n  enableddb: true\n');
    const environment = {
      APPLICATION_MODE: 'prod',
      APPLICATION_PORT: '2',
      LOGGER_ENABLEDDB: 'false',
      PERMISSION_EXCLUSIONS: '["POST /api/v1/login"]',
    };
    expect(readSettings({ file, environment })).toMatchObject({
      application: { mode: 'prod', port: 2 },
      logger: { enableddb: false },
      permission: { exclusions: ['POST /api/v1/login'] },
    });
  });

  it('keeps text as text, whatever YAML would make of it', () => {
    const settings = readSettings({ environment: { APPLICATION_MODE: 'true', APPLICATION_HOST: '::1' } });
    expect(settings.application).toMatchObject({ mode: 'true', host: '::1' });
  });
});

describe('settings', () => {
  it('have defaults that pass their own checks', () => {
    const values = readSettings({ environment: {} });
    expect(readSettings({ values, environment: {} })).toEqual(values);
  });

  it('have these defaults', () => {
    expect(readSettings({ environment: {} })).toEqual({
      application: {
        mode: 'prod',
        host: '',
        port: 8000,
        trustedProxies: [],
        allowedOrigins: [],
        console: true,
        compatibility: 'none',
        drainSeconds: 5,
      },
      ops: { host: '127.0.0.1', port: 8001 },
      decision: { host: '127.0.0.1', port: 8002, secret: '', previousSecret: '' },
      logger: {
        enableddb: true,
        level: 'info',
        spoolFolder: 'portcullis-spool',
        spoolMegabytes: 1024,
        geoipFile: '',
        logFailedLogins: false,
        anchorFolder: '',
        anchorUrl: '',
        anchorIntervalMinutes: 10,
        retentionMonths: 0,
        auditRetentionMonths: 0,
      },
      database: {
        url: 'postgres://postgres@127.0.0.1:5432/portcullis',
        poolSize: 10,
        durability: 'standby',
        allowPlaintext: false,
      },
      auth: { masterKey: '', previousMasterKey: '', tokenLifetimeSeconds: 3600, cookie: true },
      cluster: { leaseSeconds: 10 },
      throttle: { failuresBeforeDelay: 5, networkFailuresPerMinute: 20, accountFailures: 100 },
      password: { minimumLength: 15 },
      mfa: { totpIssuer: 'Portcullis', passkeyDomain: '', passkeyOrigins: [] },
      serviceAccount: { audience: '', tokenLifetimeSeconds: 600 },
      provider: { allowedNetworks: [], caFile: '' },
      webhook: { allowedNetworks: [], allowLoopback: false, maxAttempts: 12 },
      mail: {
        host: '',
        port: 587,
        tls: 'starttls',
        allowPlaintext: false,
        caFile: '',
        username: '',
        password: '',
        from: '',
        fromName: 'Portcullis',
        language: 'en',
        passwordPage: '',
        resetLinksPerAddressPerDay: 5,
        resetLinksPerNetworkPerDay: 50,
        resetLinksPerDay: 2000,
        retrySeconds: 60,
        timeoutSeconds: 30,
      },
      hash: { concurrency: 0, memoryKibibytes: 19_456, passes: 2 },
      permission: {
        exclusions: [
          'POST /api/v1/login',
          'GET /api/v1/login/methods',
          'POST /api/v1/login/begin',
          'POST /api/v1/login/enrol',
          'POST /api/v1/password/forgot',
          'POST /api/v1/password/reset',
          'POST /api/v1/logout',
          'GET /api/v1/getCaptcha',
          'GET /api/v1/captcha',
          'GET /api/v1/user/profile',
          'POST /api/v1/providers/:key/logout',
        ],
      },
      limit: {
        requestsPerSecond: 100,
        burst: 200,
        captchasPerMinute: 60,
        passwordsSetPerMinute: 60,
        connectionsPerNetwork: 512,
      },
    });
  });

  it('of two reads share nothing', () => {
    readSettings({ environment: {} }).permission.exclusions.push('GET /api/v1/orders');
    expect(readSettings({ environment: {} }).permission.exclusions).toHaveLength(11);
  });

  it.each(allSettings)(
    'name $key as $variable in the environment, and say what it is',
    ({ key, variable, schema }) => {
      expect(variable).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
      expect(key.replace('.', '').toUpperCase()).toBe(variable.replaceAll('_', ''));
      expect(schema.description).toMatch(/\.$/);
    },
  );
});
