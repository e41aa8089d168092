// An administrator takes the factors of a person away while the person is setting one up.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { confirm, findTotp, insertUnconfirmed } from '../../../src/sign-in/mfa/credential-store.ts';
import { createFactorChanges } from '../../../src/sign-in/mfa/factor-changes.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

it('rejects the first code of an app that was being set up', async () => {
  const { store } = database;
  const changes = createFactorChanges({
    store,
    randomBytes,
    now: Date.now,
    issuer: 'Portcullis',
    access: {} as Parameters<typeof createFactorChanges>[0]['access'],
    recordChange: async () => {},
    secrets: {} as Parameters<typeof createFactorChanges>[0]['secrets'],
  });
  const begin = () =>
    store.transaction().execute((transaction) =>
      insertUnconfirmed(transaction, {
        ...{ userId: 7, kind: 'totp', factor: 2, sealedSecret: Buffer.from('sealed') },
      }),
    );
  const confirmIt = (id: number) =>
    store.transaction().execute((transaction) => confirm(transaction, id, { counter: 1 }));
  const before = await begin();
  await store.transaction().execute(async (transaction) => {
    const { apply } = changes.reset().change;
    await apply(transaction, { id: 7 } as Parameters<typeof apply>[1]);
  });
  expect(await findTotp(store, 7, before)).toBeUndefined();
  expect(await confirmIt(before)).toBe(false);
  // The control.
  expect(await confirmIt(await begin())).toBe(true);
});
