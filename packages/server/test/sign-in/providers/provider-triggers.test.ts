// What the database itself keeps of providers, whichever version of this service writes: which sessions it stores, when
// invitations end, and whether a provider decides about an account.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import {
  insertLink,
  openInvitation,
  recordProviderLogout,
} from '../../../src/sign-in/providers/link-store.ts';
import { insertProvider, raiseProviderEpoch } from '../../../src/sign-in/providers/provider-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const [mei, kim] = [7, 8];
let sso: number;
let other: number;
let directory: number;
beforeEach(async () => {
  const { store } = database;
  for (const table of ['sessions', 'credentials', 'recovery_codes', 'enrolment_codes', 'link_invitations'])
    await sql`delete from ${sql.table(table)}`.execute(store);
  await sql`delete from providers`.execute(store);
  await sql`update users set password_hash = '$', decided_by_provider = false, enabled = true, deleted_at = null,
    epoch = 1`.execute(store);
  [sso, other, directory] = [await add('sso'), await add('other'), await add('directory', 'ldap')];
});

const write = <T>(work: (transaction: StoreTransaction) => Promise<T>) =>
  database.store.transaction().execute(work);
const change = (text: string) => sql`${sql.raw(text)}`.execute(database.store);

async function add(key: string, kind: 'oidc' | 'ldap' = 'oidc'): Promise<number> {
  return await write(async (transaction) => {
    const id = await insertProvider(transaction, {
      ...{ key, kind, name: key, provisioning: 'linked', roleId: null, departmentId: null },
      settings: { issuer: 'https://sso.example', clientId: key, redirectUri: `https://a.example/${key}` },
      isDefault: false,
      lifetimeSeconds: null,
    });
    await raiseProviderEpoch(transaction, id, true);
    return id;
  });
}

const link = (userId: number, providerId: number) =>
  write((transaction) =>
    insertLink(transaction, { userId, providerId, subject: `sub ${userId}`, name: `${userId}` }),
  );

interface NewSession {
  readonly userId?: number;
  readonly providerId?: number | null;
  readonly linkId?: number | null;
  readonly session?: string | null;
  readonly epoch?: number;
}

/** `stored`, or the code of the refusal. */
async function store({
  userId = mei,
  providerId = null,
  linkId = null,
  session = null,
  epoch = 2,
}: NewSession): Promise<string> {
  return await sql`insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, method, factor,
      provider_id, provider_epoch, provider_session, link_id, began_at)
    values (${randomUUID()}, ${userId}, 'editor', 'k', 1, now(), now() + interval '1 hour', 'oidc', 1, ${providerId},
      ${epoch}, ${session}, ${linkId}, clock_timestamp())`
    .execute(database.store)
    .then(
      () => 'stored',
      ({ code }: { code?: string }) => String(code),
    );
}

const refused = 'PF002';

describe('a session by a provider is refused', () => {
  it.each<[what: string, work: () => Promise<NewSession>]>([
    ['without a link', async () => ({ providerId: sso })],
    ['without its provider', async () => ({ linkId: await link(mei, sso) })],
    ['by the link of another user', async () => ({ providerId: sso, linkId: await link(kim, sso) })],
    ['by a link to another provider', async () => ({ providerId: sso, linkId: await link(mei, other) })],
    [
      'by a link that was not confirmed',
      async () => {
        const linkId = await link(mei, sso);
        await change('update credentials set confirmed_at = null');
        return { providerId: sso, linkId };
      },
    ],
    [
      'by a link that has ended',
      async () => {
        const linkId = await link(mei, sso);
        await change('update credentials set ended_at = now()');
        return { providerId: sso, linkId };
      },
    ],
    [
      'of a provider that is disabled',
      async () => {
        const linkId = await link(mei, sso);
        await change(`update providers set enabled = false where id = ${sso}`);
        return { providerId: sso, linkId };
      },
    ],
    [
      'of a provider that was asked before it changed',
      async () => ({ providerId: sso, linkId: await link(mei, sso), epoch: 1 }),
    ],
  ])('%s', async (_what, work) => {
    expect(await store(await work())).toBe(refused);
  });

  it('by the provider’s logout of its session, of its subject, or of the subject’s sessions without a name', async () => {
    const linkId = await link(mei, sso);
    const attempt = (session: string | null) => store({ providerId: sso, linkId, session });
    const note = (providerId: number, kind: 'session' | 'subject' | 'unnamed', value: string) =>
      write((transaction) => recordProviderLogout(transaction, { providerId, kind, value }));
    const began = sql`update provider_logouts set ended_at = now() + interval '1 minute'`;
    const outcomes = async () => [await attempt('sid'), await attempt('sid 2'), await attempt(null)];
    // Of other providers, sessions and people.
    await note(other, 'session', 'sid');
    await note(other, 'subject', 'sub 7');
    await note(sso, 'session', 'sid 3');
    await note(sso, 'subject', 'sub 8');
    await note(sso, 'subject', 'sid');
    await note(sso, 'session', 'sub 7');
    await began.execute(database.store);
    expect(await outcomes()).toEqual(['stored', 'stored', 'stored']);
    await note(sso, 'unnamed', 'sub 7');
    await began.execute(database.store);
    expect(await outcomes()).toEqual(['stored', 'stored', refused]);
    await note(sso, 'session', 'sid');
    expect(await outcomes()).toEqual([refused, 'stored', refused]);
    await note(sso, 'subject', 'sub 7');
    await change("update provider_logouts set ended_at = now() - interval '1 minute'");
    expect(await outcomes(), 'before it began').toEqual([refused, 'stored', 'stored']);
    await began.execute(database.store);
    expect(await outcomes()).toEqual([refused, refused, refused]);
  });
});

describe('an invitation', () => {
  const invite = (userId: number) =>
    write((transaction) =>
      openInvitation(transaction, {
        ...{ userId, providerId: sso, hash: randomBytes(32) },
        expiresAt: new Date(Date.now() + 60_000),
      }),
    );
  const invited = async () =>
    (
      await sql<{ user_id: number }>`select user_id::int from link_invitations order by 1`.execute(
        database.store,
      )
    ).rows.map(({ user_id }) => user_id);

  it.each([
    ['a password is set', "password_hash = '$new', epoch = epoch + 1"],
    ['the account is disabled', 'enabled = false'],
    ['the account is deleted', 'deleted_at = now()'],
  ])('ends where %s, and that of another person stays', async (_what, set) => {
    await invite(mei);
    await invite(kim);
    await change(`update users set ${set} where id = ${mei}`);
    expect(await invited()).toEqual([kim]);
  });

  it.each([
    ['a login stores a stronger hash', "password_hash = '$stronger'"],
    ['all sessions end', 'epoch = epoch + 1, password_hash = password_hash'],
    ['an account is enabled', 'enabled = true', 'enabled = false'],
    ['an account stays enabled', 'enabled = true'],
    ['an account stays disabled', 'enabled = false', 'enabled = false'],
    ['an account comes back', 'deleted_at = null', 'deleted_at = now()'],
    ['an account stays deleted', 'deleted_at = now()', 'deleted_at = now()'],
  ])('stays where %s', async (_what, set, before = 'enabled = true') => {
    await change(`update users set ${before} where id = ${mei}`);
    await invite(mei);
    await change(`update users set ${set} where id = ${mei}`);
    expect(await invited()).toEqual([mei]);
  });
});

it('ends the credentials of a deleted person, once, and of no other person', async () => {
  const add = async (userId: number) => {
    await change(`insert into recovery_codes (user_id, hash) values (${userId}, '1')`);
    await change(`insert into enrolment_codes (user_id, hash, expires_at) values (${userId}, '1', now())`);
  };
  const left = async () => {
    const { rows } = await sql<{ user_id: number }>`
      select user_id::int from credentials union all select user_id::int from recovery_codes
      union all select user_id::int from enrolment_codes`.execute(database.store);
    return rows.map(({ user_id }) => user_id);
  };
  for (const userId of [mei, kim]) {
    await link(userId, sso);
    await add(userId);
  }
  await change(`update users set deleted_at = now() where id = ${mei}`);
  expect(await left()).toEqual([kim, kim, kim]);
  await add(mei);
  await change(`update users set deleted_at = deleted_at where id = ${mei}`);
  expect(await left()).toHaveLength(5);
  await change(`update users set deleted_at = null where id = ${mei}`);
  expect(await left()).toHaveLength(5);
});

describe('a provider decides about an account', () => {
  const decided = async () =>
    (
      await sql<{ id: number }>`select id::int from users where decided_by_provider`.execute(database.store)
    ).rows.map(({ id }) => id);
  const setPassword = (password: string, epoch = 'epoch + 1') =>
    change(`update users set password_hash = '${password}', epoch = ${epoch} where id = ${mei}`);

  it('from a link to a directory on, or of an account without a password', async () => {
    await link(mei, sso);
    expect(await decided()).toEqual([]);
    await link(mei, directory);
    expect(await decided()).toEqual([mei]);
    await change(`update users set password_hash = '!' where id = ${kim}`);
    await change(`insert into credentials (user_id, kind, factor) values (${kim}, 'totp', 2)`);
    expect(await decided()).toEqual([mei]);
    await link(kim, sso);
    expect((await decided()).toSorted()).toEqual([mei, kim]);
  });

  it('until a password is set while no directory is linked', async () => {
    await change(`update users set password_hash = '!' where id = ${mei}`);
    await link(mei, sso);
    expect(await decided()).toEqual([mei]);
    await setPassword('!!');
    expect(await decided(), 'no password').toEqual([mei]);
    await setPassword('$stronger', 'epoch');
    expect(await decided(), 'no change of the password').toEqual([mei]);
    await setPassword('$stronger');
    expect(await decided(), 'the same password').toEqual([mei]);
    await link(kim, directory);
    await setPassword('$new');
    expect(await decided(), 'of another person').toEqual([kim]);
  });

  it('also where a password is set, as long as a directory is linked', async () => {
    const id = await link(mei, directory);
    await setPassword('$new');
    expect(await decided()).toEqual([mei]);
    await change(`update credentials set ended_at = now() where id = ${id}`);
    expect(await decided(), 'until then').toEqual([mei]);
    await setPassword('$newer');
    expect(await decided()).toEqual([]);
    // And does not begin by a password.
    await link(mei, sso);
    await setPassword('$newest');
    expect(await decided()).toEqual([]);
  });

  it('and then only a session of that provider is stored', async () => {
    const own = { providerId: sso, linkId: await link(mei, sso) };
    expect(await store({})).toBe('stored');
    await change(`update users set decided_by_provider = true where id in (${mei}, ${kim})`);
    expect(await store({})).toBe(refused);
    expect(await store(own)).toBe('stored');
    expect(await store({ userId: kim }), 'has no credential').toBe('stored');
    await link(kim, directory);
    expect(await store(own), 'of another person').toBe('stored');
    const byDirectory = { providerId: directory, linkId: await link(mei, directory) };
    expect(await store(own)).toBe(refused);
    expect(await store(byDirectory)).toBe('stored');
    await change(`update credentials set ended_at = now() where id = ${byDirectory.linkId}`);
    expect(await store(own), 'the link to the directory has ended').toBe('stored');
    await change(`update users set decided_by_provider = false where id = ${mei}`);
    expect(await store({}), 'no provider decides').toBe('stored');
  });
});
