import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgesTimes } from '../../../../../test/rig/judges-times.ts';
import { StartRefusal } from '../../../src/base/values/start-refusal.ts';
import { createClientFacts, type DescribeClient } from '../../../src/logs/login-log/client-facts.ts';
import { writeMmdb } from './write-mmdb.ts';

const ip = '192.0.2.1';
const nothingKnown = { browser: undefined, os: undefined, platform: undefined, location: undefined };
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const chrome = `${windows} Chrome/131.0.0.0 Safari/537.36`;

describe('an agent', () => {
  let time = 0;
  let describeClient: DescribeClient;
  beforeAll(async () => {
    describeClient = await createClientFacts({ geoipFile: '', monotonic: () => time });
  });

  it.each([
    undefined,
    '',
    ' ',
    'curl/8.14.1',
    'Invented/1.0 (by me)',
    'constructor/1 (x)',
    '<script>/1 (',
    `${'x/'.repeat(2000)} (`,
    '\0\r\n\x1b[31m/1 (',
    '\ud800/1 (',
    '浏览器/1 (',
  ])('%j gives no facts, whatever it claims to be', (userAgent) => {
    time += 1000;
    expect(describeClient({ ip, userAgent })).toEqual(nothingKnown);
  });

  it.each([
    [chrome, 'Chrome', 'Windows', 'desktop'],
    [`${chrome} Edg/131.0.0.0`, 'Microsoft Edge', 'Windows', 'desktop'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0', 'Firefox', 'Linux', 'desktop'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15',
      'Safari',
      'macOS',
      'desktop',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'Safari',
      'iOS',
      'mobile',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1',
      'Safari',
      'iOS',
      'tablet',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36',
      'Samsung Internet for Android',
      'Android',
      'mobile',
    ],
    [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      'Googlebot',
      undefined,
      'bot',
    ],
  ])('%s gives browser, system and platform, without versions', (userAgent, browser, os, platform) => {
    time += 1000;
    expect(describeClient({ ip, userAgent })).toEqual({ browser, os, platform, location: undefined });
  });

  it('is looked at in its first 256 characters', () => {
    time += 1000;
    expect(describeClient({ ip, userAgent: `${'x'.repeat(256)} Firefox/133.0` }).browser).toBeUndefined();
    expect(describeClient({ ip, userAgent: `${chrome} ${'x'.repeat(2000)}` }).browser).toBe('Chrome');
  });

  it('that is new is no longer looked at after 200 new ones in a second; a known one and the next second are', () => {
    time += 1000;
    expect(describeClient({ ip, userAgent: chrome }).browser).toBe('Chrome');
    const browsers = Array.from({ length: 1000 }, (_, index) => {
      return describeClient({ ip, userAgent: `${chrome} Invented/${index}` }).browser;
    });
    expect(browsers.filter((browser) => browser === 'Chrome')).toHaveLength(200);
    expect(describeClient({ ip, userAgent: chrome }).browser).toBe('Chrome');
    expect(describeClient({ ip, userAgent: `${chrome} Another/1` }).browser).toBeUndefined();
    time += 1000;
    expect(describeClient({ ip, userAgent: `${chrome} Another/1` }).browser).toBe('Chrome');
  });

  it('that is used all the time is known in a flood of invented ones', () => {
    for (let second = 0; second < 20; second += 1) {
      time += 1000;
      for (let index = 0; index < 400; index += 1)
        describeClient({ ip, userAgent: `${chrome} Flood/${second}.${index}` });
      expect(describeClient({ ip, userAgent: chrome }).browser).toBe('Chrome');
    }
  });

  it.skipIf(!judgesTimes)(
    'of 256 invented characters costs no more than 20 µs on average in a flood',
    async () => {
      const describeInFlood = await createClientFacts({ geoipFile: '', monotonic: () => performance.now() });
      const agents = Array.from({ length: 5000 }, () => `Mozilla/5.0 (${randomBytes(121).toString('hex')}`);
      const before = process.cpuUsage();
      for (const userAgent of agents) describeInFlood({ ip, userAgent });
      const { user, system } = process.cpuUsage(before);
      const microseconds = (user + system) / agents.length;
      expect(microseconds).toBeLessThan(20);
    },
  );
});

describe('an address', () => {
  let folder: string;
  const fileOf = async (name: string, content: Buffer | string) => {
    const file = join(folder, name);
    await writeFile(file, content);
    return file;
  };
  const open = (geoipFile: string) => createClientFacts({ geoipFile, monotonic: () => 0 });
  const reasonsOf = async (geoipFile: string) => {
    const error = await open(geoipFile).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(StartRefusal);
    return (error as StartRefusal).message;
  };
  const database = writeMmdb({
    '192.0.2.0/24': { country: { iso_code: 'DE' } },
    '198.51.100.0/25': { country_code: 'FR' },
    '203.0.113.0/24': { country_code: 'fr <b>' },
    '203.0.112.0/24': { country_code: 49 },
    '2001:db8::/32': { country: { iso_code: 'CN' } },
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portcullis-countries-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('needs a database that exists: the start is refused without it', async () => {
    expect(await reasonsOf(join(folder, 'missing.mmdb'))).toMatch(
      /logger\.geoipFile.*LOGGER_GEOIP_FILE.*missing\.mmdb.*ENOENT.*Set the path.*remove the setting/,
    );
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('not a database')],
    ['cut', database.subarray(0, database.length - 200)],
  ])('needs a database in its format: %s is refused', async (name, content) => {
    expect(await reasonsOf(await fileOf(`${name}.mmdb`, content))).toMatch(/format of MaxMind.*Set the path/);
  });

  it('has no country without a database', async () => {
    expect((await open(''))({ ip, userAgent: chrome }).location).toBeUndefined();
  });

  it.each([
    ['192.0.2.77', 'DE'],
    ['198.51.100.1', 'FR'],
    ['2001:db8::1', 'CN'],
    ['198.51.100.200', undefined],
    ['2001:db9::1', undefined],
    ['203.0.113.5', undefined],
    ['203.0.112.5', undefined],
    ['127.0.0.1', undefined],
    ['0.0.0.0', undefined],
    ['', undefined],
    ['fe80::1%eth0', undefined],
  ])('%s has the country %s', async (address, location) => {
    const describeClient = await open(await fileOf('countries.mmdb', database));
    expect(describeClient({ ip: address, userAgent: undefined })).toEqual({ ...nothingKnown, location });
  });

  it('in a damaged part of the database has no country', async () => {
    const damaged = Buffer.from(database);
    const data = damaged.indexOf('country') - 2;
    damaged.fill(0xff, data, data + 16);
    const describeClient = await open(await fileOf('damaged.mmdb', damaged));
    expect(describeClient({ ip, userAgent: undefined }).location).toBeUndefined();
  });
});
