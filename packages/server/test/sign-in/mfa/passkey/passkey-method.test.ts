// The step of a login by a passkey: whose it must be, when the login is over, and what a counter that goes back leaves behind.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPasskeyMethod } from '../../../../src/sign-in/mfa/passkey/passkey-method.ts';
import type { WebAuthn } from '../../../../src/sign-in/mfa/passkey/web-authn.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const [mei, kim] = [7, 8];
const editor = 2;
let id: number;
beforeEach(async () => {
  const { store } = database;
  await sql`delete from credentials`.execute(store);
  await sql`update users set enabled = true, deleted_at = null, decided_by_provider = false`.execute(store);
  await sql`update roles set enabled = true`.execute(store);
  const part = JSON.stringify({ publicKey: 'k', userHandle: 'h' });
  const { rows } = await sql<{ id: number }>`
    insert into credentials (user_id, kind, factor, subject, counter, public_part, confirmed_at)
    values (${mei}, 'passkey', 3, 's', 5, ${part}, now()) returning id`.execute(store);
  id = rows[0]?.id ?? 0;
});

const assertion = { id: 's', response: { userHandle: 'h' } };

interface Given {
  readonly counter?: number | undefined;
  readonly passkey?: object;
  readonly registration?: object;
  readonly context?: object;
  readonly flow?: object | undefined;
}

async function step({ counter = 6, passkey = assertion, registration, context, flow }: Given = {}) {
  const done: string[] = [];
  const method = createPasskeyMethod({
    store: database.store,
    domain: 'localhost',
    webAuthn: {
      verifyAssertion: async () => (counter < 0 ? undefined : counter),
    } as unknown as WebAuthn,
    changes: {
      addAtLogin: async (_call, _made, pendingId, isSecond) => {
        done.push(`add ${pendingId} ${isSecond}`);
        return pendingId === 9 ? { credentialId: pendingId, recoveryCodes: undefined } : undefined;
      },
      recordCounter: async (_call, known, sent) => {
        await new Promise(setImmediate);
        done.push(`record ${known.counter} ${sent}`);
      },
    },
  });
  const begun = {
    passed: ['password'],
    credentialId: 9,
    providerId: null,
    end: async () => true,
    ...flow,
  };
  const given = { ip: '127.0.0.1', requestId: 'r', flow: begun, ...context };
  const proof = await method.verify(
    { ...(registration === undefined ? { passkey } : { registration }), flowId: 'handle' } as never,
    given as never,
  );
  return { proof, done };
}

const change = (text: string) => sql`${sql.raw(text)}`.execute(database.store);
const wrong = 'credentials_wrong';
const accountOf = (userId: number) => ({ userId, username: 'x' });

describe('an assertion is refused', () => {
  it.each<[string, Given]>([
    ['without a login that was begun', { context: { flow: undefined } }],
    ['of no passkey', { passkey: { ...assertion, id: 'other' } }],
    ['of the passkey of another person', { context: { began: accountOf(kim) } }],
    ['with the handle of another person', { passkey: { ...assertion, response: { userHandle: 'x' } } }],
    ['that does not verify', { counter: -1 }],
    ['of a login that is over', { flow: { end: async () => false } }],
  ])('%s', async (_what, given) => {
    expect(await step(given)).toMatchObject({ proof: { refused: wrong }, done: [] });
    const { rows } = await sql`select counter::int from credentials`.execute(database.store);
    expect(rows).toEqual([{ counter: 5 }]);
  });

  it('with a counter that goes back, which is recorded by then', async () => {
    expect(await step({ counter: 5 })).toMatchObject({
      proof: { refused: wrong, account: { userId: mei } },
      done: ['record 5 5'],
    });
  });

  it('with a counter that goes back of a passkey that has ended by then', async () => {
    const flow = {
      end: async () => {
        await change('update credentials set ended_at = now()');
        return true;
      },
    };
    expect(await step({ flow })).toMatchObject({ proof: { refused: wrong }, done: [] });
  });

  it.each([
    ['user_disabled', `update users set enabled = false where id = ${mei}`],
    ['role_disabled', `update roles set enabled = false where id = ${editor}`],
    ['provider_login_required', `update users set decided_by_provider = true where id = ${mei}`],
  ])('as %s, and the login is not over', async (refused, text) => {
    await change(text);
    let isOver = false;
    const end = async () => {
      isOver = true;
      return true;
    };
    expect(await step({ flow: { end } })).toMatchObject({ proof: { refused, account: { userId: mei } } });
    expect(isOver).toBe(false);
  });
});

describe('an assertion is accepted', () => {
  it('as the first step, and as the second of the same person', async () => {
    expect((await step()).proof).toMatchObject({ account: { userId: mei }, credentialId: id });
    const began = accountOf(mei);
    expect((await step({ counter: 7, context: { began } })).proof).toMatchObject({ credentialId: id });
  });

  it('as the second step after a provider that decides about the person', async () => {
    await change(`update users set decided_by_provider = true where id = ${mei}`);
    const flow = {
      providerId: 1,
      providerEpoch: 1,
      linkId: 1,
      providerSession: null,
      beganAt: new Date(),
    };
    expect((await step({ flow })).proof).toMatchObject({ credentialId: id });
  });
});

describe('a passkey that is created during a login', () => {
  const registration = { response: {}, name: 'Key' };
  const began = accountOf(mei);

  it.each<[string, Given]>([
    ['without a login that was begun', { context: { began, flow: undefined } }],
    ['before the first step', { context: {} }],
    ['where none was begun', { context: { began }, flow: { credentialId: null } }],
  ])('is refused %s', async (_what, given) => {
    expect(await step({ registration, ...given })).toMatchObject({ proof: { refused: wrong }, done: [] });
  });

  it('is refused where it is not accepted, and else counts', async () => {
    expect(await step({ registration, context: { began }, flow: { credentialId: 4 } })).toMatchObject({
      proof: { refused: wrong, account: began },
      done: ['add 4 false'],
    });
    const passed = ['password', 'totp'];
    expect(await step({ registration, context: { began }, flow: { passed } })).toMatchObject({
      proof: { account: began, credentialId: 9 },
      done: ['add 9 true'],
    });
  });
});

it('reads an assertion or a registration, and nothing else', () => {
  const { reads, prepare } = createPasskeyMethod({ domain: 'localhost' } as never);
  expect([reads({ passkey: assertion } as never), reads({ registration: {} } as never)]).toEqual([
    true,
    true,
  ]);
  expect(reads({ password: 'p' } as never)).toBe(false);
  expect(prepare?.('one')).not.toEqual(prepare?.('two'));
});
