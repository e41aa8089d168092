// What the login log tells of a client: browser, system, platform and country.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMmdb } from '../../packages/server/test/logs/login-log/write-mmdb.ts';
import { createDatabase } from '../rig/create-database.ts';
import { password } from '../rig/seed.ts';
import { businessService, startProcess } from '../rig/start-process.ts';
import { baseSettings } from '../rig/start-server.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { eventually } from './eventually.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portcullis-content-'));
});
afterAll(() => rm(folder, { recursive: true }));

it.each([
  {
    name: 'missing',
    content: undefined,
    reason: /logger\.geoipFile.*missing\.mmdb.*ENOENT.*remove the setting/,
  },
  { name: 'broken', content: 'text', reason: /logger\.geoipFile.*broken\.mmdb.*format of MaxMind/ },
])('a $name database of countries stops the start [events-s1]', async ({ name, content, reason }) => {
  const file = join(folder, `${name}.mmdb`);
  if (content !== undefined) await writeFile(file, content);
  const database = await createDatabase({ migrated: true });
  const environment = { ...baseSettings(database.url), LOGGER_GEOIP_FILE: file };
  const process = startProcess({ script: businessService, environment });
  expect(await process.exited).toBe(78);
  expect(process.output).toMatch(reason);
  expect(process.output).not.toContain('"ready"');
  await database.drop();
});

describe('with a database of countries', () => {
  let service: Service;
  beforeAll(async () => {
    const file = join(folder, 'countries.mmdb');
    await writeFile(
      file,
      writeMmdb({
        '192.0.2.0/24': { country: { iso_code: 'DE' } },
        '2001:db8::/32': { country: { iso_code: 'CN' } },
      }),
    );
    service = await startService({
      mode: 'dev',
      settings: { LOGGER_GEOIP_FILE: file, APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]' },
    });
  });
  afterAll(() => service.stop());

  it.each([
    {
      name: 'a browser on a computer',
      from: '192.0.2.1',
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0',
      facts: ['Firefox', 'Linux', 'desktop', 'DE'],
    },
    {
      name: 'a browser on a telephone',
      from: '2001:db8::1',
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      facts: ['Safari', 'iOS', 'mobile', 'CN'],
    },
    {
      name: 'an agent that names itself, and an address of no country',
      from: '198.51.100.1',
      userAgent: 'Invented/1.0 (by me)',
      facts: [null, null, null, null],
    },
  ])('a row tells what is known of $name [events-s1]', async ({ from, userAgent, facts }) => {
    await service.send({
      method: 'POST',
      path: '/api/v1/login',
      body: { username: 'carl', password },
      headers: { 'x-forwarded-for': from, 'user-agent': userAgent },
    });
    const findRows = () =>
      service.database.query(
        'select browser, os, platform, location, user_agent from login_log where ip = $1',
        [from],
      );
    const [browser, os, platform, location] = facts;
    await eventually(findRows).toEqual([{ browser, os, platform, location, user_agent: userAgent }]);
  });
});
