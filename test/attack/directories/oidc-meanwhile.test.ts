// Threats, the company's directory: a provider that is changed while a person is on the way back from it. What it vouched for
// as it was before creates no link, admits no login and gives no role once the call that changed it has returned. The controls are in
// test/weaknesses/oidc.ts.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../../rig/authenticator.ts';
import type { Answer } from '../../rig/http-client.ts';
import type { Claims, Lie } from '../../rig/made-up-provider.ts';
import { createPasskeyDevice } from '../../rig/passkey-device.ts';
import { domain, passkeySettings } from '../../rig/passkey-page.ts';
import { password } from '../../rig/seed.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addArmed, addPerson, type Person } from '../sign-in-methods/people.ts';
import { codeAt } from '../sign-in-methods/totp-clock.ts';
import type { SendAs } from './journeys.ts';
import { outcomeOf, type StoredProvider, settingsOf, useOidcWorld } from './oidc-world.ts';

const world = await useOidcWorld(passkeySettings);
const roleIds = { clerk: 2, guest: 5 };
const drawSubject = () => `subject-${randomBytes(6).toString('hex')}`;

/** Another one that the first made-up provider is behind, so that each test has its own. */
async function addProvider(fields: object = {}, settings: object = {}): Promise<StoredProvider> {
  const { first, addProvider: add } = world();
  const key = `m${randomBytes(6).toString('hex')}`;
  const body = { key, kind: 'oidc', name: key, secret: first.made.secret, ...fields };
  const id = await add({ ...body, settings: settingsOf(first.made, key, settings) });
  return { id, key, made: first.made };
}

/** What is done while the provider signs. */
function besides(made: StoredProvider['made'], work: () => Promise<unknown>): Lie {
  return {
    async sign(claims) {
      await work();
      return await made.sign(claims);
    },
  };
}

async function signInBeside(
  at: StoredProvider,
  claims: Claims,
  work: () => Promise<unknown>,
): Promise<Answer> {
  const { begin, finish } = world();
  const journey = await begin(at);
  return await finish(journey, at.made.answer(journey.url, claims, besides(at.made, work)));
}

async function linkBeside(send: SendAs, at: StoredProvider, sub: string, work: () => Promise<unknown>) {
  const begun = await send('POST', '/user/provider-links/begin', { provider: at.key, oldPassword: password });
  const { flowId, url } = begun.body.data as { flowId: string; url: string };
  const answer = at.made.answer(url, { sub }, besides(at.made, work));
  return await send('POST', '/user/provider-links', { flowId, answer });
}

async function listLinks({ id }: Person): Promise<unknown[]> {
  return await world().service.database.query(
    `select id from credentials where user_id = $1 and kind = 'link' and ended_at is null`,
    [id],
  );
}

async function roleOf({ id }: Person): Promise<number | undefined> {
  const [row] = await world().service.database.query<{ role_id: number }>(
    'select role_id::int from users where id = $1',
    [id],
  );
  return row?.role_id;
}

const nothing = async () => {};

function expectNoLink({ body }: Answer): void {
  failIfAttackSucceeded(body.code === 200, 'a link is made');
}

function expectOut(answer: Answer): void {
  failIfAttackSucceeded(outcomeOf(answer) === 'in', 'the login succeeds');
}

describe('T168 a link that is made while the provider changes', () => {
  it('is none to the issuer that it has then, whose subjects are other people', async () => {
    const { service, as, second, byAdmin, signIn } = world();
    const at = await addProvider();
    const victim = await addPerson(service.database);
    const subject = drawSubject();
    const settings = settingsOf(second.made, at.key);
    const linked = await linkBeside(await as(victim), at, subject, () =>
      byAdmin('PUT', `/providers/${at.id}`, { settings, secret: second.made.secret }),
    );
    expectNoLink(linked);
    expect(await listLinks(victim)).toEqual([]);
    // Its address is another one: it was disabled.
    await byAdmin('PUT', `/providers/${at.id}/enabled`, { enabled: true });
    // Another person has the subject there.
    expectOut(await signIn(subject, {}, { ...at, made: second.made }));
    const beside = await linkBeside(await as(victim), { ...at, made: second.made }, drawSubject(), nothing);
    expect(beside.body.code).toBe(200);
  });

  it('is none to one that was disabled, nor to one that was disabled and enabled', async () => {
    const { service, as, byAdmin } = world();
    const at = await addProvider();
    const person = await addPerson(service.database);
    const enable = (enabled: boolean) => byAdmin('PUT', `/providers/${at.id}/enabled`, { enabled });
    const send = await as(person);
    expectNoLink(await linkBeside(send, at, drawSubject(), () => enable(false)));
    await enable(true);
    const cycle = async () => {
      await enable(false);
      await enable(true);
    };
    expectNoLink(await linkBeside(send, at, drawSubject(), cycle));
    expect(await listLinks(person)).toEqual([]);
    expect((await linkBeside(send, at, drawSubject(), nothing)).body.code).toBe(200);
  });

  it('is none by an invitation, and the invitation stays', async () => {
    const { service, byAdmin, second, begin, finish } = world();
    const at = await addProvider({ provisioning: 'invited' });
    const person = await addPerson(service.database);
    const invited = await byAdmin('POST', `/users/${person.id}/link-invitations`, { providerId: at.id });
    const { invitation } = invited.body.data as { invitation: string };
    const accept = async (made: StoredProvider['made'], sub: string, work: () => Promise<unknown>) => {
      const journey = await begin(at);
      return await finish(journey, made.answer(journey.url, { sub }, besides(made, work)), { invitation });
    };
    const settings = settingsOf(second.made, at.key);
    const change = () => byAdmin('PUT', `/providers/${at.id}`, { settings, secret: second.made.secret });
    expectOut(await accept(at.made, drawSubject(), change));
    expect(await listLinks(person)).toEqual([]);
    await byAdmin('PUT', `/providers/${at.id}/enabled`, { enabled: true });
    expect(outcomeOf(await accept(second.made, drawSubject(), nothing))).toBe('in');
  });
});

describe('T172 a login under way while the provider changes', () => {
  it('creates no user where the provider no longer creates any', async () => {
    const { byAdmin, service } = world();
    const at = await addProvider({ provisioning: 'created', roleId: roleIds.guest, departmentId: 1 });
    const subject = drawSubject();
    const close = () => byAdmin('PUT', `/providers/${at.id}`, { provisioning: 'linked' });
    expectOut(await signInBeside(at, { sub: subject }, close));
    const made = await service.database.query('select id from credentials where subject = $1', [subject]);
    expect(made).toEqual([]);
    await byAdmin('PUT', `/providers/${at.id}`, { provisioning: 'created' });
    expect(outcomeOf(await signInBeside(at, { sub: subject }, nothing))).toBe('in');
  });

  it('accepts no invitation where the provider no longer accepts any', async () => {
    const { byAdmin, service, begin, finish } = world();
    const at = await addProvider({ provisioning: 'invited' });
    const person = await addPerson(service.database);
    const invited = await byAdmin('POST', `/users/${person.id}/link-invitations`, { providerId: at.id });
    const { invitation } = invited.body.data as { invitation: string };
    const journey = await begin(at);
    const close = () => byAdmin('PUT', `/providers/${at.id}`, { provisioning: 'linked' });
    const answer = at.made.answer(journey.url, { sub: drawSubject() }, besides(at.made, close));
    expectOut(await finish(journey, answer, { invitation }));
    expect(await listLinks(person)).toEqual([]);
  });

  it('gives no role by groups that no longer give one', async () => {
    const { byAdmin, addLinked } = world();
    const at = await addProvider({}, { groupsClaim: 'groups' });
    const person = await addLinked(at);
    const mappings = [{ group: 'clerks', roleId: roleIds.clerk, departmentId: null }];
    const path = `/providers/${at.id}/mappings`;
    const set = async (roleSource: string) => {
      const { body } = await byAdmin('POST', `${path}/plan`, { roleSource, mappings });
      const { digest } = body.data as { digest: string };
      await byAdmin('PUT', path, { roleSource, mappings, digest });
    };
    await set('every_login');
    const claims = { sub: person.subject, groups: ['clerks'] };
    expect(outcomeOf(await signInBeside(at, claims, nothing))).toBe('in');
    expect(await roleOf(person)).toBe(roleIds.clerk);
    const answer = await signInBeside(at, claims, async () => {
      await set('local');
      await byAdmin('PUT', `/users/${person.id}/role`, { roleId: roleIds.guest });
    });
    failIfAttackSucceeded((await roleOf(person)) === roleIds.clerk, 'the groups give the role');
    expectOut(answer);
    expect(await roleOf(person)).toBe(roleIds.guest);
    expect(outcomeOf(await signInBeside(at, claims, nothing))).toBe('in');
    expect(await roleOf(person)).toBe(roleIds.guest);
  });
});

describe('T138 an enrolment during a login by a provider that no longer proves it', () => {
  type Linked = Awaited<ReturnType<ReturnType<typeof world>['addLinked']>>;
  const revocations: [what: string, revoke: (at: StoredProvider, person: Linked) => Promise<unknown>][] = [
    [
      'a link that ended',
      (_at, { id, linkId }) => world().byAdmin('DELETE', `/users/${id}/provider-links/${linkId}`),
    ],
    [
      'a provider that was disabled and enabled',
      async ({ id }) => {
        for (const enabled of [false, true])
          await world().byAdmin('PUT', `/providers/${id}/enabled`, { enabled });
      },
    ],
    [
      'a session that the provider ended',
      async (at) => world().sendLogout(await at.made.logoutToken({ sid: 'here' }), at),
    ],
    [
      'a person whom the provider logged out',
      async (at, { subject }) => world().sendLogout(await at.made.logoutToken({ sub: subject }), at),
    ],
  ];

  async function addStrict(): Promise<{ at: StoredProvider; person: Linked; pass: () => Promise<object> }> {
    const { byAdmin, service, addLinked, begin, finish } = world();
    const roleKey = `strict-${randomBytes(4).toString('hex')}`;
    const { body } = await byAdmin('POST', '/roles', { roleKey, name: roleKey, dataScope: '5' });
    await byAdmin('PUT', `/roles/${(body.data as { id: number }).id}/required-factor`, { requiredFactor: 2 });
    const at = await addProvider();
    const person = await addLinked(at, undefined, await addPerson(service.database, roleKey));
    const pass = async () => {
      const journey = await begin(at);
      const answer = at.made.answer(journey.url, { sub: person.subject, sid: 'here' });
      expect(outcomeOf(await finish(journey, answer))).toBe('factor_required');
      const { flowId, uuid, code } = journey;
      return { flowId, uuid, code };
    };
    return { at, person, pass };
  }
  const enrol = async (step: object, kind: string) =>
    await world().service.send({ method: 'POST', path: '/api/v1/login/enrol', body: { ...step, kind } });
  const finishApp = async (step: object, { body }: Answer) => {
    const otp = await codeOf((body.data as { secret: string }).secret);
    return await world().service.postLogin({ ...step, otp });
  };
  const listFactors = async ({ id }: Person) =>
    await world().service.database.query<{ kind: string }>(
      `select kind from credentials where user_id = $1 and kind <> 'link' and confirmed_at is not null`,
      [id],
    );

  it('T168 makes no passkey before the second factor of the account is proven, and makes one after it', async () => {
    const { byAdmin, service, addLinked, begin, finish } = world();
    const roleKey = `passkeys-${randomBytes(4).toString('hex')}`;
    const { body } = await byAdmin('POST', '/roles', { roleKey, name: roleKey, dataScope: '5' });
    await byAdmin('PUT', `/roles/${(body.data as { id: number }).id}/required-factor`, { requiredFactor: 3 });
    const at = await addProvider();
    const person = await addArmed(service.database, roleKey);
    const { subject } = await addLinked(at, undefined, person);
    const { flowId, uuid, code, url } = await begin(at);
    const step = { flowId, uuid, code };
    const first = await finish({ ...step, url, provider: at.key }, at.made.answer(url, { sub: subject }));
    expect(outcomeOf(first)).toBe('factor_required');
    const early = await enrol(step, 'passkey');
    failIfAttackSucceeded(early.body.code === 200, 'a passkey is begun by the provider alone');
    expect(outcomeOf(await service.postLogin({ ...step, otp: codeAt(person.secret) }))).toBe(
      'factor_required',
    );
    expect((await enrol(step, 'passkey')).body.code).toBe(200);
  });

  it.each(revocations)('is neither begun nor finished: %s; where it does, it is', async (_what, revoke) => {
    const [{ at, person, pass }, other] = [await addStrict(), await addStrict()];
    const [late, begun] = [await pass(), await pass()];
    const app = await enrol(begun, 'totp');
    expect(app.body.code).toBe(200);
    await revoke(at, person);
    const finished = await finishApp(begun, app);
    failIfAttackSucceeded((await listFactors(person)).length > 0, 'a factor is set up');
    expectOut(finished);
    const { body } = await enrol(late, 'totp');
    failIfAttackSucceeded(body.code === 200, 'an enrolment begins');
    const step = await other.pass();
    expect(outcomeOf(await finishApp(step, await enrol(step, 'totp')))).toBe('in');
    expect(await listFactors(other.person)).toEqual([{ kind: 'totp' }]);
  });

  it('makes no passkey, which would open the account without the provider', async () => {
    const { service, byAdmin } = world();
    const finish = async (step: object, { body, text }: Answer) => {
      expect(body.code, text).toBe(200);
      const { challenge } = (body.data as { passkey: { challenge: string } }).passkey;
      const saying = { challenge, origin: `https://${domain}`, rpId: domain };
      const registration = { response: createPasskeyDevice().make(saying), name: 'Key' };
      return await service.postLogin({ ...step, registration });
    };
    const [refused, other] = [await addStrict(), await addStrict()];
    const { person } = refused;
    const [begun, beside] = [await refused.pass(), await other.pass()];
    const [pending, pendingBeside] = [await enrol(begun, 'passkey'), await enrol(beside, 'passkey')];
    await byAdmin('DELETE', `/users/${person.id}/provider-links/${person.linkId}`);
    const finished = await finish(begun, pending);
    failIfAttackSucceeded((await listFactors(person)).length > 0, 'a passkey is made');
    expectOut(finished);
    expect(outcomeOf(await finish(beside, pendingBeside))).toBe('in');
    expect(await listFactors(other.person)).toEqual([{ kind: 'passkey' }]);
  });
});
