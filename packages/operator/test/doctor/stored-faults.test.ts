// `portcullis doctor` as a process finds every fault that is planted in Postgres, and says what to do; without them the
// system is all green, also when they have been taken back.
import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { encrypt } from '@portcullis/server/base/secrets/encryption.ts';
import { encodeFrame } from '@portcullis/server/logs/login-log/spool/frame.ts';
import { spoolRoot } from '@portcullis/server/logs/login-log/spool/owner.ts';
import { createSegment, writeThrough } from '@portcullis/server/logs/login-log/spool/segment.ts';
import { publishedPasswordHashes } from '@portcullis/server/people/passwords/published-passwords.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sealingKey } from '../../../../test/rig/master-key.ts';
import { startPgBouncer } from '../../../../test/rig/pgbouncer.ts';
import { createDoctorWorld, type DoctorWorld, serviceRole } from './doctor-world.ts';

// A process takes a second to start, and many where others use the machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

let world: DoctorWorld;
let expectFaults: DoctorWorld['expectFaults'];
beforeAll(async () => {
  world = await createDoctorWorld();
  ({ expectFaults } = world);
});
afterAll(() => world.close());

/** Runs statements of the superuser, and takes them back however the rest ends. */
async function withStatements(
  plant: readonly string[],
  undo: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  try {
    for (const text of plant) await world.query(text);
    await work();
  } finally {
    for (const text of undo) await world.query(text);
  }
}

/** With a secret that the key seals. */
const addApp = (userId: number, key: Buffer) => {
  const sealed = encrypt(randomBytes(20), key, `totp of user ${userId}`).toString('hex');
  return `insert into credentials (user_id, kind, factor, sealed_secret, confirmed_at)
    values (${userId}, 'totp', 2, '\\x${sealed}', now())`;
};

const reload = 'select pg_reload_conf()';

describe('faults of Postgres', () => {
  it('that is down are found, and the other checks run', async () => {
    const ended = await expectFaults(
      { settings: { DATABASE_URL: world.urlOf('somebody:hunter2-canary', 1) } },
      { server: ['✖', /ECONNREFUSED.*DATABASE_URL.*the server runs/] },
    );
    expect(ended.stdout.replace(/\s+/g, ' ')).toContain('skipped: no connection to Postgres');
    expect(ended.lines.get('master key')?.sign).toBe('✔');
    expect(ended.stdout).not.toContain('hunter2');
  });

  it('in the connection to it are found', async () => {
    await expectFaults(
      { settings: { DATABASE_URL: 'postgres://portcullis@db.invalid/portcullis' } },
      { server: ['✖', /ENOTFOUND|EAI_AGAIN|timeout/], TLS: ['✖', /sslmode=verify-full/] },
    );
  });

  it('that loses acknowledged writes, and accepts no writes, are found', async () => {
    await withStatements(
      [
        'alter system set fsync = off',
        'alter system set full_page_writes = off',
        `alter system set synchronous_standby_names = ''`,
        reload,
        `alter role ${serviceRole} set synchronous_commit = off`,
        `alter role ${serviceRole} set default_transaction_read_only = on`,
      ],
      [
        `alter role ${serviceRole} reset all`,
        'alter system set fsync = on',
        'alter system set full_page_writes = on',
        `alter system set synchronous_standby_names = '*'`,
        reload,
      ],
      async () => {
        const ended = await expectFaults(
          {},
          {
            durability: ['✖', /alter system set fsync = on.*full_page_writes = on.*synchronous_commit = on/],
            replication: ['!', /portcullis recover.*synchronous_standby_names/],
            writable: ['✖', /reset default_transaction_read_only/],
          },
        );
        // A doctor that wrote anything would stumble here.
        expect(ended.stdout).toMatch(/\n 38 well, 1 to look at, 2 wrong\.\n$/);
      },
    );
  });

  it('behind a pooler that shares sessions are found', async () => {
    const bouncer = await startPgBouncer(world.urlOf(serviceRole), 'transaction');
    try {
      await expectFaults(
        { settings: { DATABASE_URL: bouncer.url } },
        { sessions: ['✖', /pool_mode = session/] },
      );
    } finally {
      await bouncer.stop();
    }
  });

  it('that is a standby are found', async () => {
    await expectFaults(
      { settings: { DATABASE_URL: world.urlOf(serviceRole, world.pair.standby?.port) } },
      { writable: ['✖', /lead to the primary/] },
    );
  });

  it('by its role are found: one with too many rights, and one with too few', async () => {
    await expectFaults(
      { settings: { DATABASE_URL: world.urlOf('postgres') } },
      { 'service role': ['!', /createuser portcullis.*migrate --service-role/] },
    );
    await withStatements(
      [`revoke update on users from ${serviceRole}`],
      [`grant update on users to ${serviceRole}`],
      async () => {
        const { lines } = await expectFaults(
          {},
          { 'service role': ['✖', /migrate --service-role portcullis_service/] },
        );
        expect(lines.get('service role')?.text).toBe('portcullis_service lacks update on users');
      },
    );
  });

  it('whose tables are older than the program are found, and prevent no other check', async () => {
    await withStatements(
      [
        `create table kept as select * from kysely_migration where name = '0009-audit'`,
        `delete from kysely_migration where name = '0009-audit'`,
      ],
      ['insert into kysely_migration select * from kept', 'drop table kept'],
      async () => {
        const ended = await expectFaults({}, { migrations: ['✖', /Run `portcullis migrate`/] });
        expect(ended.stdout).toMatch(/skipped:\s+the database lacks\s+tables/);
      },
    );
  });
});

describe('faults of what is stored', () => {
  it('are found: months, rejected records, instances, a newer database, a default password', async () => {
    const [row] = (await world.query('select id from deployment')) as { id: string }[];
    const spoolFolder = join(world.folder, 'left');
    const left = join(spoolRoot(spoolFolder, row?.id ?? ''), 'ended');
    await mkdir(left, { recursive: true });
    const segment = await createSegment({ folder: left, number: 1 });
    await writeThrough(segment, encodeFrame('{}', 1), 0);
    await segment.close();
    const months = (await world.query(
      `select relname as name from pg_class where relname ~ '^login_log_\\d{4}_\\d{2}$' and relkind = 'r' and
        relname > to_char((now() at time zone 'UTC') + interval '1 month', '"login_log_"YYYY_MM')`,
    )) as { name: string }[];
    await withStatements(
      [
        ...months.map(({ name }) => `drop table ${name}`),
        `create table login_log_2020_01 partition of login_log
          for values from ('016f5e66-e800-7000-8000-000000000000') to ('016f5e66-e801-7000-8000-000000000000')`,
        `insert into login_log_dead_letters select gen_random_uuid(), gen_random_uuid(), 1, '', '', 'a test'`,
        `insert into instances (id, version, mode, revision, renewed_at)
          select gen_random_uuid(), '0', 'gone', 0, now() - interval '1 hour'`,
        `insert into kysely_migration values ('9999-later', now()::text)`,
        'update users set password_due = true',
      ],
      [
        'select make_login_log_partitions(12)',
        'drop table login_log_2020_01',
        'delete from login_log_dead_letters',
        `delete from instances where mode = 'gone'`,
        `delete from kysely_migration where name = '9999-later'`,
        'update users set password_due = false',
      ],
      async () => {
        const options = { settings: { LOGGER_RETENTION_MONTHS: '12', LOGGER_SPOOL_FOLDER: spoolFolder } };
        const faults = {
          'left in the spool': ['!', /Start an instance on this host/],
          'months ahead': ['!', /portcullis log maintain/],
          retention: ['!', /portcullis log maintain/],
          'dead letters': ['!', /login_log_dead_letters/],
          instances: ['!', /waits a lease/],
          migrations: ['!', /program of the release/],
          'their passwords': ['!', /choose a password/],
        } as const;
        const ended = await expectFaults(options, faults);
        expect(ended.stdout).toMatch(/\n 34 well, 7 to look at\.\n$/);
        expect((await world.run({ ...options, words: ['--strict'] })).code).toBe(1);
      },
    );
  });

  it('are found: months of the audit log past their retention', async () => {
    await withStatements(
      [`insert into audit_log_chain (seq, id, hash, at) select 1, gen_random_uuid(), '', '2020-01-15'`],
      ['delete from audit_log_chain where seq = 1'],
      async () => {
        const settings = { LOGGER_AUDIT_RETENTION_MONTHS: '12' };
        const { stdout } = await expectFaults({ settings }, { retention: ['!', /portcullis log maintain/] });
        expect(stdout).toContain('records of the audit log older than 12 months');
      },
    );
  });

  it('are found: changes that a failover or a restored backup lost', async () => {
    await withStatements(
      ['update current_revision set history_lost_at = now()'],
      ['update current_revision set history_lost_at = null'],
      async () => {
        await expectFaults({}, { history: ['✖', /Run `portcullis recover`.*backup\.md/] });
      },
    );
  });

  it('are found: a published password, and instances of several modes', async () => {
    await withStatements(
      [
        `insert into users (id, username, canonical_username, department_id, role_id, password_hash)
          select 999, 'old', 'old', department_id, 1, '${publishedPasswordHashes[0]}' from users limit 1`,
        `insert into instances (id, version, mode, revision) select gen_random_uuid(), '0.1.0', 'dev', 0`,
      ],
      ['delete from users where id = 999', `delete from instances where mode = 'dev'`],
      async () => {
        await expectFaults(
          {},
          {
            'their passwords': ['✖', /`old` has a published default password. Set another/],
            instances: ['✖', /same `application\.mode`/],
          },
        );
      },
    );
  });

  it('are found: no administrator who can log in, no signing key, no month to write to', async () => {
    const [month] = (await world.query(
      `select to_char(now() at time zone 'UTC', '"login_log_"YYYY_MM') as name`,
    )) as { name: string }[];
    await withStatements(
      [
        'update users set enabled = false',
        'update keys set signing = false',
        `alter table ${month?.name} rename to login_log_away`,
      ],
      [
        `alter table login_log_away rename to ${month?.name}`,
        'update keys set signing = true',
        'update users set enabled = true',
      ],
      async () => {
        await expectFaults(
          {},
          {
            administrators: ['✖', /portcullis user/],
            'signing key': ['✖', /Restart an instance/],
            'months ahead': ['✖', /portcullis log maintain/],
          },
        );
      },
    );
  });

  it('are found: keys and secrets that cannot be decrypted, or are encrypted with the previous master key', async () => {
    const other = randomBytes(32).toString('hex');
    const previous = world.settings.AUTH_MASTER_KEY ?? '';
    await withStatements([addApp(1, sealingKey)], ['delete from credentials'], async () => {
      expect((await world.run()).lines.get('second factors')).toEqual({
        sign: '✔',
        text: 'authenticator apps: 1, open with the master key',
        remedy: '',
      });
      const closed = await expectFaults(
        { settings: { AUTH_MASTER_KEY: other } },
        {
          'signing key': ['✖', /cannot be decrypted with this master key.*portcullis recover/],
          'second factors': ['✖', /auth\.previousMasterKey.*signing-keys reseal.*user reset-factors/],
        },
      );
      expect(closed.lines.get('second factors')?.text).toBe(
        '1 of 1 authenticator apps cannot be decrypted: admin',
      );
      await expectFaults(
        { settings: { AUTH_MASTER_KEY: other, AUTH_PREVIOUS_MASTER_KEY: previous } },
        {
          'master key': ['!', /signing-keys reseal.*remove `auth\.previousMasterKey`/],
          'signing key': ['!', /signing-keys reseal/],
          'second factors': ['!', /signing-keys reseal/],
        },
      );
    });
  });

  it('are found: webhooks with dead deliveries, with events swept before delivery, without logins, and with an unreadable secret', async () => {
    await withStatements(
      [
        `insert into webhooks (id, name, url, kinds, sealed_secret, audit_seq, gone) overriding system value
          values (901, 'SIEM', 'https://siem.example.com', '{login.*}', '', 0, 3)`,
        `insert into webhook_letters (hook_id, log, record_id, kind, object, recorded_at, state)
          values (901, 'audit', gen_random_uuid(), 'user.create', 'user 7', now(), 'dead')`,
      ],
      ['delete from webhooks'],
      async () => {
        const { lines } = await expectFaults(
          {},
          {
            webhooks: [
              '✖',
              /signing-keys reseal.*webhook rotate.*webhook deliveries 901.*auditRetentionMonths/,
            ],
          },
        );
        expect(lines.get('webhooks')?.text).toBe(
          'the secrets of webhook 901 cannot be decrypted; 1 dead letter of webhook 901; the log records of 3 events of webhook 901 were deleted before their delivery',
        );
      },
    );
  });

  it('are found: a passkey that is required where passkeys are off, and people without a required factor', async () => {
    const people = [901, 902, 903, 904, 905, 906, 907, 908];
    await withStatements(
      [
        `insert into roles (id, role_key, name, data_scope, factor)
          values (901, 'vault', 'Vault', '5', 3), (902, 'till', 'Till', '5', 2), (903, 'door', 'Door', '5', 1)`,
        ...people.map(
          (id) =>
            `insert into users (id, username, canonical_username, department_id, role_id, password_hash, enabled)
              select ${id}, 'u${id}', 'u${id}', department_id, ${id === 908 ? 903 : 902}, '', ${id !== 907} from users limit 1`,
        ),
        // Encrypted with another key: no code of these apps can be checked.
        ...people.slice(0, 4).map((id) => addApp(id, randomBytes(32))),
      ],
      ['delete from credentials', 'delete from users where id > 900', 'delete from roles where id > 900'],
      async () => {
        const { lines } = await expectFaults(
          {},
          {
            'second factors': [
              '✖',
              /somebody wrote to the database.*mfa\.passkeyDomain.*role required-factor <role> 2.*at the next login/,
            ],
          },
        );
        // u905 and u906: one more is disabled, and of one nothing is demanded.
        expect(lines.get('second factors')?.text).toBe(
          '4 of 4 authenticator apps cannot be decrypted: u901, u902, u903, u904; passkeys are off, and required by vault; required of 2 who have none yet',
        );
        await world.query('delete from credentials');
        const on = await world.run({ settings: { MFA_PASSKEY_DOMAIN: 'example.com' } });
        expect(on.lines.get('second factors')).toMatchObject({
          sign: '!',
          text: 'required of 6 who have none yet',
        });
      },
    );
  });
});

describe('a healthy system', () => {
  it('is all green after everything that was planted, and says so to scripts by ids that stay', async () => {
    const { code, stdout } = await world.run({ words: ['--json', '--strict'] });
    const report = JSON.parse(stdout) as { checks: { id: string; status: string }[] };
    expect(report).toMatchObject({ well: 41, warning: 0, wrong: 0, skipped: 0 });
    expect(code).toBe(0);
    expect(report.checks.map(({ id }) => id).join(' ')).toBe(
      [
        'mode settings secret-files master-key trusted-proxies exclusions origins decision-listener ops-listener',
        'node threads open-files ports hash-cost',
        'postgres postgres-version transport writable sessions durability replication clock migrations history connections service-role',
        'signing-key administrators passwords instances',
        'second-factors directories mail',
        'login-log spool spool-left partitions retention anchors dead-letters webhooks',
      ].join(' '),
    );
  });

  it('without its standby waits for ever, and that is found', async () => {
    await world.pair.standby?.stopFast();
    try {
      await expectFaults(
        {},
        { replication: ['!', /one lease later every check is refused.*ANY 1 \(a, b\)/] },
      );
      await world.otherStandby.stopFast();
      await expectFaults({}, { replication: ['✖', /Start the standby/] });
    } finally {
      if (world.otherStandby.pid === undefined) await world.otherStandby.start();
      await world.pair.standby?.start();
    }
  });
});
