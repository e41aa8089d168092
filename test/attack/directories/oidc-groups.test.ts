// Threats T300, T304 and T305 with a made-up OpenID provider: a passkey of a person whom a provider created, groups that cannot be
// read, and what a plan says of people who can sign in otherwise.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import type { Claims } from '../../rig/made-up-provider.ts';
import { createPasskeyDevice } from '../../rig/passkey-device.ts';
import { domain, openPasskeyPage, passkeySettings } from '../../rig/passkey-page.ts';
import type { Username } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addPerson } from '../sign-in-methods/people.ts';
import { outcomeOf, type StoredProvider, settingsOf, useOidcWorld } from './oidc-world.ts';

const world = await useOidcWorld(passkeySettings);
const page = openPasskeyPage(() => world().service);
const roleIds = { clerk: 2, guest: 5, retired: 6 };
const drawSubject = () => `subject-${randomBytes(6).toString('hex')}`;

async function addProvider(fields: object = {}, settings: object = {}): Promise<StoredProvider> {
  const { first, addProvider: add } = world();
  const key = `g${randomBytes(6).toString('hex')}`;
  const body = { key, kind: 'oidc', name: key, secret: first.made.secret, ...fields };
  const id = await add({ ...body, settings: settingsOf(first.made, key, settings) });
  return { id, key, made: first.made };
}

const to = (group: string, roleId: number) => ({ group, roleId, departmentId: null });

interface Wish {
  readonly roleSource: string;
  readonly mappings: readonly ReturnType<typeof to>[];
}

interface Shown {
  readonly digest: string;
  readonly changes: readonly {
    userId: number;
    effect: string;
    reason: string | null;
    remainingMethods: string[];
  }[];
}

async function plan({ id }: StoredProvider, wish: Wish): Promise<Shown> {
  return (await world().byAdmin('POST', `/providers/${id}/mappings/plan`, wish)).body.data as Shown;
}

async function apply(at: StoredProvider, wish: Wish): Promise<void> {
  const { digest } = await plan(at, wish);
  await world().byAdmin('PUT', `/providers/${at.id}/mappings`, { ...wish, digest });
}

/** An attack whose success is a login. */
function expectRefused(outcome: string): void {
  expectAttackFails(outcome, { success: 'in', failure: 'credentials_wrong' });
}

async function reasonsOf(userId: number): Promise<string[]> {
  const rows = await world().service.database.query<{ reason: string }>(
    `select reason from login_log where user_id = $1 and outcome = 'failure' order by id`,
    [userId],
  );
  return rows.map(({ reason }) => reason);
}

const created = { provisioning: 'created', roleId: roleIds.guest, departmentId: 1 };

describe('a person whom a provider created', () => {
  /** Signs in and sets a passkey up, because the role demands one. */
  async function enter(at: StoredProvider) {
    const { service, begin, finish } = world();
    const sub = drawSubject();
    const { url, ...journey } = await begin(at);
    await finish({ url, ...journey }, at.made.answer(url, { sub }));
    const { provider: _provider, ...step } = journey;
    const body = { ...step, kind: 'passkey' };
    const enrolled = await service.send({ method: 'POST', path: '/api/v1/login/enrol', body });
    const { passkey } = enrolled.body.data as { passkey: { challenge: string; user: { id: string } } };
    const device = createPasskeyDevice();
    const told = { challenge: passkey.challenge, origin: `https://${domain}`, rpId: domain };
    const registration = { response: device.make(told), name: 'Key' };
    const session = await service.postLogin({ ...step, registration });
    expect(outcomeOf(session)).toBe('in');
    const [link] = await service.database.query<{ userId: number; linkId: number }>(
      `select user_id::int as "userId", id::int as "linkId" from credentials where kind = 'link' and subject = $1`,
      [sub],
    );
    const ids = link ?? { userId: 0, linkId: 0 };
    return { sub, session, device, userHandle: passkey.user.id, ...ids };
  }
  type Entered = Awaited<ReturnType<typeof enter>>;

  async function passkeyAlone(person: Entered): Promise<string> {
    const { step, sign } = await page.begin();
    return outcomeOf(await world().service.postLogin({ ...step, passkey: sign(person) }));
  }

  it.each<[string, (at: StoredProvider, person: Entered) => Promise<Answer>]>([
    [
      'link',
      (_at, { userId, linkId }) => world().byAdmin('DELETE', `/users/${userId}/provider-links/${linkId}`),
    ],
    ['provider', (at) => world().byAdmin('DELETE', `/providers/${at.id}`)],
  ])('T300 rejects the passkey alone, before and after the %s is gone', async (_what, end) => {
    const { byAdmin, isAlive, tryByAdmin } = world();
    const roleKey = `strict-${randomBytes(4).toString('hex')}`;
    const { id: roleId } = (await byAdmin('POST', '/roles', { roleKey, name: roleKey, dataScope: '5' })).body
      .data as { id: number };
    await byAdmin('PUT', `/roles/${roleId}/required-factor`, { requiredFactor: 3 });
    const at = await addProvider({ ...created, roleId });
    const person = await enter(at);
    expectRefused(await passkeyAlone(person));
    expect(await isAlive(person.session)).toBe(true);
    await end(at, person);
    expect(await isAlive(person.session)).toBe(false);
    expectRefused(await passkeyAlone(person));
    // The control: an administrator gives the person a password, and with it a local way in.
    const reset = await tryByAdmin('PUT', `/users/${person.userId}/password`, {});
    expect(reset.body.code).toBe(200);
    expect(await passkeyAlone(person)).toBe('in');
  });
});

describe('groups that cannot be read', () => {
  const unreadable: readonly [string, Claims, string][] = [
    [
      'more than are read',
      { groups: Array.from({ length: 2001 }, (_, at) => `g${at}`) },
      'groups_unreadable',
    ],
    ['a text', { groups: 'suspended' }, 'groups_unreadable'],
    ['a list with something else in it', { groups: [{ name: 'suspended' }] }, 'groups_unreadable'],
    ['none', {}, 'groups_unreadable'],
    [
      'an overage of Entra by reference',
      { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph.example' } } },
      'groups_overage',
    ],
    ['an overage of Entra by flag', { hasgroups: true }, 'groups_overage'],
  ];
  const wish = {
    roleSource: 'every_login',
    mappings: [to('suspended', roleIds.retired), to('*', roleIds.clerk)],
  };

  it.each(unreadable)('T304 rejects %s where a mapping names a group', async (_what, claims, reason) => {
    const { addLinked, signIn, service } = world();
    const at = await addProvider({}, { groupsClaim: 'groups' });
    await apply(at, wish);
    const person = await addLinked(at);
    expectRefused(outcomeOf(await signIn(person.subject, {}, at, claims)));
    await expect.poll(() => reasonsOf(person.id)).toEqual([reason]);
    const output = service.server.process.output;
    const told =
      reason === 'groups_overage'
        ? 'Groups assigned to the application'
        : 'the provider sent no list of at most';
    expect(output.split('\n').some((line) => line.includes(at.key) && line.includes(told))).toBe(true);
    expectRefused(outcomeOf(await signIn(person.subject, {}, at, { groups: ['suspended'] })));
    expect(outcomeOf(await signIn(person.subject, {}, at, { groups: [] }))).toBe('in');
  });

  it('T304 creates no user with them, and every user where no group decides', async () => {
    const { signIn } = world();
    const at = await addProvider(created, { groupsClaim: 'groups' });
    await apply(at, { ...wish, roleSource: 'first_login' });
    const overage = { hasgroups: true };
    expectRefused(outcomeOf(await signIn(drawSubject(), {}, at, overage)));
    expect(outcomeOf(await signIn(drawSubject(), {}, at, { groups: [] }))).toBe('in');
    await apply(at, { roleSource: 'every_login', mappings: [to('*', roleIds.clerk)] });
    expect(outcomeOf(await signIn(drawSubject(), {}, at, overage))).toBe('in');
    await apply(at, { ...wish, roleSource: 'local' });
    expect(outcomeOf(await signIn(drawSubject(), {}, at, overage))).toBe('in');
  });

  it('T304 moves no person with unknown groups to the default role', async () => {
    const { addLinked, signIn } = world();
    const at = await addProvider({}, { groupsClaim: 'groups' });
    const [unknown, known] = [await addLinked(at), await addLinked(at)];
    expect(outcomeOf(await signIn(known.subject, {}, at, { groups: [] }))).toBe('in');
    const { changes } = await plan(at, wish);
    const reasonOf = (id: number) => changes.find(({ userId }) => userId === id)?.reason;
    expectAttackFails(reasonOf(unknown.id), { success: null, failure: 'unreadable' });
    expect(reasonOf(known.id)).toBe(null);
  });
});

it('T305 reports how people whom a plan refuses can still sign in', async () => {
  const { addLinked, signIn, service, second } = world();
  const at = await addProvider(created, { groupsClaim: 'groups' });
  const withPassword = await addLinked(at);
  const whom = await addPerson(service.database);
  await page.register(await page.signedIn(whom.username as Username));
  const withAll = await addLinked(at, undefined, whom);
  await addLinked(second, undefined, whom);
  expect(outcomeOf(await signIn(drawSubject(), {}, at, { groups: [] }))).toBe('in');
  const { changes } = await plan(at, { roleSource: 'every_login', mappings: [to('staff', roleIds.clerk)] });
  const leftOf = (id: number) => changes.find(({ userId }) => userId === id);
  failIfAttackSucceeded(
    leftOf(withPassword.id)?.effect === 'locked_out',
    'the plan says that people who can sign in are locked out',
  );
  expect(leftOf(withPassword.id)).toMatchObject({ effect: 'link_refused', remainingMethods: ['password'] });
  expect(leftOf(withAll.id)).toMatchObject({
    effect: 'link_refused',
    remainingMethods: ['password', 'passkey', 'provider'],
  });
  const made = changes.filter(({ userId }) => ![withPassword.id, withAll.id].includes(userId));
  expect(made).toMatchObject([{ effect: 'locked_out', remainingMethods: [] }]);
});
