// The provider step of a login: which people are refused and why, and which provider facts the session gets.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LoginContext } from '../../../src/sign-in/login/method.ts';
import { createProviderMethod } from '../../../src/sign-in/providers/provider-method.ts';
import { findProvider, type StoredProvider } from '../../../src/sign-in/providers/provider-store.ts';
import { createFreshDatabase, type FreshDatabase } from '../../fresh-database.ts';
import { seedDirectory } from '../../seed-directory.ts';
import { createLinkedPeople, type LinkedPerson } from './linked-people.ts';

type Options = Parameters<typeof createProviderMethod>[0];

let database: FreshDatabase;
let provider: StoredProvider;
let person: LinkedPerson;
beforeAll(async () => {
  database = await createFreshDatabase();
  await seedDirectory(database.store);
  const people = createLinkedPeople(database);
  const id = await people.addProvider('oidc');
  person = await people.addPerson(id, 2, []);
  const found = await findProvider(database.store, { id });
  if (found === undefined) throw new Error('There is no provider.');
  provider = found;
});
afterAll(() => database.drop());
beforeEach(() => sql`update users set enabled = true, deleted_at = null`.execute(database.store));

const flow = () => ({ providerId: provider.id, beganAt: new Date(0) });
const input = () => ({ flowId: 'handle', provider: provider.key, answer: 'code=x' });

interface Given {
  readonly over?: Partial<Omit<Options, 'store' | 'redirectFlow'>>;
  readonly subject?: string;
  readonly sent?: object;
  readonly context?: object;
  readonly vouchedBy?: Partial<StoredProvider>;
}

async function verify({ over = {}, subject = person.subject, sent, context, vouchedBy }: Given = {}) {
  const redirectFlow = {
    get: async () => provider,
    handleCallback: async () => ({
      provider: { ...provider, ...vouchedBy },
      identity: { subject, name: '', session: 'sid', groups: ['staff'] },
    }),
  } as unknown as Options['redirectFlow'];
  const { verify: verifyIt } = createProviderMethod({
    store: database.store,
    redirectFlow,
    provisionUser: async () => undefined,
    applyGroupMapping: async ({ found }) => found.account,
    findGroupsFault: async () => undefined,
    ...over,
  });
  const given = {
    flow: flow(),
    ip: '127.0.0.1',
    requestId: 'r',
    ...context,
  } as unknown as LoginContext;
  return await verifyIt({ ...input(), ...sent } as never, given);
}
const set = (fields: object) =>
  database.store.updateTable('users').set(fields).where('id', '=', person.userId).execute();

describe('a login is refused', () => {
  it.each<[what: string, given: () => Given]>([
    ['that was not begun', () => ({ context: { flow: undefined } })],
    ['that was begun without a provider', () => ({ context: { flow: { ...flow(), providerId: null } } })],
    ['that was begun with another provider', () => ({ sent: { provider: 'other' } })],
  ])('%s', async (_what, given) => {
    expect(await verify(given())).toEqual({ refused: 'credentials_wrong' });
  });

  it('of a person without a link who is not admitted', async () => {
    await expect(verify({ subject: 'nobody' })).rejects.toMatchObject({ kind: 'provider_link_missing' });
  });

  it('of a deleted, a disabled and an unmapped person', async () => {
    const { userId } = person;
    const over = { provisionUser: async () => ({ id: person.linkId, userId }) };
    await set({ enabled: false });
    expect(await verify()).toMatchObject({ refused: 'user_disabled', account: { userId } });
    await set({ enabled: true });
    expect(await verify({ over: { applyGroupMapping: async () => undefined } })).toMatchObject({
      refused: 'role_disabled',
      account: { userId },
    });
    expect(
      await verify({ over: { provisionUser: async () => ({ id: 1, userId: 123_456 }) }, subject: 'x' }),
    ).toEqual({
      refused: 'credentials_wrong',
    });
    expect(await verify({ over, subject: 'x' })).toMatchObject({ account: { userId } });
  });

  it.each<[isCreated: boolean, given: () => Given]>([
    [true, () => ({ subject: 'new', vouchedBy: { provisioning: 'created' } })],
    [false, () => ({ subject: 'new', vouchedBy: { provisioning: 'invited' } })],
    [false, () => ({ subject: 'new', vouchedBy: { provisioning: 'created' }, sent: { invitation: 'ABCD' } })],
    [false, () => ({ vouchedBy: { provisioning: 'created' } })],
  ])('whose groups cannot be read, of a person to create: %s', async (isCreated, given) => {
    let asked: boolean | undefined;
    const { subject, ...more } = given();
    const refusal = await verify({
      ...more,
      ...(subject !== undefined && { subject }),
      over: {
        findGroupsFault: async (_provider, _vouched, creates) => {
          asked = creates;
          return 'groups_unreadable';
        },
      },
    });
    expect(asked).toBe(isCreated);
    expect(refusal).toMatchObject({ refused: 'groups_unreadable' });
    const { account } = refusal as { account?: { userId: number } };
    expect(account?.userId).toBe(subject === undefined ? person.userId : undefined);
  });
});

it('a login rests on the link, the provider as it was asked, and its session there', async () => {
  expect(await verify({ vouchedBy: { epoch: 7 } })).toMatchObject({
    account: { userId: person.userId },
    credentialId: person.linkId,
    provider: {
      providerId: provider.id,
      epoch: 7,
      session: 'sid',
      linkId: person.linkId,
      beganAt: new Date(0),
    },
  });
  const { rows } = await sql`select groups from credentials where id = ${person.linkId}`.execute(
    database.store,
  );
  expect(rows).toEqual([{ groups: ['staff'] }]);
});

it('takes an answer of a provider, and none beside a password', () => {
  const { reads } = createProviderMethod({} as never);
  expect([reads({ answer: 'a' } as never), reads({} as never)]).toEqual([true, false]);
  expect(reads({ answer: 'a', password: 'p' } as never)).toBe(false);
});
