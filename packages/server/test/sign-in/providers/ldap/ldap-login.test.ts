// Which directory a name leads to, asked of a database without any directory.
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createConcurrencyLimit } from '../../../../src/base/limit/concurrency-limit.ts';
import { createLdapLogin } from '../../../../src/sign-in/providers/ldap/ldap-login.ts';
import { createFreshDatabase, type FreshDatabase } from '../../../fresh-database.ts';
import { seedDirectory } from '../../../seed-directory.ts';
import { createLinkedPeople } from '../linked-people.ts';

const never = () => Promise.reject(new Error('This is not called.'));
let database: FreshDatabase;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
});
afterAll(() => database.drop());

/** How many statements it takes to find out where the name leads, and whether that is a directory. */
async function find(username: string) {
  let statements = 0;
  const count: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const login = createLdapLogin({
    store: database.store.withPlugin(count),
    directories: { ask: never, open: never },
    concurrencyLimit: createConcurrencyLimit(1),
    provisionUser: never,
    applyGroupMapping: never,
  });
  const { directory } = await login.find({ username, password: 'wrong' });
  return { statements, isLed: directory !== undefined };
}

it('counts an attempt for the limit of the directory only while the directory is asked', async () => {
  const world = createLinkedPeople(database);
  const id = await world.addProvider('ldap', 'local', []);
  await database.store.updateTable('providers').set({ is_default: true }).where('id', '=', id).execute();
  const answers: ((person: undefined) => void)[] = [];
  const login = createLdapLogin({
    store: database.store,
    directories: { ask: () => new Promise<never>((resolve) => answers.push(resolve as never)), open: never },
    concurrencyLimit: createConcurrencyLimit(1),
    provisionUser: never,
    applyGroupMapping: never,
  });
  const fields = { username: 'guest', password: 'wrong' };
  const [first, second] = await Promise.all([login.find(fields), login.find(fields)]);
  const context = { isKnownNetwork: false, ip: '192.0.2.1', requestId: 'r' };
  const verify = (found: typeof first) => found.directory?.method.verify(fields, context);
  const asked = verify(first);
  await expect(verify(second)).rejects.toMatchObject({ kind: 'rate_limited' });
  answers[0]?.(undefined);
  expect(await asked).toMatchObject({ refused: 'credentials_wrong' });
  const again = verify(second);
  answers[1]?.(undefined);
  expect(await again).toMatchObject({ refused: 'credentials_wrong' });
  await database.store.updateTable('providers').set({ is_default: false, enabled: false }).execute();
});

it('a name takes as many statements whether it leads to a directory or not', async () => {
  const world = createLinkedPeople(database);
  expect(await find('nobody')).toEqual({ statements: 1, isLed: false });
  const id = await world.addProvider('ldap', 'local', []);
  const linked = await world.addPerson(id, 2, []);
  const { username } = await database.store
    .selectFrom('users')
    .select('username')
    .where('id', '=', linked.userId)
    .executeTakeFirstOrThrow();
  await database.store.updateTable('providers').set({ is_default: true }).where('id', '=', id).execute();
  expect(await find(username)).toEqual({ statements: 2, isLed: true });
  expect(await find('nobody')).toEqual({ statements: 2, isLed: true });
  expect(await find('mei')).toEqual({ statements: 2, isLed: false });
});
