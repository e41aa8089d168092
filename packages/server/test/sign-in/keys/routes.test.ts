import { createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto';
import type { Caller } from '@portcullis/contract';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decrypt } from '../../../src/base/secrets/encryption.ts';
import { resealSecrets } from '../../../src/cluster/store/reseal-store.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { createCanManageCheck } from '../../../src/people/roles/can-manage/can-manage-check.ts';
import { createKeyRow } from '../../../src/sign-in/keys/create-key.ts';
import {
  findSealedPrivate,
  insertKey,
  listLiveKeys,
  listRetiredKids,
} from '../../../src/sign-in/keys/key-store.ts';
import { keyRoutes } from '../../../src/sign-in/keys/routes.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const sealingKey = randomBytes(32);
const lifetime = 3600;
let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let caller: Caller;
/** The signing key of each test, and one of the other mode. */
let first: string;
let foreign: string;

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  access = createAccessStandIn(store);
  const routes = keyRoutes({
    store,
    access,
    recordChange: createRecordChange(),
    canManage: createCanManageCheck({ mayDo: async () => true, mayDoAll: async () => true }),
    sealingKey,
    dev: false,
    maxTokenLifetimeSeconds: lifetime,
  });
  served = serveRoutes(routes, () => caller);
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  caller = administrator;
  await database.store.deleteFrom('keys').execute();
  await database.store.updateTable('current_revision').set({ lease_milliseconds: 60_000 }).execute();
  first = await insertSigning(false);
  foreign = await insertSigning(true);
  access.takeWritten();
});

async function insertSigning(dev: boolean): Promise<string> {
  const key = createKeyRow(sealingKey);
  await database.store
    .transaction()
    .execute((transaction) => insertKey(transaction, { ...key, signing: true }, dev));
  return key.kid;
}
async function createKey(): Promise<string> {
  const { data } = await served.send('POST', '/keys');
  return (data as { kid: string }).kid;
}
const act = (kid: string, what: string) => served.send('POST', `/keys/${kid}/${what}`);
const getRow = async (kid: string) =>
  await database.store.selectFrom('keys').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow();
async function stateOf(kid: string): Promise<string | undefined> {
  const { data } = await served.send('GET', '/keys?limit=100');
  return (data as { items: { kid: string; state: string }[] }).items.find((item) => item.kid === kid)?.state;
}
async function deactivatedSecondsAgo(kid: string, seconds: number): Promise<void> {
  const deactivated_at = sql<Date>`now() - make_interval(secs => ${seconds})`;
  await database.store.updateTable('keys').set({ deactivated_at }).where('kid', '=', kid).execute();
}
const signingKeys = async (dev: boolean) =>
  (await listLiveKeys(database.store, dev)).filter(({ signing }) => signing).map(({ kid }) => kid);

describe('activate, retire and emergency-retire', () => {
  it.each(['activate', 'retire', 'emergency-retire'])('%s refuses a key that there is not', async (what) => {
    expect(await act('none', what)).toMatchObject({ status: 200, code: 404 });
    expect(await act('A', what)).toMatchObject({ code: 400 });
    expect(await act('x'.repeat(17), what)).toMatchObject({ code: 400 });
  });

  it.each(['activate', 'retire', 'emergency-retire'])(
    '%s does not see a key of the other mode',
    async (what) => {
      expect(await act(foreign, what)).toMatchObject({ code: 404 });
      expect(await signingKeys(true)).toEqual([foreign]);
    },
  );
});

describe('a new key', () => {
  it('waits on standby until every instance knows it', async () => {
    const answer = await served.send('POST', '/keys');
    const { kid } = answer.data as { kid: string };
    expect(answer).toMatchObject({ code: 200, revision: expect.any(Number) });
    const [live] = (await listLiveKeys(database.store, false)).filter((key) => key.kid === kid);
    const publicJwk = { kty: 'EC', crv: 'P-256', x: expect.any(String), y: expect.any(String) };
    expect(live).toEqual({ kid, signing: false, publicJwk });
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'key_added', kid, dev: false, publicJwk: live?.publicJwk }]],
    ]);
    expect(await stateOf(kid)).toBe('standby');
  });

  it('opens with the master key, and its private part never shows', async () => {
    const kid = await createKey();
    const sealed = (await findSealedPrivate(database.store, kid)) ?? Buffer.alloc(0);
    const secret = createPrivateKey({ key: decrypt(sealed, sealingKey, kid), format: 'der', type: 'pkcs8' });
    const { d = '', x } = secret.export({ format: 'jwk' });
    expect((await getRow(kid)).public_jwk).toMatchObject({ x });
    expect(JSON.stringify([access.takeWritten(), await served.send('GET', '/keys')])).not.toContain(d);
  });
});

describe('activating', () => {
  it('refuses a retired key', async () => {
    const kid = await createKey();
    await act(kid, 'retire');
    expect(await act(kid, 'activate')).toMatchObject({ status: 200, code: 409 });
    expect(await signingKeys(false)).toEqual([first]);
  });

  it('the signing key changes nothing', async () => {
    expect(await act(first, 'activate')).toMatchObject({ code: 200, revision: expect.any(Number) });
    expect(access.takeWritten()).toContainEqual(['give', []]);
    expect(await getRow(first)).toMatchObject({ signing: true, deactivated_at: null });
  });

  it('gives, and leaves the former key verifying', async () => {
    const kid = await createKey();
    access.takeWritten();
    expect(await act(kid, 'activate')).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    // First it waits, without a change, until every instance has what was written before: the key.
    expect(access.takeWritten()).toEqual([
      ['takeAway', []],
      ['give', [{ kind: 'key_activated', kid, dev: false }]],
    ]);
    expect([await stateOf(kid), await stateOf(first)]).toEqual(['signing', 'verifying']);
    expect(await signingKeys(true)).toEqual([foreign]);
  });

  it('goes back to a key that signed before', async () => {
    const kid = await createKey();
    await act(kid, 'activate');
    await act(first, 'activate');
    expect([await stateOf(kid), await stateOf(first)]).toEqual(['verifying', 'signing']);
    expect((await getRow(first)).deactivated_at).toBeNull();
  });

  it('two keys at once leaves exactly one that signs', async () => {
    const kids = [await createKey(), await createKey(), await createKey()];
    const answers = await Promise.all(kids.map((kid) => act(kid, 'activate')));
    expect(answers.map(({ code }) => code)).toEqual([200, 200, 200]);
    expect(await signingKeys(false)).toHaveLength(1);
    expect(served.faults).toEqual([]);
  });
});

describe('retiring', () => {
  it('refuses the key that signs', async () => {
    expect(await act(first, 'retire')).toMatchObject({ status: 200, code: 409 });
    expect(await stateOf(first)).toBe('signing');
  });

  it('refuses a key whose tokens may live, also one that an instance signed with until its lease ended', async () => {
    await act(await createKey(), 'activate');
    for (const seconds of [0, lifetime - 60, lifetime + 30]) {
      await deactivatedSecondsAgo(first, seconds);
      expect(await act(first, 'retire')).toMatchObject({ code: 409 });
    }
    expect(await stateOf(first)).toBe('verifying');
  });

  it('takes away a key whose tokens have expired, and its private part', async () => {
    await act(await createKey(), 'activate');
    await deactivatedSecondsAgo(first, lifetime + 61);
    access.takeWritten();
    expect(await act(first, 'retire')).toMatchObject({ code: 200, data: null, revision: expect.any(Number) });
    expect(access.takeWritten()).toEqual([['takeAway', [{ kind: 'key_retired', kid: first, dev: false }]]]);
    expect(await getRow(first)).toMatchObject({ sealed_private: null, retired_at: expect.any(Date) });
    expect(await findSealedPrivate(database.store, first)).toBeUndefined();
    expect(await listRetiredKids(database.store, false)).toEqual([first]);
    expect(await listRetiredKids(database.store, true)).toEqual([]);
    expect(await stateOf(first)).toBe('retired');
  });

  it('takes away a standby key, and a second time changes nothing', async () => {
    const kid = await createKey();
    await act(kid, 'retire');
    const { retired_at } = await getRow(kid);
    access.takeWritten();
    expect(await act(kid, 'retire')).toMatchObject({ code: 200 });
    expect(access.takeWritten()).toEqual([['takeAway', []]]);
    expect((await getRow(kid)).retired_at).toEqual(retired_at);
  });
});

describe('retiring in an emergency', () => {
  it('replaces the signing key by a new one, in one revision', async () => {
    expect(await act(first, 'emergency-retire')).toMatchObject({ code: 200, revision: expect.any(Number) });
    const [kid = ''] = await signingKeys(false);
    expect(kid).not.toBe(first);
    expect(access.takeWritten()).toEqual([
      [
        'takeAway',
        [
          expect.objectContaining({ kind: 'key_added', kid, dev: false }),
          { kind: 'key_activated', kid, dev: false },
          { kind: 'key_retired', kid: first, dev: false },
        ],
      ],
    ]);
    expect(await getRow(first)).toMatchObject({
      signing: false,
      sealed_private: null,
      deactivated_at: expect.any(Date),
      retired_at: expect.any(Date),
    });
    expect(await signingKeys(true)).toEqual([foreign]);
  });

  it('removes a key that signed a moment ago, and keeps the signing one', async () => {
    const kid = await createKey();
    await act(kid, 'activate');
    access.takeWritten();
    await act(first, 'emergency-retire');
    await act(first, 'emergency-retire');
    expect(access.takeWritten()).toEqual([
      ['takeAway', [{ kind: 'key_retired', kid: first, dev: false }]],
      ['takeAway', []],
    ]);
    expect(await signingKeys(false)).toEqual([kid]);
  });

  it('is reserved for admin: it ends the sessions of all users', async () => {
    caller = { ...administrator, roleId: 2, roleKey: 'operator' };
    expect(await act(first, 'emergency-retire')).toMatchObject({ code: 401, reason: 'permission_denied' });
    expect(await signingKeys(false)).toEqual([first]);
  });

  it('twice at once makes one new key', async () => {
    await Promise.all([act(first, 'emergency-retire'), act(first, 'emergency-retire')]);
    expect(await signingKeys(false)).toHaveLength(1);
    expect(await listLiveKeys(database.store, false)).toHaveLength(1);
    expect(served.faults).toEqual([]);
  });
});

describe('the public keys', () => {
  it('are those of the mode that are not retired, in the form of RFC 7517', async () => {
    const standby = await createKey();
    await act(await createKey(), 'emergency-retire');
    const { body, status } = await served.send('GET', '/jwks');
    expect(status).toBe(200);
    expect(body).toEqual({
      code: 200,
      msg: 'success',
      requestId: 'request-1',
      keys: [first, standby].map((kid) => ({
        kty: 'EC',
        crv: 'P-256',
        x: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        y: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        kid,
        alg: 'ES256',
        use: 'sig',
      })),
    });
  });

  it('verify what the key signs, for a client that uses the body unchanged', async () => {
    const sealed = (await findSealedPrivate(database.store, first)) ?? Buffer.alloc(0);
    const key = createPrivateKey({ key: decrypt(sealed, sealingKey, first), format: 'der', type: 'pkcs8' });
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const input = `${encode({ alg: 'ES256', kid: first })}.${encode({ sub: '7' })}`;
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
    const { body } = await served.send('GET', '/jwks');
    const findKey = createLocalJWKSet(body as unknown as JSONWebKeySet);
    const { protectedHeader } = await compactVerify(`${input}.${signature.toString('base64url')}`, findKey);
    expect(protectedHeader.kid).toBe(first);
  });
});

describe('the list of keys', () => {
  it.each(['limit=0', 'limit=101', 'after=', 'after=x'])('with %s is answered with 400', async (query) => {
    expect(await served.send('GET', `/keys?${query}`)).toMatchObject({ status: 200, code: 400 });
  });

  it('is newest first and in pages, without the keys of the other mode', async () => {
    const kids = [first];
    for (let made = 0; made < 4; made += 1) kids.unshift(await createKey());
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const { data } = await served.send('GET', `/keys?limit=2${after}`);
      const { items, next } = data as { items: { kid: string }[]; next: string | null };
      seen.push(...items.map(({ kid }) => kid));
      if (next === null) break;
      after = `&after=${next}`;
    }
    expect(seen).toEqual(kids);
  });

  it('shows when a key stopped signing and when it was retired', async () => {
    await act(first, 'emergency-retire');
    const { data } = await served.send('GET', '/keys');
    const [newest, oldest] = (data as { items: unknown[] }).items;
    const time = expect.stringMatching(/^20.*Z$/);
    expect(newest).toMatchObject({ state: 'signing', deactivatedAt: null, retiredAt: null });
    expect(oldest).toEqual({
      kid: first,
      state: 'retired',
      createdAt: time,
      deactivatedAt: time,
      retiredAt: time,
    });
  });
});

describe('a change of the master key', () => {
  it('encrypts every private part again, of both modes, and none of a retired key', async () => {
    await act(await createKey(), 'retire');
    const next = randomBytes(32);
    expect(await resealSecrets(database.store, [next, sealingKey])).toMatchObject({ resealed: 2, left: [] });
    for (const kid of [first, foreign]) {
      const sealed = (await findSealedPrivate(database.store, kid)) ?? Buffer.alloc(0);
      expect(() => decrypt(sealed, sealingKey, kid)).toThrow();
      const secret = createPrivateKey({ key: decrypt(sealed, next, kid), format: 'der', type: 'pkcs8' });
      const { x } = createPublicKey(secret).export({ format: 'jwk' });
      expect((await getRow(kid)).public_jwk).toMatchObject({ x });
    }
  });

  it('leaves a key that neither master key opens, and names it', async () => {
    const before = await findSealedPrivate(database.store, first);
    const { resealed, left } = await resealSecrets(database.store, [randomBytes(32), randomBytes(32)]);
    expect([resealed, left.toSorted()]).toEqual([0, [first, foreign].toSorted()]);
    expect(await findSealedPrivate(database.store, first)).toEqual(before);
  });
});
