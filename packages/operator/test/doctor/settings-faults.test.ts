// `portcullis doctor` as a process finds every fault that is planted in the settings or on the host, and says what to do.
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { settingsChecks } from '../../src/doctor/settings-checks.ts';
import { createDoctorWorld, type DoctorWorld, type Ended } from './doctor-world.ts';

// A process takes a second to start, and many where others use the machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let world: DoctorWorld;
let expectFaults: DoctorWorld['expectFaults'];
beforeAll(async () => {
  world = await createDoctorWorld();
  ({ expectFaults } = world);
});
afterAll(() => world.close());

describe('a healthy system', () => {
  it('is all green, on one screen', () => {
    const { healthy } = world;
    expect(healthy).toMatchObject({ code: 0, stderr: '' });
    expect(healthy.stdout).toMatch(/\n 41 well\.\n$/);
    // The screen does not divide a path. A copy of the tree has a longer folder of temporary files, so paths count as if in /tmp.
    const inTmp = join('/tmp', basename(world.folder));
    const lines = healthy.stdout.trimEnd().replaceAll(world.folder, inTmp).split('\n');
    expect(lines.length).toBeLessThanOrEqual(45);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('faults of the settings', () => {
  it('that prevent a start are found all at once, without a secret in the output', async () => {
    const urlFile = join(world.folder, 'url');
    await writeFile(urlFile, world.settings.DATABASE_URL?.replace('@', ':hunter2-canary@') ?? '', {
      mode: 0o644,
    });
    const secret = 'decision-canary';
    const { stdout, stderr } = await expectFaults(
      {
        settings: {
          APLICATION_PORT: '8000',
          AUTH_MASTER_KEY: '00'.repeat(32),
          DATABASE_URL_FILE: urlFile,
          APPLICATION_TRUSTED_PROXIES: '["0.0.0.0/0"]',
          PERMISSION_EXCLUSIONS: '["GET /api/v1/users", "GET /api/v1/none"]',
          APPLICATION_ALLOWED_ORIGINS: '["*"]',
          DECISION_SECRET: secret,
          LOGGER_ANCHOR_URL: 'http://elsewhere.example/url-canary',
          HASH_MEMORY_KIBIBYTES: '1024',
          HASH_PASSES: '99',
        },
      },
      {
        settings: ['✖', /APLICATION_PORT is not a setting. Did you mean APPLICATION_PORT.*hash\.passes/],
        'files of secrets': ['✖', /DATABASE_URL_FILE.*chmod 600/],
        'master key': ['✖', /published key.*openssl rand -hex 32/],
        'trusted proxies': ['✖', /"0\.0\.0\.0\/0".*Write it like/],
        anchors: ['✖', /logger\.anchorUrl.*https/],
        'exclusion list': [
          '✖',
          /GET \/api\/v1\/users.*every role could call it.*GET \/api\/v1\/none.*not an endpoint/,
        ],
        'cookie and origins': ['✖', /"\*".*Write only scheme, host and port/],
        'decision listener': ['✖', /easy to guess.*openssl rand/],
        'hash cost': ['✖', /at least 7168/],
        'signing key': [
          '✖',
          /cannot be decrypted with this master key.*auth\.masterKey.*portcullis recover.*backup\.md/,
        ],
      },
    );
    for (const canary of ['hunter2-canary', secret, '0000000000'])
      expect(stdout + stderr).not.toContain(canary);
  });

  it('that do not prevent a start are found too', async () => {
    const file = join(world.folder, 'portcullis.yaml');
    await writeFile(file, `auth:\n  masterKey: ${world.settings.AUTH_MASTER_KEY}\n`, { mode: 0o644 });
    await expectFaults(
      {
        words: ['--config', file],
        behind: ['prlimit', '--nofile=1024:1024', '--'],
        settings: {
          APPLICATION_TRUSTED_PROXIES: '["0.0.0.0/1", "128.0.0.0/1"]',
          APPLICATION_ALLOWED_ORIGINS: '["http://admin.example.com"]',
          DECISION_SECRET: 'c4bd0ef83d6b47f2918ea5107c3d9e26',
          DECISION_HOST: '0.0.0.0',
          OPS_HOST: '0.0.0.0',
          APPLICATION_COMPATIBILITY: 'go-admin',
          UV_THREADPOOL_SIZE: '1',
          HASH_CONCURRENCY: '64',
          HASH_MEMORY_KIBIBYTES: '1048576',
          DATABASE_POOL_SIZE: '100',
          LOGGER_SPOOL_FOLDER: '/dev/shm/portcullis-spool',
          LOGGER_ANCHOR_FOLDER: '',
        },
      },
      {
        'files of secrets': ['✖', /auth\.masterKey.*chmod 600/],
        'trusted proxies': ['✖', /choose its address.*List only your proxies/],
        'cookie and origins': ['!', /HTTPS and correct `application\.allowedOrigins`/],
        'decision listener': ['!', /decision\.host/],
        'ops listener': ['!', /ops\.host/],
        mode: ['!', /The specification has 401.*application\.compatibility/],
        threads: ['!', /Remove UV_THREADPOOL_SIZE/],
        'open files': ['!', /LimitNOFILE/],
        'hash cost': ['!', /hash\.concurrency/],
        connections: ['!', /max_connections.*database\.poolSize/],
        spool: ['✖', /local disk.*logger\.spoolFolder/],
        anchors: ['!', /logger\.anchorFolder.*logger\.anchorUrl/],
      },
    );
  });

  it('that switch off checks or records are found', async () => {
    const ended = await expectFaults(
      { settings: { APPLICATION_MODE: 'dev', APPLICATION_HOST: '0.0.0.0', LOGGER_ENABLEDDB: 'false' } },
      {
        mode: ['✖', /Never leave dev open.*application\.mode/],
        'login log': ['!', /logger\.enableddb/],
      },
    );
    expect(ended.stdout).toContain('skipped: the login log is off');
  });

  it('count the connections of an instance, and none for guards', async () => {
    const textOf = (ended: Ended) => ended.lines.get('connections')?.text;
    expect(textOf(world.healthy)).toMatch(/^13 an instance/);
    const guarded = await world.run({ settings: { DECISION_SECRET: 'c4bd0ef83d6b47f2918ea5107c3d9e26' } });
    expect(textOf(guarded)).toMatch(/^13 an instance/);
  });

  it('show the address that would be logged', async () => {
    const ended = await world.run({
      settings: { APPLICATION_TRUSTED_PROXIES: '["10.0.3.0/24", "fd00::1"]' },
    });
    expect(ended.lines.get('trusted proxies')).toMatchObject({
      sign: '✔',
      text: expect.stringMatching(
        /^10\.0\.3\.0\/24, "198\.51\.100\.66, 203\.0\.113\.7": logs 203\.0\.113\.7 fd00::1, .* logs 2001:db8::7$/,
      ),
    });
  });
});

describe('trusted proxies that a client is among', () => {
  const run = settingsChecks.find(({ id }) => id === 'trusted-proxies')?.run;
  const statusOf = async (...trustedProxies: string[]) => {
    const config = { trustedProxies, listen: { host: '0.0.0.0' }, devKeys: false };
    return (await run?.({ config } as never))?.status;
  };

  it.each(['10.0.0.0/8', '10.42.0.0/16', '172.16.0.0/12', '192.168.0.0/16', '8.0.0.0/5', 'fd00::/8'])(
    'are found in %s',
    async (range) => {
      expect(await statusOf(range)).toBe('wrong');
      expect(await statusOf('10.0.0.5', range)).toBe('wrong');
    },
  );

  it.each(['10.0.0.5', '10.0.3.0/24', '104.16.0.0/13', '127.0.0.0/8', 'fd00::5', '2606:4700::/32'])(
    'are not found in %s',
    async (range) => {
      expect(await statusOf(range)).toBe('well');
    },
  );
});

describe('faults of the host', () => {
  it('are found: a proxy that hides the clients, ports in use, a spool that is missing or full', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as { port: number }).port);
    try {
      await expectFaults(
        {
          settings: {
            APPLICATION_HOST: '127.0.0.1',
            APPLICATION_PORT: port,
            OPS_PORT: port,
            LOGGER_SPOOL_FOLDER: join(world.folder, 'none'),
          },
        },
        {
          'trusted proxies': ['!', /its address for all users.*application\.trustedProxies/],
          ports: ['!', /Stop what listens there, or set `application\.port`, `ops\.port`/],
          spool: ['!', /mount the disk/],
        },
      );
    } finally {
      other.close();
    }
    await expectFaults(
      {
        settings: { LOGGER_SPOOL_MEGABYTES: '1048576' },
        words: ['--config', join(world.folder, 'none.yaml')],
      },
      {
        settings: ['✖', /none\.yaml does not exist. Create it/],
        spool: ['!', /Make room on that disk, or lower `logger\.spoolMegabytes`/],
      },
    );
  });

  it('are found: a spool that its user may not write to', async () => {
    const spool = join(world.folder, 'closed');
    await mkdir(spool);
    await chmod(spool, 0o500);
    await chmod(world.folder, 0o755);
    // To root nothing is closed.
    const behind =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : [];
    const ended = await expectFaults(
      { behind, settings: { LOGGER_SPOOL_FOLDER: spool } },
      { spool: ['✖', /logger\.spoolFolder/] },
    );
    expect(ended.lines.get('spool')?.text).toMatch(/cannot be written to by this user \(EACCES\)/);
  });

  it.skipIf(findFakeTime() === undefined)('are found: a wrong clock', async () => {
    const behind = ['env', `LD_PRELOAD=${findFakeTime()}`, 'FAKETIME=-30', 'FAKETIME_DONT_FAKE_MONOTONIC=1'];
    await expectFaults({ behind }, { clock: ['✖', /[23]\d\.\d s\..*NTP/] });
  });
});

function findFakeTime(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
}
