// The background jobs of a whole service, each run once: what has expired is deleted, and nothing else is.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority } from '../../../../test/rig/certificates.ts';
import { startFalseDirectory } from '../../../../test/rig/false-directory.ts';
import { encrypt } from '../../src/base/secrets/encryption.ts';
import { writeRevision } from '../../src/cluster/revision-store.ts';
import { findDeployment } from '../../src/cluster/store/deployment.ts';
import { referenceOf, signErasureAuthorization } from '../../src/people/erasure/erasure-authorization.ts';
import { type ComposedWorld, composeWorld } from './compose-world.ts';
import { type Expiry, expiries, lasting, seed, seeded } from './expiring-rows.ts';

let world: ComposedWorld;
const rowsOf = async <Row>(statement: string): Promise<Row[]> =>
  (await sql.raw<Row>(statement).execute(world.database.store)).rows;
const run = async (statement: string) => void (await rowsOf(statement));

beforeAll(async () => {
  world = await composeWorld();
  await run(seed);
});
afterAll(() => world.remove());

interface TimeColumn {
  readonly name: string;
  readonly type: string;
}

/** Those of partitions are those of their table. */
const listTimeColumns = () =>
  rowsOf<TimeColumn>(`
    select columns.table_name || '.' || column_name as name, udt_name as type
    from information_schema.columns
    join pg_class on pg_class.oid = format('%I.%I', table_schema, columns.table_name)::regclass
    where table_schema = current_schema() and udt_name in ('timestamptz', 'timestamp', 'date')
      and relkind in ('r', 'p') and not relispartition
    order by 1`);

const columnOf = ({ table, column }: Expiry) => `${table}.${column}`;
const titleOf = (expiry: Expiry) => [columnOf(expiry), expiry.where].filter(Boolean).join(' where ');

async function countOf({ table, column, keptFor, where = 'true' }: Expiry): Promise<[number, number]> {
  const [row] = await rowsOf<{ expired: number; live: number }>(`
    select count(*) filter (where ${column} <= now() - interval '${keptFor}')::int as expired,
      count(*) filter (where ${column} > now() - interval '${keptFor}')::int as live
    from ${table} where ${where}`);
  return [row?.expired ?? 0, row?.live ?? 0];
}

describe('rows that expire', () => {
  const before = new Map<Expiry, [number, number]>();
  beforeAll(async () => {
    const columns = new Map((await listTimeColumns()).map(({ name, type }) => [name, type]));
    for (let written = 0; written < 3; written += 1)
      await world.database.store.transaction().execute((transaction) => writeRevision(transaction, []));
    let n = 0;
    for (const expiry of expiries) {
      const byDay = expiry.byDay ?? columns.get(columnOf(expiry)) === 'date';
      const margin = byDay ? '1 day' : '5 minutes';
      const limit = `(now() - interval '${expiry.keptFor}')`;
      for (const at of [`${limit} - interval '1 second'`, `${limit} + interval '${margin}'`]) {
        n += 1;
        await run(expiry.insert(`(${at})`, n));
      }
    }
    for (const expiry of expiries) before.set(expiry, await countOf(expiry));
    await world.runJobs();
  });

  it('are those of every column of the schema that holds a time, or it is listed why not', async () => {
    const columns = (await listTimeColumns()).map(({ name }) => name);
    const listed = [...new Set(expiries.map(columnOf)), ...Object.keys(lasting)];
    expect(listed.toSorted()).toEqual(columns.toSorted());
  });

  it.each(expiries.map((expiry) => [titleOf(expiry), expiry] as const))(
    'of %s are deleted, and no others are',
    async (_title, expiry) => {
      const [expired = 0, live = 0] = before.get(expiry) ?? [];
      expect(Math.min(expired, live)).toBeGreaterThan(0);
      expect(await countOf(expiry)).toEqual([0, live]);
    },
  );

  it('leave no job that fails', () => {
    expect(world.warnings.filter(({ msg }) => msg === 'a background job failed')).toEqual([]);
  });
});

describe('an erasure that an instance left open', () => {
  it('is finished by the next run of the jobs', async () => {
    const { store } = world.database;
    const [key] = world.config.chainKeys;
    const [account] = await rowsOf<{ createdAt: string }>(`
      update users set deleted_at = now(), username = 'left-open', canonical_username = 'left-open'
      where id = ${seeded.otherUser} returning created_at::text as "createdAt"`);
    const deployment = await findDeployment(store);
    const reference = referenceOf(key, deployment, {
      userId: seeded.otherUser,
      createdAt: account?.createdAt ?? '',
    });
    const authorization = { id: randomUUID(), userId: seeded.otherUser, reference, at: new Date() };
    const signature = signErasureAuthorization(key, deployment, authorization);
    await store
      .insertInto('erasures')
      .values({
        id: authorization.id,
        user_id: authorization.userId,
        reference,
        at: authorization.at,
        signature,
      })
      .execute();
    await world.runJobs();
    const open = await store
      .selectFrom('erasures')
      .select('user_id')
      .where('finished_at', 'is', null)
      .execute();
    expect(open).toEqual([]);
    expect(await rowsOf(`select id from users where username = 'left-open'`)).toEqual([]);
  });
});

describe('a person who is missing from a directory', () => {
  it('has no session after the run of the jobs in which a recheck is due', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portcullis-recheck-'));
    const authority = await createAuthority(folder);
    const directory = await startFalseDirectory({ certificate: await authority.issue('localhost') });
    try {
      const settings = {
        url: directory.url,
        ca: authority.certificate,
        dialect: 'ldap',
        bindDn: 'cn=reader',
        baseDn: 'dc=example',
      };
      const id = seeded.provider + 1;
      const sealed = encrypt(
        Buffer.from('reader password'),
        world.config.masterKey.sealing,
        `secret of provider ${id}`,
      );
      await run(`
        insert into providers (id, key, kind, name, enabled, settings, sealed_secret) overriding system value
          values (${id}, 'directory', 'ldap', 'Directory', true, '${JSON.stringify(settings).replaceAll("'", "''")}',
            '\\x${sealed.toString('hex')}');
        insert into credentials (id, user_id, kind, factor, provider_id, subject, confirmed_at) overriding system value
          values (901, ${seeded.user}, 'link', 1, ${id}, 'gone', now());
        insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, provider_id, provider_epoch,
            link_id, began_at)
          select 'by directory', ${seeded.user}, 'sweeper', 'kid', epoch, now(), now() + interval '1 hour', 'ldap', ${id},
            (select epoch from providers where id = ${id}), 901, now() from users where id = ${seeded.user}`);
      await world.runJobs();
      expect(directory.asked.map(({ operation }) => operation)).toContain('search');
      const ended = await rowsOf(`select jti from sessions where jti = 'by directory' and jti not in
        (select jti from revocations) and epoch >= (select epoch from users where id = user_id)`);
      expect(ended).toEqual([]);
    } finally {
      await directory.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
