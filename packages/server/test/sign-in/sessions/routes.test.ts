import { randomBytes } from 'node:crypto';
import type { Caller, DataScope } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { listDepartmentsInScope } from '../../../src/people/departments/data-scope-store.ts';
import { createCanManageCheck } from '../../../src/people/roles/can-manage/can-manage-check.ts';
import { createKeyRow } from '../../../src/sign-in/keys/create-key.ts';
import { insertKey, listLiveKeys, listRetiredKids } from '../../../src/sign-in/keys/key-store.ts';
import { sessionRoutes } from '../../../src/sign-in/sessions/routes.ts';
import {
  insertSession,
  type NewSession,
  sweepSessions,
} from '../../../src/sign-in/sessions/session-store.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const sealingKey = randomBytes(32);
let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
let kid: string;
let devKid: string;
let newestSeconds: number;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  access = createAccessStandIn(store);
  const routes = sessionRoutes({
    store,
    access,
    recordChange: createRecordChange(),
    listDepartments: (asking) => listDepartmentsInScope(store, asking),
    canManage: createCanManageCheck({ mayDo: async () => true, mayDoAll: async () => true }),
    sealingKey,
    dev: false,
  });
  served = serveRoutes(routes, () => caller);
  await seedDirectory(store);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  const { store } = database;
  caller = administrator;
  for (const table of ['sessions', 'revocations', 'keys'] as const) await store.deleteFrom(table).execute();
  const untouched = {
    enabled: true,
    deleted_at: null,
    epoch: 1,
    epoch_raised_at: null,
    department_id: 1,
    nick_name: 'Mei Lin',
  };
  await store.updateTable('users').set(untouched).execute();
  kid = await insertSigning(false);
  devKid = await insertSigning(true);
  newestSeconds = Math.floor(Date.now() / 1000) - 1000;
  access.takeWritten();
});

async function insertSigning(dev: boolean): Promise<string> {
  const key = createKeyRow(sealingKey);
  await database.store
    .transaction()
    .execute((transaction) => insertKey(transaction, { ...key, signing: true }, dev));
  return key.kid;
}

/** Each is a second newer than the one before it, and has an hour to live. */
async function logIn({
  userId = 7,
  epoch = 1,
  ...parts
}: Partial<NewSession> & Partial<NewSession['account']> = {}) {
  newestSeconds += 1;
  const session: NewSession = {
    jti: randomBytes(16).toString('base64url'),
    kid,
    account: { userId, roleKey: 'editor', epoch },
    ip: '192.0.2.1',
    userAgent: 'curl/8',
    issuedAt: new Date(newestSeconds * 1000),
    expiresAt: new Date((newestSeconds + 4600) * 1000),
    ...parts,
  };
  await insertSession(database.store, session);
  return session;
}

interface Page {
  readonly items: { readonly jti: string; readonly [field: string]: unknown }[];
  readonly next: string | null;
}
const list = async (query = '') => (await served.send('GET', `/sessions?${query}`)).data as Page;
const jtisOf = ({ items }: Page) => items.map(({ jti }) => jti);
async function countRows(table: 'sessions' | 'revocations'): Promise<number> {
  return (await database.store.selectFrom(table).select('jti').execute()).length;
}

describe('one session', () => {
  it('is answered with 404 where it has ended, or belongs to a user outside the data scope', async () => {
    const { jti } = await logIn();
    const ended = await logIn({ expiresAt: new Date(Date.now() - 1000) });
    const codeOf = async (id: string) => (await served.send('GET', `/sessions/${id}`)).code;
    expect(await codeOf(ended.jti)).toBe(404);
    expect(await codeOf('A'.repeat(22))).toBe(404);
    for (const [userId, dataScope, code] of [
      [8, '5', 404],
      [8, '2', 404],
      [7, '5', 200],
      [8, '3', 200],
    ] as const) {
      caller = { ...administrator, userId, roleId: 2, roleKey: 'editor', dataScope };
      expect([userId, dataScope, await codeOf(jti)]).toEqual([userId, dataScope, code]);
    }
  });

  it('shows whose it is, from where and how long', async () => {
    const { jti, issuedAt, expiresAt } = await logIn();
    await logIn({ userId: 8 });
    expect((await served.send('GET', `/sessions/${jti}`)).data).toEqual({
      jti,
      userId: 7,
      username: 'mei',
      name: 'Mei Lin',
      roleId: 2,
      roleKey: 'editor',
      ip: '192.0.2.1',
      userAgent: 'curl/8',
      issuedAt: issuedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    });
  });
});

describe('the list of sessions', () => {
  it.each(['limit=0', 'limit=101', 'userId=0', 'userId=mei', 'after=', 'after=x', 'after=W10'])(
    'with %s is answered with 400',
    async (query) => {
      expect(await served.send('GET', `/sessions?${query}`)).toMatchObject({ status: 200, code: 400 });
      expect(served.faults).toEqual([]);
    },
  );

  // biome-ignore format: One row a reason.
  const ends: [string, () => Promise<unknown>][] = [
    ['has expired',                    () => logIn({ expiresAt: new Date(Date.now() - 1000) })],
    ['was revoked',                    async () => revoke((await logIn()).jti)],
    ['is of an older epoch',           () => logIn({ epoch: 0 })],
    ['is of an epoch that was lost',   () => logIn({ epoch: 2 })],
    ['has a retired key',              async () => { await logIn(); await setKey({ signing: false, retired_at: new Date() }); }],
    ['has a key that there is not',    () => logIn({ kid: 'none' })],
    ['has a disabled user',            async () => { await logIn(); await setUser({ enabled: false }); }],
    ['has a deleted user',             async () => { await logIn(); await setUser({ deleted_at: new Date() }); }],
    ['has a user that there is not',   () => logIn({ userId: 999 })],
  ];
  const revoke = (jti: string) =>
    database.store
      .insertInto('revocations')
      .values({ jti, user_id: 7, expires_at: new Date(Date.now() + 3_600_000) })
      .execute();
  const setUser = (values: { enabled?: boolean; deleted_at?: Date }) =>
    database.store.updateTable('users').set(values).where('id', '=', 7).execute();
  const setKey = (values: { signing: boolean; retired_at: Date }) =>
    database.store
      .updateTable('keys')
      .set({ ...values, sealed_private: null })
      .where('kid', '=', kid)
      .execute();

  it.each(ends)('lacks one that %s', async (_why, end) => {
    await end();
    expect(await countRows('sessions')).toBe(1);
    expect(await list()).toEqual({ items: [], next: null });
  });

  it('shows user, address, device and end', async () => {
    const { jti, issuedAt, expiresAt } = await logIn();
    expect(await list()).toEqual({
      items: [
        {
          jti,
          userId: 7,
          username: 'mei',
          name: 'Mei Lin',
          roleId: 2,
          roleKey: 'editor',
          ip: '192.0.2.1',
          userAgent: 'curl/8',
          issuedAt: issuedAt.toISOString(),
          expiresAt: expiresAt.toISOString(),
        },
      ],
      next: null,
    });
  });

  it('keeps neither address nor agent where none is given', async () => {
    await logIn({ ip: undefined, userAgent: undefined });
    expect((await list()).items).toMatchObject([{ ip: null, userAgent: null }]);
  });

  it('can store whatever address and agent a request comes with', async () => {
    await logIn({ ip: 'fe80::1%eth0', userAgent: 'x'.repeat(10_000) });
    await logIn({ ip: '::ffff:192.0.2.7' });
    expect((await list()).items).toMatchObject([
      { ip: '::ffff:192.0.2.7' },
      { ip: 'fe80::1', userAgent: 'x'.repeat(256) },
    ]);
  });

  it('is newest first, in pages of 20, each session once, also within one second', async () => {
    const made = [];
    for (let count = 0; count < 45; count += 1) {
      if (count % 9 !== 0) newestSeconds -= 1;
      made.push(await logIn(count % 4 === 0 ? { epoch: 0 } : {}));
    }
    const live = made.filter(({ account }) => account.epoch === 1);
    const pages = [await list()];
    while (pages.at(-1)?.next) pages.push(await list(`after=${pages.at(-1)?.next}`));
    expect(pages.map(({ items }) => items.length)).toEqual([20, 13]);
    const expected = live.toSorted(
      (one, two) => two.issuedAt.getTime() - one.issuedAt.getTime() || (one.jti < two.jti ? 1 : -1),
    );
    const times = pages.flatMap(({ items }) => items.map(({ issuedAt }) => issuedAt));
    expect(times).toEqual(expected.map(({ issuedAt }) => issuedAt.toISOString()));
    expect(pages.flatMap(jtisOf).toSorted()).toEqual(expected.map(({ jti }) => jti).toSorted());
  });

  it('has only the sessions of the requested user', async () => {
    const [one, , two] = [await logIn({ userId: 8 }), await logIn(), await logIn({ userId: 8 })];
    expect(jtisOf(await list('userId=8'))).toEqual([two.jti, one.jti]);
    const first = await list('userId=8&limit=1');
    expect(jtisOf(first)).toEqual([two.jti]);
    expect(jtisOf(await list(`userId=8&limit=1&after=${first.next}`))).toEqual([one.jti]);
  });

  it('loses none after thousands of ended ones: pages are short, and only the last one has no next', async () => {
    const oldest = await logIn();
    await sql`insert into sessions select lpad(i::text, 22, 'A'), 7, 'editor', ${kid}, 0, null, null,
      now() - interval '100 s', now() + interval '1 hour' from generate_series(1, 12000) as i`.execute(
      database.store,
    );
    newestSeconds += 990;
    const newest = await logIn();
    const pages = [await list()];
    while (pages.at(-1)?.next) pages.push(await list(`after=${pages.at(-1)?.next}`));
    expect(pages.flatMap(jtisOf)).toEqual([newest.jti, oldest.jti]);
    expect(pages).toHaveLength(3);
  });
});

describe('a data scope', () => {
  const kim = (dataScope: DataScope): Caller => ({
    ...administrator,
    userId: 8,
    username: 'kim',
    roleId: 2,
    roleKey: 'editor',
    dataScope,
  });
  const move = (departmentId: number) =>
    database.store.updateTable('users').set({ department_id: departmentId }).where('id', '=', 7).execute();

  // biome-ignore format: One row a scope.
  const scopes = [
    // scope  department of mei  sees mei
    ['5',     1,                 false],
    ['3',     2,                 false],
    ['2',     1,                 false],
    ['3',     1,                 true],
    ['1',     2,                 true],
  ] as const;

  it.each(scopes)(
    '%s with mei in department %i: shows and ends her sessions: %s',
    async (scope, department, sees) => {
      await move(department);
      const [ofMei, ofKim] = [await logIn(), await logIn({ userId: 8 })];
      caller = kim(scope);
      const own = scope === '2' ? [] : [ofKim.jti];
      expect(jtisOf(await list())).toEqual(sees ? [...own, ofMei.jti] : own);
      expect(jtisOf(await list('userId=7'))).toEqual(sees ? [ofMei.jti] : []);
      const code = sees ? 200 : 404;
      expect(await served.send('DELETE', `/sessions/${ofMei.jti}`)).toMatchObject({ code });
      expect(await served.send('DELETE', `/sessions/${ofMei.jti}`)).toMatchObject({ code });
      expect(await served.send('DELETE', '/users/7/sessions')).toMatchObject({ code });
      if (!sees) expect(access.takeWritten()).toEqual([]);
    },
  );

  it.each(['1', '2', '3', '4', '5'] as const)(
    "%s of another role than admin does not end everybody's sessions",
    async (scope) => {
      caller = kim(scope);
      expect(await served.send('DELETE', '/sessions')).toMatchObject({ status: 200, code: 401 });
      expect(access.takeWritten()).toEqual([]);
    },
  );

  it('1 sees the sessions of admin, and ends none of them', async () => {
    await database.store.updateTable('users').set({ role_id: 1 }).where('id', '=', 7).execute();
    const { jti } = await logIn();
    caller = kim('1');
    expect(jtisOf(await list())).toEqual([jti]);
    for (const url of [`/sessions/${jti}`, '/users/7/sessions'])
      expect(await served.send('DELETE', url)).toMatchObject({ code: 401, reason: 'permission_denied' });
    expect(access.takeWritten()).toEqual([]);
    caller = administrator;
    expect(await served.send('DELETE', '/users/7/sessions')).toMatchObject({ code: 200 });
    await database.store.updateTable('users').set({ role_id: 2 }).where('id', '=', 7).execute();
  });

  it('hides a session that was ended before it could be seen', async () => {
    await move(2);
    const { jti } = await logIn();
    await served.send('DELETE', `/sessions/${jti}`);
    await database.store.deleteFrom('sessions').execute();
    caller = kim('3');
    expect(await served.send('DELETE', `/sessions/${jti}`)).toMatchObject({ code: 404 });
  });
});

describe('ending a session', () => {
  it('that there is not is answered with 404', async () => {
    expect(await served.send('DELETE', `/sessions/${'A'.repeat(22)}`)).toMatchObject({
      status: 200,
      code: 404,
    });
    expect(await served.send('DELETE', '/sessions/short')).toMatchObject({ code: 400 });
    expect(access.takeWritten()).toEqual([]);
  });

  it('revokes its token on every instance, until the token would have expired', async () => {
    const [ended, other] = [await logIn(), await logIn()];
    const answer = await served.send('DELETE', `/sessions/${ended.jti}`);
    expect(answer).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    const expiresAt = ended.expiresAt.getTime() / 1000;
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'token_revoked', jti: ended.jti, expiresAt }]],
    ]);
    expect(await database.store.selectFrom('revocations').selectAll().execute()).toMatchObject([
      { jti: ended.jti, user_id: 7, expires_at: ended.expiresAt },
    ]);
    expect(jtisOf(await list())).toEqual([other.jti]);
    // A second call waits for the instances as the first did, and changes nothing.
    expect(await served.send('DELETE', `/sessions/${ended.jti}`)).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
  });

  it('twice at once revokes it once', async () => {
    const { jti } = await logIn();
    const end = () => served.send('DELETE', `/sessions/${jti}`);
    await Promise.all([end(), end()]);
    expect(access.takeWritten().flatMap(([, changes]) => changes)).toHaveLength(1);
    expect(await countRows('revocations')).toBe(1);
    expect(served.faults).toEqual([]);
  });
});

describe("ending a user's sessions", () => {
  it('of an unknown or deleted user is answered with 404', async () => {
    expect(await served.send('DELETE', '/users/999/sessions')).toMatchObject({ status: 200, code: 404 });
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 7).execute();
    expect(await served.send('DELETE', '/users/7/sessions')).toMatchObject({ code: 404 });
    expect(access.takeWritten()).toEqual([]);
  });

  it('raises the epoch, and leaves the sessions of others', async () => {
    await logIn();
    const other = await logIn({ userId: 8 });
    const answer = await served.send('DELETE', '/users/7/sessions');
    expect(answer).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    expect(access.takeWritten()).toEqual([['takeAway', [{ kind: 'epoch_raised', userId: 7, epoch: 2 }]]]);
    expect(jtisOf(await list())).toEqual([other.jti]);
    expect(await countRows('sessions')).toBe(1);
  });

  it('ends one that is stored a moment later with the previous epoch', async () => {
    await served.send('DELETE', '/users/7/sessions');
    await logIn({ epoch: 1 });
    const after = await logIn({ epoch: 2 });
    expect(jtisOf(await list())).toEqual([after.jti]);
  });
});

describe('ending the sessions of all users', () => {
  it('retires every key of the mode and signs with a new one, in one revision', async () => {
    await logIn();
    await logIn({ userId: 8 });
    const answer = await served.send('DELETE', '/sessions');
    expect(answer).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    const live = await listLiveKeys(database.store, false);
    expect(live).toMatchObject([{ signing: true }]);
    const added = live[0];
    expect(access.takeWritten()).toEqual([
      [
        'takeAway',
        [
          { kind: 'key_added', kid: added?.kid, dev: false, publicJwk: added?.publicJwk },
          { kind: 'key_activated', kid: added?.kid, dev: false },
          { kind: 'key_retired', kid, dev: false },
        ],
      ],
    ]);
    expect(await listRetiredKids(database.store, false)).toEqual([kid]);
    expect(await list()).toEqual({ items: [], next: null });
  });

  it('leaves the other mode alone', async () => {
    await served.send('DELETE', '/sessions');
    expect(await listLiveKeys(database.store, true)).toMatchObject([{ kid: devKid, signing: true }]);
  });

  it('twice at once leaves one key that lives', async () => {
    const answers = await Promise.all([
      served.send('DELETE', '/sessions'),
      served.send('DELETE', '/sessions'),
    ]);
    expect(answers.map(({ code }) => code)).toEqual([200, 200]);
    expect(await listLiveKeys(database.store, false)).toHaveLength(1);
    expect(await listRetiredKids(database.store, false)).toHaveLength(2);
    expect(served.faults).toEqual([]);
  });
});

describe('the sweep', () => {
  it('leaves live sessions, and revocations of tokens that have not expired', async () => {
    const { jti } = await logIn();
    await served.send('DELETE', `/sessions/${(await logIn()).jti}`);
    await sweepSessions(database.store);
    expect(jtisOf(await list())).toEqual([jti]);
    expect(await countRows('revocations')).toBe(1);
  });

  it('deletes expired sessions and revocations, more than one statement takes', async () => {
    await sql`insert into sessions select lpad(i::text, 22, 'A'), 7, 'editor', ${kid}, 1, null, null,
      now() - interval '2 h', now() - interval '1 h' from generate_series(1, 10001) as i`.execute(
      database.store,
    );
    await sql`insert into revocations select jti, user_id, expires_at from sessions`.execute(database.store);
    await sweepSessions(database.store);
    expect([await countRows('sessions'), await countRows('revocations')]).toEqual([0, 0]);
  });

  it('deletes sessions that an epoch or a retired key has ended', async () => {
    await logIn({ epoch: 1 });
    await served.send('DELETE', '/users/7/sessions');
    await logIn({ epoch: 1 });
    const live = await logIn({ epoch: 2 });
    await sweepSessions(database.store);
    expect(jtisOf(await list())).toEqual([live.jti]);
    expect(await countRows('sessions')).toBe(1);
    await served.send('DELETE', '/sessions');
    await sweepSessions(database.store);
    expect(await countRows('sessions')).toBe(0);
  });

  it('passes over rows that another instance holds', async () => {
    const expiresAt = new Date(Date.now() - 1000);
    const held = await logIn({ expiresAt });
    await logIn({ expiresAt });
    await database.store.transaction().execute(async (transaction) => {
      await transaction
        .selectFrom('sessions')
        .select('jti')
        .where('jti', '=', held.jti)
        .forUpdate()
        .execute();
      await sweepSessions(database.store);
    });
    expect(await countRows('sessions')).toBe(1);
  });

  it('by many instances at once fails none of them', async () => {
    await sql`insert into sessions select lpad(i::text, 22, 'A'), 7, 'editor', ${kid}, 1, null, null,
      now() - interval '2 h', now() - interval '1 h' from generate_series(1, 20000) as i`.execute(
      database.store,
    );
    await Promise.all(Array.from({ length: 5 }, () => sweepSessions(database.store)));
    await sweepSessions(database.store);
    expect(await countRows('sessions')).toBe(0);
  });
});
