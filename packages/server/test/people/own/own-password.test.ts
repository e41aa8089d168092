import { type Account, route, setOwnPasswordEndpoint } from '@portcullis/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import { createSetOwnPassword } from '../../../src/people/own/own-password.ts';
import { createPasswordRules } from '../../../src/people/passwords/password-rules.ts';
import { findAccount } from '../../../src/people/users/user-store.ts';
import { type AccessStandIn, createAccessStandIn } from '../../access-stand-in.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator, type ServedRoutes, serveRoutes } from '../../serve-routes.ts';

const oldPassword = 'the one that was given';
const newPassword = 'lamp orbit velvet ninety';

let database: FreshDatabase;
let access: AccessStandIn;
let served: ServedRoutes;
let whileVerifying: () => Promise<unknown>;
let verified: [userId: number, username: string, password: string][];

beforeAll(async () => {
  database = await createFreshDatabase();
  const { store } = database;
  await seedDirectory(store);
  access = createAccessStandIn(store);
  async function verifyPassword(
    { userId }: { userId: number },
    username: string,
    password: string,
  ): Promise<Account | undefined> {
    verified.push([userId, username, password]);
    const stored = await findAccount(store, username);
    await whileVerifying();
    return stored?.passwordHash === `hash of ${password}` ? stored.account : undefined;
  }
  const setOwnPassword = createSetOwnPassword({
    store,
    access,
    rules: createPasswordRules({ minimumLength: 15 }),
    verifyPassword,
    hashes: { admit: () => {}, hash: async (_caller, password) => `hash of ${password}` },
    clearCookie: (answer) => answer.setHeader('x-cookie', 'cleared'),
    recordChange: createRecordChange(),
  });
  served = serveRoutes([route(setOwnPasswordEndpoint, setOwnPassword)], () => ({
    ...administrator,
    userId: 7,
    username: 'mei',
    passwordDue: true,
  }));
});
afterAll(async () => {
  await served.close();
  await database.drop();
});
beforeEach(async () => {
  verified = [];
  whileVerifying = async () => {};
  access.takeWritten();
  await database.store.deleteFrom('audit_log').execute();
  await database.store
    .updateTable('users')
    .set({ epoch: 1, password_hash: `hash of ${oldPassword}`, password_due: true, deleted_at: null })
    .where('id', '=', 7)
    .execute();
});

const change = (body: object) => served.send('PUT', '/user/password', body);
const getUser = () =>
  database.store.selectFrom('users').selectAll().where('id', '=', 7).executeTakeFirstOrThrow();
async function expectUnchanged(): Promise<void> {
  expect(await getUser()).toMatchObject({
    password_hash: `hash of ${oldPassword}`,
    password_due: true,
    epoch: 1,
  });
  expect(access.takeWritten()).toEqual([]);
}

describe('the own password is not changed', () => {
  it.each([
    ['nothing', {}],
    ['no old password', { newPassword }],
    ['no new password', { oldPassword }],
    ['an empty old one', { oldPassword: '', newPassword }],
    ['a new one of 257 characters', { oldPassword, newPassword: 'x'.repeat(257) }],
    ['the id of another user', { oldPassword, newPassword, userId: 8 }],
    ['a mark that the password is due', { oldPassword, newPassword, passwordChangeRequired: false }],
  ])('with %s', async (_what, body) => {
    expect(await change(body)).toMatchObject({ status: 200, code: 400, reason: 'params_invalid' });
    expect(verified).toEqual([]);
    await expectUnchanged();
  });

  it.each([
    ['too short', 'lamp orbit'],
    ['common', 'passwordpassword'],
    ['close to the name', 'mei-mei-mei-mei-mei'],
    ['the old one', oldPassword],
  ])('to one that is %s, and that counts as no failed attempt', async (_what, password) => {
    const answer = await change({ oldPassword, newPassword: password });
    expect(answer).toMatchObject({ status: 200, code: 400, reason: 'password_weak' });
    expect(verified).toEqual([]);
    await expectUnchanged();
  });

  it('with a wrong old one, which counts as a failed attempt of this person', async () => {
    const answer = await change({ oldPassword: 'wrong', newPassword });
    expect(answer).toMatchObject({ status: 200, code: 400, reason: 'credentials_wrong' });
    expect(verified).toEqual([[7, 'mei', 'wrong']]);
    await expectUnchanged();
  });

  it('where an administrator set another one meanwhile', async () => {
    whileVerifying = () =>
      database.store
        .updateTable('users')
        .set({ epoch: 2, password_hash: 'other' })
        .where('id', '=', 7)
        .execute();
    expect(await change({ oldPassword, newPassword })).toMatchObject({ status: 200, code: 409 });
    expect(await getUser()).toMatchObject({ password_hash: 'other', password_due: true, epoch: 2 });
  });

  it('where a provider decides about the account: only an administrator adds a password beside it', async () => {
    const decide = (isDecided: boolean) =>
      database.store
        .updateTable('users')
        .set({ decided_by_provider: isDecided } as never)
        .where('id', '=', 7)
        .execute();
    await decide(true);
    expect(await change({ oldPassword, newPassword })).toMatchObject({ status: 200, code: 409 });
    await expectUnchanged();
    await decide(false);
    expect(await change({ oldPassword, newPassword })).toMatchObject({ status: 200, code: 200 });
  });

  it('of a deleted user', async () => {
    await database.store.updateTable('users').set({ deleted_at: new Date() }).where('id', '=', 7).execute();
    expect(await change({ oldPassword, newPassword })).toMatchObject({ code: 404 });
    expect(verified).toEqual([]);
  });

  it('twice at once by the same old one', async () => {
    const answers = await Promise.all([
      change({ oldPassword, newPassword }),
      change({ oldPassword, newPassword: `${newPassword} more` }),
    ]);
    expect(answers.map(({ code }) => code).toSorted()).not.toEqual([200, 200]);
    expect((await getUser()).epoch).toBe(2);
  });
});

it('the own password is changed with the old one: it is no longer due, and every token ends before the answer', async () => {
  expect(await change({ oldPassword, newPassword })).toMatchObject({
    code: 200,
    data: null,
    revision: expect.any(Number),
  });
  expect(await getUser()).toMatchObject({
    password_hash: `hash of ${newPassword}`,
    password_due: false,
    epoch: 2,
  });
  expect(access.takeWritten()).toEqual([['takeAway', [{ kind: 'epoch_raised', userId: 7, epoch: 2 }]]]);
  const records = await database.store.selectFrom('audit_log').selectAll().execute();
  expect(records).toMatchObject([
    {
      actor_id: 7,
      action: 'user.own_password',
      target: 'user 7',
      before: null,
      after: { passwordChangeRequired: false },
    },
  ]);
});
