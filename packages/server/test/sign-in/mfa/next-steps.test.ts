// The answer to an incomplete login: the methods that complete it, and the factors that can be enrolled during it.
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createNextSteps } from '../../../src/sign-in/mfa/next-steps.ts';
import { openEnrolment, replaceCodes } from '../../../src/sign-in/mfa/recovery/code-store.ts';
import { hashRecoveryCode } from '../../../src/sign-in/mfa/recovery/recovery-code.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());
beforeEach(async () => {
  for (const table of ['credentials', 'recovery_codes', 'enrolment_codes'])
    await sql`delete from ${sql.table(table)}`.execute(database.store);
});

const mei = 7;
const editor = 2;
const account = { userId: mei, roleId: editor } as never;
type Has = 'app' | 'passkey' | 'ended app' | 'codes';

interface Situation {
  readonly demanded: 1 | 2 | 3;
  readonly has?: readonly Has[];
  readonly passed?: readonly string[];
  readonly passkeys?: boolean;
}

const begun: string[] = [];
const open = (passkeys: boolean) =>
  createNextSteps({
    store: database.store,
    changes: {
      addTotpAtLogin: async () => {
        begun.push('app');
        return { id: 1 } as never;
      },
    },
    passkeys: passkeys
      ? {
          beginAtLogin: async (_call, isSecond) => {
            begun.push(`passkey ${isSecond}`);
            return { id: 2 } as never;
          },
        }
      : undefined,
  });

async function arrange({ demanded, has = [], passkeys = true }: Situation) {
  begun.length = 0;
  await sql`update roles set factor = ${demanded} where id = ${editor}`.execute(database.store);
  for (const what of has) {
    if (what === 'codes')
      await database.store
        .transaction()
        .execute((transaction) => replaceCodes(transaction, mei, [randomBytes(32)]));
    else
      await sql`insert into credentials (user_id, kind, factor, confirmed_at, ended_at)
        values (${mei}, ${what === 'passkey' ? 'passkey' : 'totp'}, ${what === 'passkey' ? 3 : 2}, now(),
          case when ${what === 'ended app'} then now() end)`.execute(database.store);
  }
  return open(passkeys);
}

const password = ['password'];
const second = ['password', 'totp'];

describe('after the first step, a login', () => {
  it.each<[Situation, methods: readonly string[], enrol: readonly string[], codeRequired?: boolean]>([
    [{ demanded: 1 }, [], []],
    [{ demanded: 2 }, [], ['totp', 'passkey']],
    [{ demanded: 2, passkeys: false }, [], ['totp']],
    [{ demanded: 3 }, [], ['passkey']],
    [{ demanded: 3, passkeys: false }, [], []],
    [{ demanded: 2, has: ['ended app'] }, [], ['totp', 'passkey'], true],
    [{ demanded: 1, has: ['ended app'] }, [], []],
    [{ demanded: 1, has: ['app'] }, ['totp'], []],
    [{ demanded: 1, has: ['app', 'codes'] }, ['totp', 'recovery'], []],
    [{ demanded: 2, has: ['app', 'passkey'] }, ['totp', 'passkey'], []],
    [{ demanded: 2, has: ['app', 'passkey'], passkeys: false }, ['totp'], []],
    [{ demanded: 2, has: ['passkey'], passkeys: false }, [], []],
    [{ demanded: 2, has: ['passkey', 'codes'] }, ['passkey', 'recovery'], []],
    [{ demanded: 3, has: ['app', 'codes'] }, ['totp', 'recovery'], []],
    [{ demanded: 3, has: ['app', 'passkey', 'codes'] }, ['passkey'], []],
  ])('of %j continues with %j, or enrols %j', async (situation, methods, enrol, codeRequired = false) => {
    const steps = await arrange(situation);
    expect(await steps.describe(account, password)).toEqual({ methods, enrol, codeRequired });
  });
});

describe('after the second step, a login', () => {
  it.each<[Situation, methods: readonly string[], enrol: readonly string[]]>([
    [{ demanded: 3, has: ['app', 'codes'] }, [], ['passkey']],
    [{ demanded: 3, has: ['app', 'codes'], passkeys: false }, [], []],
    [{ demanded: 3, has: ['app', 'passkey', 'codes'] }, ['passkey'], []],
    [{ demanded: 2, has: ['app', 'codes'] }, [], ['passkey']],
    [{ demanded: 2, has: ['app', 'passkey', 'codes'] }, ['passkey'], []],
    [{ demanded: 3, has: ['ended app'] }, [], ['passkey']],
  ])('of %j continues with %j, or enrols %j', async (situation, methods, enrol) => {
    const steps = await arrange(situation);
    expect(await steps.describe(account, second)).toEqual({ methods, enrol, codeRequired: false });
  });
});

describe('enrolment during a login', () => {
  const noted: number[] = [];
  const enrol = async (situation: Situation, kind: 'totp' | 'passkey', enrolmentCode?: string) => {
    const steps = await arrange(situation);
    noted.length = 0;
    const passed = situation.passed ?? password;
    const flow = {
      passed,
      providerId: null,
      enrol: async (id: number) => {
        await new Promise(setImmediate);
        noted.push(id);
      },
    } as never;
    const call = { account, flow, kind, enrolmentCode, ip: '127.0.0.1', requestId: 'r' };
    return await steps.enrol(call);
  };

  it.each<[Situation, 'totp' | 'passkey']>([
    [{ demanded: 1 }, 'totp'],
    [{ demanded: 3 }, 'totp'],
    [{ demanded: 2, has: ['app'] }, 'totp'],
    [{ demanded: 2, passkeys: false }, 'passkey'],
    [{ demanded: 3, has: ['app'] }, 'passkey'],
  ])('of %j refuses another %s', async (situation, kind) => {
    await expect(enrol(situation, kind)).rejects.toMatchObject({ kind: 'factor_required' });
    expect(begun).toEqual([]);
  });

  it('requires the code of an administrator where the person had a factor before', async () => {
    const situation = { demanded: 2, has: ['ended app'] } as const;
    await expect(enrol(situation, 'totp')).rejects.toMatchObject({ kind: 'code_wrong' });
    const hash = hashRecoveryCode(mei, 'ABCD');
    const expiresAt = new Date(Date.now() + 60_000);
    await database.store
      .transaction()
      .execute((transaction) => openEnrolment(transaction, mei, hash, expiresAt));
    await expect(enrol(situation, 'totp', 'EFGH')).rejects.toMatchObject({ kind: 'code_wrong' });
    expect([begun, noted]).toEqual([[], []]);
    await enrol(situation, 'totp', 'ABCD');
    expect([begun, noted]).toEqual([['app'], [1]]);
  });

  it.each<[Situation, 'totp' | 'passkey', begins: string, id: number]>([
    [{ demanded: 2 }, 'totp', 'app', 1],
    [{ demanded: 2 }, 'passkey', 'passkey false', 2],
    [{ demanded: 3, has: ['app'], passed: second }, 'passkey', 'passkey true', 2],
  ])('%j begins a %s, which the login keeps', async (situation, kind, begins, id) => {
    await enrol(situation, kind);
    expect([begun, noted]).toEqual([[begins], [id]]);
  });
});
