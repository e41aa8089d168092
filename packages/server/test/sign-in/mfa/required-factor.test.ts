// What a role demands, whom another demand would meet, and who may not set one.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSetRoleFactor, describeRequiredFactor } from '../../../src/sign-in/mfa/required-factor.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator } from '../../serve-routes.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const editor = 2;
beforeEach(async () => {
  await sql`delete from sessions`.execute(database.store);
  await sql`update roles set factor = 1`.execute(database.store);
  for (const userId of [7, 8])
    await insertSession(database.store, {
      jti: randomUUID(),
      kid: 'k',
      account: { userId, roleKey: 'editor', epoch: 1 },
      proof: { method: 'password', factor: 1 },
      issuedAt: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    });
});

describe('the required factor of a role', () => {
  const all = { dataScope: '1' } as const;
  it('is returned, with the sessions and users below it or below another factor', async () => {
    const { store } = database;
    expect(await describeRequiredFactor(store, all, editor)).toEqual({
      requiredFactor: 1,
      sessions: 0,
      users: 0,
    });
    expect(await describeRequiredFactor(store, all, editor, 1)).toEqual({
      requiredFactor: 1,
      sessions: 0,
      users: 0,
    });
    expect(await describeRequiredFactor(store, all, editor, 2)).toEqual({
      requiredFactor: 1,
      sessions: 2,
      users: 2,
    });
    await sql`update roles set factor = 2 where id = ${editor}`.execute(store);
    expect(await describeRequiredFactor(store, all, editor)).toEqual({
      requiredFactor: 2,
      sessions: 2,
      users: 2,
    });
  });

  it('hides the numbers from a caller without all rows, and rejects an unknown role', async () => {
    const { store } = database;
    expect(await describeRequiredFactor(store, { dataScope: '2' }, editor, 2)).toEqual({
      requiredFactor: 1,
      sessions: null,
      users: null,
    });
    await expect(describeRequiredFactor(store, all, 99)).rejects.toMatchObject({ kind: 'record_not_found' });
  });
});

describe('a change of the required factor', () => {
  const recorded: unknown[] = [];
  const setWith = (passkeysEnabled: boolean, ofRole: () => Promise<void>) => {
    recorded.length = 0;
    const set = createSetRoleFactor({
      store: database.store,
      access: createAccessStandIn(database.store),
      recordChange: async (_transaction, _call, { before, after }) => void recorded.push([before, after]),
      canManage: { ofRole },
      passkeysEnabled,
    });
    return (factor: number, id = editor) =>
      set({
        ...{ caller: administrator, confirmedAt: 'unchecked', ip: '127.0.0.1', requestId: 'r' },
        ...{ params: { id }, body: { requiredFactor: factor } },
      } as never);
  };
  const within = async () => {};
  const sessions = async () => (await sql`select from sessions`.execute(database.store)).rows.length;

  it('is refused for an unknown role, for a role that the caller cannot manage, and for passkeys where they are off', async () => {
    const set = setWith(false, async () => {
      throw new Error('out of reach');
    });
    await expect(set(2, 99)).rejects.toMatchObject({ kind: 'record_not_found' });
    await expect(set(2)).rejects.toThrow('out of reach');
    await expect(set(3)).rejects.toMatchObject({ kind: 'passkeys_disabled' });
    expect([recorded, await sessions()]).toEqual([[], 2]);
  });

  it('is recorded where it changes, and ends the sessions that prove less, also by the same call once more', async () => {
    const set = setWith(true, within);
    await set(1);
    expect([recorded, await sessions()]).toEqual([[], 2]);
    await set(2);
    expect([recorded, await sessions()]).toEqual([[[{ requiredFactor: 1 }, { requiredFactor: 2 }]], 0]);
    await set(2);
    await set(3);
    expect(recorded).toHaveLength(2);
    await setWith(false, within)(2);
    expect(recorded).toEqual([[{ requiredFactor: 3 }, { requiredFactor: 2 }]]);
  });
});
