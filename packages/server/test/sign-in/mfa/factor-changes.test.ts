// Every change of a person's factors waits for another one of the same person, and a failed statement rolls it back.
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSealedSecrets } from '../../../src/base/secrets/sealed-secrets.ts';
import type { Store, StoreTransaction } from '../../../src/cluster/store/store.ts';
import type { AuditedCall } from '../../../src/logs/audit/record-change.ts';
import { createRecordChange } from '../../../src/logs/audit/record-change.ts';
import {
  confirm,
  insertUnconfirmed,
  lockFactorOfRole,
  lockFactorsOfUser,
} from '../../../src/sign-in/mfa/credential-store.ts';
import { createFactorChanges } from '../../../src/sign-in/mfa/factor-changes.ts';
import { createPasskeyChanges } from '../../../src/sign-in/mfa/passkey/passkey-changes.ts';
import type { WebAuthn } from '../../../src/sign-in/mfa/passkey/web-authn.ts';
import { replaceCodes } from '../../../src/sign-in/mfa/recovery/code-store.ts';
import { createSetRoleFactor } from '../../../src/sign-in/mfa/required-factor.ts';
import { codeAt, stepAt } from '../../../src/sign-in/mfa/totp/totp.ts';
import { insertSession } from '../../../src/sign-in/sessions/session-store.ts';
import { createPlainAccess, expectEachFailureTold } from '../../failing-statement.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { administrator } from '../../serve-routes.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

const mei = 7;
const editorRole = 2;
const call: AuditedCall = {
  caller: { ...administrator, userId: mei, roleId: editorRole },
  confirmedAt: 'unchecked',
  ip: '127.0.0.1',
  requestId: 'r',
};
const account = {
  userId: mei,
  username: 'mei',
  roleId: editorRole,
  roleKey: 'editor',
  dataScope: '3',
  epoch: 1,
} as const;
const loginCall = { account, ip: '127.0.0.1', requestId: 'r' };
const secrets = createSealedSecrets('totp', [randomBytes(32)]);
const secret = Buffer.alloc(20, 7);
const code = () => codeAt(secret, stepAt(Date.now()));
const made = { response: {}, name: 'Key' } as never;

/** Of mei: an app that counts, one that is being set up, a passkey that is being made, recovery codes and two sessions. */
let app: number;
let pendingApp: number;
let pendingPasskey: number;
beforeEach(prepare);
async function prepare(): Promise<void> {
  const { store } = database;
  for (const table of ['sessions', 'credentials', 'recovery_codes', 'enrolment_codes'])
    await sql`delete from ${sql.table(table)}`.execute(store);
  await store.updateTable('roles').set({ factor: 1 }).execute();
  await store.updateTable('users').set({ epoch: 1 }).execute();
  await store.transaction().execute(async (transaction) => {
    const sealedSecret = secrets.seal(mei, secret);
    const add = (kind: 'totp' | 'passkey', more: object) =>
      insertUnconfirmed(transaction, { userId: mei, kind, factor: kind === 'totp' ? 2 : 3, ...more });
    app = await add('totp', { sealedSecret });
    await confirm(transaction, app, { counter: 1 });
    pendingApp = await add('totp', { sealedSecret });
    pendingPasskey = await add('passkey', { publicPart: { challenge: 'c', userHandle: 'h' } });
    await replaceCodes(transaction, mei, [randomBytes(32)]);
  });
  for (const credentialId of [app, app])
    await insertSession(store, {
      jti: randomUUID(),
      kid: 'k',
      account: { userId: mei, roleKey: 'editor', epoch: 1 },
      proof: { method: 'totp', factor: 2, credentialId },
      issuedAt: new Date(),
      expiresAt: new Date(Date.now() + 3_600_000),
    });
}

function createChanges(store: Store) {
  const webAuthn = {
    verifyRegistration: async () => ({ subject: randomUUID(), publicKey: 'k', counter: 0 }),
  } as unknown as WebAuthn;
  const access = createPlainAccess(store);
  const common = { store, access, randomBytes, recordChange: createRecordChange(), issuer: 'Portcullis' };
  const changes = createFactorChanges({ ...common, now: Date.now, secrets });
  const passkeys = createPasskeyChanges({ ...common, webAuthn, domain: 'localhost' });
  const canManage = { ofRole: async () => {} };
  const setRoleFactor = createSetRoleFactor({ ...common, canManage, passkeysEnabled: true });
  return { access, changes, passkeys, setRoleFactor };
}

type Change = (made: ReturnType<typeof createChanges>) => Promise<unknown>;
const proven = true;
const ofUser: readonly (readonly [name: string, change: Change])[] = [
  ['adding an app', ({ changes }) => changes.addTotp(call)],
  ['confirming an app', ({ changes }) => changes.confirmTotp(call, pendingApp, code())],
  ['removing an app', ({ changes }) => changes.endOwn(call, app)],
  ['making recovery codes', ({ changes }) => changes.makeRecoveryCodes(call)],
  [
    'taking all factors away',
    ({ access, changes }) =>
      access.takeAway(call, async (transaction) => {
        const { apply } = changes.reset().change;
        return await apply(transaction, { id: mei } as Parameters<typeof apply>[1]);
      }),
  ],
  ['beginning a passkey', ({ passkeys }) => passkeys.begin(call, call.caller)],
  ['adding a passkey', ({ passkeys }) => passkeys.add(call, made)],
  ['beginning a passkey on the way in', ({ passkeys }) => passkeys.beginAtLogin(loginCall, proven)],
  [
    'adding a passkey on the way in',
    ({ passkeys }) => passkeys.addAtLogin(loginCall, made, pendingPasskey, proven),
  ],
];

describe('a statement that fails undoes', () => {
  it.each<(typeof ofUser)[number]>([
    ...ofUser,
    ['naming an app', ({ changes }) => changes.nameOwn(call, app, 'Telephone')],
    [
      'recording a counter that goes back',
      ({ passkeys }) => passkeys.recordCounter(loginCall, { id: app, counter: 2 }, 1),
    ],
  ])('%s', async (_name, change) => {
    await expectEachFailureTold(database.store, (store) => change(createChanges(store)));
  });

  it('a demand of a role, or leaves sessions to the next call of it', async () => {
    const demand = { ...call, params: { id: editorRole }, body: { requiredFactor: 3 } } as never;
    const change = (store: Store) => createChanges(store).setRoleFactor(demand);
    await expectEachFailureTold(database.store, change, prepare);
  });
});

/** Whether the change waits for the lock, and what becomes of it then. */
async function changeBeside(
  lock: (transaction: StoreTransaction) => Promise<void>,
  change: Change,
): Promise<boolean> {
  let isSettled = false;
  let isWaiting = false;
  let changing: Promise<unknown> = Promise.resolve();
  await database.store.transaction().execute(async (transaction) => {
    await lock(transaction);
    changing = change(createChanges(database.store)).finally(() => {
      isSettled = true;
    });
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`.execute(
          database.store,
        );
        isWaiting = rows.length > 0;
        return isWaiting || isSettled;
      })
      .toBe(true);
  });
  await changing;
  return isWaiting;
}

describe('waits for another change of the same person:', () => {
  it.each(ofUser)('%s', async (_name, change) => {
    expect(await changeBeside((transaction) => lockFactorsOfUser(transaction, mei), change)).toBe(true);
  });
});

it('a demand of a role waits for another change of the same demand', async () => {
  const demand: Change = ({ setRoleFactor }) =>
    setRoleFactor({ ...call, params: { id: editorRole }, body: { requiredFactor: 2 } } as never);
  expect(await changeBeside((transaction) => lockFactorOfRole(transaction, 'editor'), demand)).toBe(true);
});
