// Which logins can still enrol a factor, under the lock against other changes of the person's factors.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SessionProvider } from '../../../src/sign-in/login/method.ts';
import { confirm, insertUnconfirmed } from '../../../src/sign-in/mfa/credential-store.ts';
import { type Enroller, isSecondProven, lockForChange } from '../../../src/sign-in/mfa/lock-for-change.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { createLinkedPeople, type LinkedPerson } from '../providers/linked-people.ts';

let database: FreshDatabase;
let person: LinkedPerson;
let provider: SessionProvider;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const people = createLinkedPeople(database);
  const providerId = await people.addProvider('oidc');
  person = await people.addPerson(providerId, 2, []);
  const epoch = (await people.epochOf(providerId)) ?? 0;
  provider = { providerId, epoch, linkId: person.linkId, beganAt: new Date() };
});
afterAll(() => database.drop());
beforeEach(() => sql`delete from credentials where kind = 'totp'`.execute(database.store));

const lock = (enroller?: Partial<Enroller>, epoch = 1) =>
  database.store.transaction().execute((transaction) =>
    lockForChange(
      transaction,
      person.userId,
      enroller && {
        account: { userId: person.userId, epoch } as never,
        isSecondProven: false,
        ...enroller,
      },
    ),
  );

async function addApp(isConfirmed: boolean): Promise<void> {
  await database.store.transaction().execute(async (transaction) => {
    const app = { userId: person.userId, kind: 'totp', factor: 2 } as const;
    const id = await insertUnconfirmed(transaction, app);
    if (isConfirmed) await confirm(transaction, id, { counter: 1 });
  });
}

describe('a login begins again', () => {
  const refusal = { kind: 'captcha_wrong' };

  it('whose account changed meanwhile', async () => {
    await expect(lock({}, 2)).rejects.toMatchObject(refusal);
  });

  it('whose person has a factor that the login did not prove', async () => {
    await addApp(true);
    await expect(lock({})).rejects.toMatchObject(refusal);
  });

  it.each<[string, () => SessionProvider]>([
    ['was changed', () => ({ ...provider, epoch: provider.epoch + 1 })],
    ['has no such link', () => ({ ...provider, linkId: provider.linkId + 1000 })],
  ])('whose provider %s', async (_what, createProvider) => {
    await expect(lock({ provider: createProvider() })).rejects.toMatchObject(refusal);
  });
});

describe('a login goes on', () => {
  it('by a password, with nothing or with an app that is being set up', async () => {
    await lock({});
    await addApp(false);
    await lock({});
  });

  it('with the provider that proved the login', async () => {
    await lock({ provider });
  });

  it('that proved the factor that there is', async () => {
    await addApp(true);
    await lock({ isSecondProven: true });
  });
});

it('lets a logged-in person change factors in any state', async () => {
  await addApp(true);
  await lock();
});

it.each<[boolean, readonly string[]]>([
  [false, []],
  [false, ['password']],
  [false, ['oidc']],
  [false, ['oauth']],
  [false, ['ldap']],
  [true, ['password', 'totp']],
  [true, ['passkey']],
])('answers %s to whether a second factor is proven by %j', (expected, passed) => {
  expect(isSecondProven(passed)).toBe(expected);
});
