// The trigger that rejects a session below the required factor, during a concurrent change of the requirement: the insert
// waits for the change, and reads the state that was committed meanwhile.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Factor } from '@portcullis/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StoreTransaction } from '../../../src/cluster/store/store.ts';
import type { Admission } from '../../../src/sign-in/login/throttle/throttle.ts';
import { createThrottleStore } from '../../../src/sign-in/login/throttle/throttle-store.ts';
import {
  confirm,
  insertUnconfirmed,
  listFactors,
  lockFactorOfRole,
  lockFactorsOfUser,
  setRoleFactor,
} from '../../../src/sign-in/mfa/credential-store.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const [mei, kim] = [7, 8];
const [editorRole, formerRole] = [
  { id: 2, key: 'editor' },
  { id: 3, key: 'former' },
];

/** `stored`, or why not. */
async function storeSession(
  userId: number,
  roleKey = editorRole.key,
  factor: Factor = 1,
  admitted?: Admission,
): Promise<string> {
  const session = {
    jti: randomUUID(),
    kid: 'k',
    account: { userId, roleKey, epoch: 1 },
    proof: { method: factor === 1 ? 'password' : 'totp', factor },
    issuedAt: new Date(),
    expiresAt: new Date(Date.now() + 3_600_000),
  } as const;
  return await insertSession(database.store, session, admitted).then(
    () => 'stored',
    (error: { kind?: string }) => String(error.kind),
  );
}

async function countWaiting(): Promise<number> {
  const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`.execute(database.store);
  return rows.length;
}

/** What becomes of a session that is stored after the change was made and before it is committed. */
async function storeBeside(
  change: (transaction: StoreTransaction) => Promise<unknown>,
  ...session: Parameters<typeof storeSession>
): Promise<string> {
  let isSettled = false;
  let storing = Promise.resolve('');
  await database.store.transaction().execute(async (transaction) => {
    await change(transaction);
    storing = storeSession(...session).finally(() => {
      isSettled = true;
    });
    await expect.poll(async () => isSettled || (await countWaiting()) === 1).toBe(true);
  });
  return await storing;
}

async function addApp(transaction: StoreTransaction, userId: number): Promise<void> {
  const id = await insertUnconfirmed(transaction, {
    userId,
    kind: 'totp',
    factor: 2,
    sealedSecret: Buffer.of(1),
  });
  await confirm(transaction, id, { counter: 1 });
}

describe('a session of one factor', () => {
  it('waits for a change of the required factor of its role, and is refused; one of another role does not wait', async () => {
    const raise = async (transaction: StoreTransaction) => {
      await lockFactorOfRole(transaction, editorRole.key);
      await setRoleFactor(transaction, editorRole.id, 2);
    };
    expect(await storeBeside(raise, kim)).toBe('factor_required');
    expect(await storeSession(kim, editorRole.key, 2)).toBe('stored');
    await setBack();
    expect(await storeBeside(raise, kim, formerRole.key)).toBe('stored');
    await setBack();
    expect(await storeSession(kim)).toBe('stored');
  });

  it('waits for the enrolment of a factor of its user, and is refused; one of another user does not wait', async () => {
    const add = async (transaction: StoreTransaction) => {
      await lockFactorsOfUser(transaction, mei);
      await addApp(transaction, mei);
    };
    expect(await storeBeside(add, mei)).toBe('factor_required');
    await database.store.deleteFrom('credentials').execute();
    expect(await storeBeside(add, kim)).toBe('stored');
    await database.store.deleteFrom('credentials').execute();
    expect(await storeSession(mei)).toBe('stored');
  });
});

describe('the attempt that led to a session is settled with it', () => {
  const key = () => randomBytes(16);
  const limits = { failuresBeforeDelay: 5, networkFailuresPerMinute: 20, accountFailures: 30 };

  /** What is known of the account and network afterwards. */
  async function guessAndStore(roleKey: string) {
    const throttle = createThrottleStore(database.store, limits);
    const keys = { pair: key(), network: key(), account: key(), device: key() };
    await throttle.admit(keys);
    await throttle.settle(keys, 'failure', false);
    await throttle.admit(keys);
    const admitted: Admission = {
      prefetched: { result: undefined, milliseconds: 0 },
      settleBySession: (jti) => throttle.settleBySession(keys, jti, false),
      isSettled: false,
      keepAsWrong: () => async () => {},
    };
    const stored = await storeSession(kim, roleKey, 1, admitted);
    const { rows } =
      await sql`select failures, in_flight as "inFlight", succeeded_at is not null as "isSuccess"
      from throttle where key = ${keys.pair}`.execute(database.store);
    return { stored, isSettled: admitted.isSettled, ...(rows[0] as object) };
  }

  it('as one that was never verified where the session proves too little', async () => {
    await setRoleFactor(database.store as never, formerRole.id, 2);
    expect(await guessAndStore(formerRole.key)).toMatchObject({
      stored: 'factor_required',
      failures: 1,
      inFlight: 0,
      isSuccess: false,
      isSettled: true,
    });
    await setBack();
  });

  it('as a success where it is stored', async () => {
    expect(await guessAndStore(formerRole.key)).toMatchObject({
      stored: 'stored',
      failures: 0,
      inFlight: 0,
      isSuccess: true,
      isSettled: true,
    });
  });
});

it('ends all factors of a deleted person', async () => {
  await database.store.transaction().execute((transaction) => addApp(transaction, mei));
  expect(await listFactors(database.store, mei)).toHaveLength(1);
  await database.store
    .updateTable('users')
    .set({ deleted_at: sql<Date>`now()` })
    .where('id', '=', mei)
    .execute();
  expect(await listFactors(database.store, mei)).toEqual([]);
});

async function setBack(): Promise<void> {
  await database.store.updateTable('roles').set({ factor: 1 }).execute();
}
