// What settings must not be able to do: bounds that a promise of the service rests on, each with the reason, and secrets that
// no output shows.
import { maxTokenLifetimeSeconds } from '@portcullis/contract';
import { longestLeaseMilliseconds } from '@portcullis/gate';
import { describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { readSettings } from '../../../src/base/settings/read-settings.ts';
import { allSettings, type Setting } from '../../../src/base/settings/schema.ts';
import { traceSettings } from '../../../src/base/settings/trace-settings.ts';
import { StartRefusal } from '../../../src/base/values/start-refusal.ts';

function reasonsOf(variable: string, value: string): string {
  try {
    readSettings({ environment: { [variable]: value } });
    return '';
  } catch (error) {
    if (error instanceof StartRefusal) return error.reasons.join(' ');
    throw error;
  }
}

const settingOf = (key: string): Setting => {
  const setting = allSettings.find((each) => each.key === key);
  if (setting === undefined) throw new Error(`There is no setting ${key}.`);
  return setting;
};

describe('a setting', () => {
  it.each<[key: string, least: number, most: number, reason: string]>([
    [
      'cluster.leaseSeconds',
      2,
      longestLeaseMilliseconds / 1000,
      'a revocation waits so long for an instance that is cut off, and a guard holds no longer lease',
    ],
    [
      'serviceAccount.tokenLifetimeSeconds',
      300,
      900,
      'a program logs in without a person: a token of it that leaks is dead within a quarter of an hour',
    ],
    [
      'auth.tokenLifetimeSeconds',
      300,
      maxTokenLifetimeSeconds.otherwise,
      'what providers ended, and epochs that were raised, are remembered for a day and an hour',
    ],
    [
      'password.minimumLength',
      8,
      64,
      'NIST SP 800-63B allows no password of fewer characters, and demands that 64 are taken',
    ],
    [
      'throttle.failuresBeforeDelay',
      1,
      20,
      'guesses from one network must become slow while few passwords were tried',
    ],
    ['throttle.accountFailures', 1, 100, 'NIST SP 800-63B allows 100 failures in a row for an account'],
    ['mail.resetLinksPerAddressPerDay', 1, 100, 'a person cannot fill the mailbox of another'],
    ['application.drainSeconds', 0, 300, 'a stop ends'],
    ['logger.anchorIntervalMinutes', 1, 1440, 'what is cut off from a log shows within a day'],
  ])('%s is from %d to %d: %s', (key, least, most) => {
    const { variable } = settingOf(key);
    expect([reasonsOf(variable, String(least)), reasonsOf(variable, String(most))]).toEqual(['', '']);
    expect(reasonsOf(variable, String(least - 1))).toContain(key);
    expect(reasonsOf(variable, String(most + 1))).toContain(key);
  });

  it('that is a number has two bounds, and its default is within them', () => {
    const numbers = allSettings.filter(({ schema }) => typeof schema.default === 'number');
    expect(numbers.length).toBeGreaterThan(20);
    for (const { key, schema } of numbers) {
      const { minimum = Number.NaN, maximum = Number.NaN } = schema as { minimum?: number; maximum?: number };
      const isWithin = minimum <= Number(schema.default) && Number(schema.default) <= maximum;
      expect([key, isWithin]).toEqual([key, true]);
    }
  });
});

describe('a secret', () => {
  /** What a name says that holds one, also beside an address: a reader of it can log in somewhere. */
  const namesOfSecrets = /password$|secret$|masterkey$|url$/i;
  const secrets = allSettings.filter(({ schema }) => schema.secret === true);
  const named = allSettings.filter(
    ({ name, schema }) => namesOfSecrets.test(name) && typeof schema.default === 'string',
  );
  const canary = 'canary-secret-canary-secret-canary-secret';

  it('is every setting whose name says so', () => {
    expect(secrets.map(({ key }) => key).toSorted()).toEqual(named.map(({ key }) => key).toSorted());
  });

  it.each(named.map(({ key, variable }) => [key, variable] as const))(
    '%s is not among the settings that are shown',
    (key, variable) => {
      for (const value of [canary, `postgres://user:${canary}@host/db`, `https://${canary}@host/`]) {
        const shown = traceSettings({ environment: { [variable]: value } });
        failIfAttackSucceeded(JSON.stringify(shown).includes(canary), 'the secret is shown');
        expect(shown.find((setting) => setting.key === key)?.origin).toBe(variable);
      }
    },
  );
});
