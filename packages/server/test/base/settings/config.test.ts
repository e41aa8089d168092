import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/base/settings/config.ts';
import { StartRefusal } from '../../../src/base/values/start-refusal.ts';

const masterKey = randomBytes(32).toString('hex');
const configOf = (environment: Record<string, string>) =>
  loadConfig({ environment: { AUTH_MASTER_KEY: masterKey, ...environment } });

/** Everything that the mode decides. */
const derivedFrom = (environment: Record<string, string>) => {
  const config = configOf(environment);
  return {
    host: config.listen.host,
    devKeys: config.devKeys,
    migrateOnStart: config.migrateOnStart,
    defaultPasswordsAllowed: config.defaultPasswordsAllowed,
    captchaRequired: config.captchaRequired,
    tokenLifetimeSeconds: config.tokenLifetimeSeconds,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
    secure: config.cookie.secure,
    standbyExpected: config.standbyExpected,
  };
};
const prod = {
  host: '0.0.0.0',
  devKeys: false,
  migrateOnStart: false,
  defaultPasswordsAllowed: false,
  captchaRequired: true,
  tokenLifetimeSeconds: 3600,
  maxTokenLifetimeSeconds: 86_400,
  secure: true,
  standbyExpected: true,
};
const dev = {
  host: '127.0.0.1',
  devKeys: true,
  migrateOnStart: true,
  defaultPasswordsAllowed: true,
  captchaRequired: false,
  tokenLifetimeSeconds: 3_153_636_000,
  maxTokenLifetimeSeconds: 3_153_636_000,
  secure: false,
  standbyExpected: false,
};

describe('the mode', () => {
  it.each([
    'Dev',
    'DEV',
    'dEv',
    ' dev',
    'dev ',
    'dev\n',
    'dev\0',
    '\ufeffdev',
    'dev\u200b',
    'd\u00adev',
    'ｄｅｖ',
    'd\u0435v',
    'dev,prod',
    'dev;',
    '"dev"',
    'develop',
    'development',
    'debug',
    'de',
    'devdev',
    'local',
    'test',
    'demo',
    'true',
    '1',
    '',
    'prod',
  ])('%j is not dev and behaves as prod', (mode) => {
    expect(derivedFrom({ APPLICATION_MODE: mode })).toEqual(prod);
  });

  it.each([
    ['dev', true],
    ['prod', true],
    ['production', false],
    ['Dev', false],
  ])('%s is a mode there is: %s', (mode, isKnown) => {
    expect(configOf({ APPLICATION_MODE: mode }).modeKnown).toBe(isKnown);
  });

  it('is prod without a setting', () => {
    expect(configOf({}).mode).toBe('prod');
    expect(derivedFrom({})).toEqual(prod);
  });

  it('dev skips the captcha, gives tokens of 100 years and listens on loopback', () => {
    expect(derivedFrom({ APPLICATION_MODE: 'dev' })).toEqual(dev);
    const years = dev.tokenLifetimeSeconds / (365.25 * 86_400);
    expect(Math.abs(years - 100)).toBeLessThan(1);
  });

  it('dev forces the lifetime, whatever is set', () => {
    expect(derivedFrom({ APPLICATION_MODE: 'dev', AUTH_TOKEN_LIFETIME_SECONDS: '300' })).toEqual(dev);
  });

  it('dev listens where a host is set', () => {
    expect(configOf({ APPLICATION_MODE: 'dev', APPLICATION_HOST: '0.0.0.0' }).listen.host).toBe('0.0.0.0');
  });
});

describe('the config', () => {
  it.each(['prod', 'test', 'Dev'])('is refused without a master key in the mode %s', (mode) => {
    expect(() => loadConfig({ environment: { APPLICATION_MODE: mode } })).toThrow(StartRefusal);
  });

  const open = {
    DATABASE_URL: 'postgres://u@db.example/portcullis',
    HASH_MEMORY_KIBIBYTES: '64',
    HASH_PASSES: '1',
  };

  it.each(['prod', 'test', 'Dev'])(
    'is refused with every reason where it would run open in the mode %s',
    (mode) => {
      const reasonsOf = (environment: Record<string, string>) => {
        try {
          return loadConfig({ environment: { APPLICATION_MODE: mode, ...open, ...environment } });
        } catch (error) {
          return error instanceof StartRefusal ? error.reasons.length : error;
        }
      };
      expect(reasonsOf({ AUTH_MASTER_KEY: masterKey })).toBe(2);
      expect(reasonsOf({})).toBe(3);
    },
  );

  it('of dev may be open', () => {
    expect(configOf({ APPLICATION_MODE: 'dev', ...open }).hash).toMatchObject({ memoryKibibytes: 64 });
  });

  it('opens no listener for decisions without a secret, also where there was one before', () => {
    expect(configOf({}).decision).toEqual({ host: '127.0.0.1', port: 8002, secrets: [] });
    const [secret, previous] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    expect(configOf({ DECISION_PREVIOUS_SECRET: previous }).decision.secrets).toEqual([]);
    expect(configOf({ DECISION_SECRET: secret }).decision.secrets).toEqual([secret]);
    const both = { DECISION_SECRET: secret, DECISION_PREVIOUS_SECRET: previous };
    expect(configOf(both).decision.secrets).toEqual([secret, previous]);
  });

  it('refuses a short secret for decisions outside dev', () => {
    expect(() => configOf({ DECISION_SECRET: 'short' })).toThrow(StartRefusal);
    expect(configOf({ APPLICATION_MODE: 'dev', DECISION_SECRET: 'short' }).decision.secrets).toEqual([
      'short',
    ]);
  });

  it('keeps the codes of the specification unless go-admin’s front end is to be served', () => {
    const { goAdminCompatible, permissionDeniedCode, captchaMargin } = configOf({});
    expect({ goAdminCompatible, permissionDeniedCode, captchaMargin }).toEqual({
      goAdminCompatible: false,
      permissionDeniedCode: 401,
      captchaMargin: 0,
    });
    const compatible = configOf({ APPLICATION_COMPATIBILITY: 'go-admin' });
    expect(compatible).toMatchObject({ goAdminCompatible: true, permissionDeniedCode: 403 });
    expect(() => configOf({ APPLICATION_COMPATIBILITY: 'Go-Admin' })).toThrow(StartRefusal);
  });

  it('expects no standby where the storage is replicated', () => {
    expect(configOf({ DATABASE_DURABILITY: 'storage' }).standbyExpected).toBe(false);
    expect(() => configOf({ DATABASE_DURABILITY: 'none' })).toThrow(StartRefusal);
  });

  it('takes the set lifetime outside dev, and the log switch', () => {
    const config = configOf({ AUTH_TOKEN_LIFETIME_SECONDS: '86400', LOGGER_ENABLEDDB: 'false' });
    expect(config).toMatchObject({ tokenLifetimeSeconds: 86_400, loginLogEnabled: false });
  });

  it('reads the settings of the login log', () => {
    const config = configOf({ LOGGER_SPOOL_FOLDER: '/var/spool/p', LOGGER_SPOOL_MEGABYTES: '64' });
    expect(config.loginLog).toMatchObject({ spoolFolder: '/var/spool/p', spoolMegabytes: 64, geoipFile: '' });
    expect(() => configOf({ LOGGER_SPOOL_MEGABYTES: '7' })).toThrow(StartRefusal);
  });

  it('binds new records with the key of the current master key, and verifies those of the previous one too', () => {
    const before = randomBytes(32).toString('hex');
    const { chainKeys, masterKey: keys } = configOf({ AUTH_PREVIOUS_MASTER_KEY: before });
    const [earlier] = configOf({ AUTH_MASTER_KEY: before }).chainKeys;
    expect(chainKeys).toEqual([keys.chain, earlier]);
    const others = [keys.sealing, keys.captcha, keys.throttle];
    expect(others.some((key) => key.equals(keys.chain))).toBe(false);
  });

  it('cannot be changed', () => {
    expect(configOf({})).toSatisfy(Object.isFrozen);
  });
});
