// Threats, invitations to link an account: they open nothing once the account is disabled or deleted, or its password is reset,
// also where that happens while one is accepted. And the other ways to a link: an attempt that expired, an account that is created.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { rulesInForce } from '../../rig/rules-in-force.ts';
import { password } from '../../rig/seed.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { outcomeOf, type StoredProvider, useOidcWorld } from '../directories/oidc-world.ts';
import { addPerson, type Person } from '../sign-in-methods/people.ts';
import { openClient, untilWaiting } from './postgres-client.ts';

const world = await useOidcWorld();
const drawSubject = () => `subject-${randomBytes(6).toString('hex')}`;
/** As the triggers of the database have it. */
const factorLock = 1886352749;

interface Invited {
  readonly at: StoredProvider;
  readonly person: Person;
  readonly invitation: string;
}

async function invite(at: StoredProvider, person: Person): Promise<string> {
  const { body } = await world().byAdmin('POST', `/users/${person.id}/link-invitations`, {
    providerId: at.id,
  });
  return (body.data as { invitation: string }).invitation;
}

async function addInvited(): Promise<Invited> {
  const at = await world().addAnother({ provisioning: 'invited' });
  const person = await addPerson(world().service.database);
  return { at, person, invitation: await invite(at, person) };
}

async function accept({ at, invitation }: Omit<Invited, 'person'>, sub = drawSubject()) {
  const journey = await world().begin(at);
  return await world().finish(journey, at.made.answer(journey.url, { sub }), { invitation });
}

/** An attack whose success is a login. */
function expectRefused(answer: Answer): void {
  expectAttackFails(outcomeOf(answer), { success: 'in', failure: 'credentials_wrong' });
}

async function listLinks({ id }: Person): Promise<unknown[]> {
  return await world().service.database.query(
    `select id from credentials where user_id = $1 and kind = 'link' and ended_at is null`,
    [id],
  );
}

describe('T291 an invitation from before the account was closed', () => {
  const closings: [what: string, close: (person: Person) => Promise<unknown>][] = [
    ['disabled', ({ id }) => world().byAdmin('PUT', `/users/${id}/enabled`, { enabled: false })],
    ['given another password', ({ id }) => world().byAdmin('PUT', `/users/${id}/password`, {})],
  ];
  it.each(closings)(
    'rejects it once the account was %s, also when it is enabled again',
    async (_what, close) => {
      const { byAdmin } = world();
      const invited = await addInvited();
      await close(invited.person);
      expectRefused(await accept(invited));
      await byAdmin('PUT', `/users/${invited.person.id}/enabled`, { enabled: true });
      expectRefused(await accept(invited));
      expect(await listLinks(invited.person)).toEqual([]);
      const invitation = await invite(invited.at, invited.person);
      expect(outcomeOf(await accept({ ...invited, invitation }))).toBe('in');
    },
  );

  it('rejects one that was made while the account is disabled, and stores no link', async () => {
    const { byAdmin } = world();
    const { at, person } = await addInvited();
    await byAdmin('PUT', `/users/${person.id}/enabled`, { enabled: false });
    const invitation = await invite(at, person);
    const refused = await accept({ at, invitation });
    failIfAttackSucceeded((await listLinks(person)).length > 0, 'a disabled account has a link');
    expectRefused(refused);
    await byAdmin('PUT', `/users/${person.id}/enabled`, { enabled: true });
    expect(outcomeOf(await accept({ at, invitation }))).toBe('in');
  });

  it('rejects it while the provider admits linked accounts only', async () => {
    const { byAdmin } = world();
    const invited = await addInvited();
    const admit = (provisioning: string) => byAdmin('PUT', `/providers/${invited.at.id}`, { provisioning });
    await admit('linked');
    expectRefused(await accept(invited));
    expect(await listLinks(invited.person)).toEqual([]);
    await admit('invited');
    expect(outcomeOf(await accept(invited))).toBe('in');
  });

  it('deletes it with the account, also where it was made while the account was disabled', async () => {
    const { byAdmin, service } = world();
    const { at, person } = await addInvited();
    await byAdmin('PUT', `/users/${person.id}/enabled`, { enabled: false });
    await invite(at, person);
    await byAdmin('DELETE', `/users/${person.id}`);
    const left = await service.database.query('select from link_invitations where user_id = $1', [person.id]);
    failIfAttackSucceeded(left.length > 0, 'the invitation outlives the account');
  });

  it('rejects it after an administrator withdrew it, which is recorded; a second withdrawal finds none', async () => {
    const { byAdmin, tryByAdmin } = world();
    const { at, person, invitation } = await addInvited();
    const path = `/users/${person.id}/link-invitations/${at.id}`;
    await byAdmin('DELETE', path);
    expectRefused(await accept({ at, invitation }));
    expect((await tryByAdmin('DELETE', path)).body.code).toBe(404);
    const { body } = await byAdmin('GET', `/audit?target=user%20${person.id}`);
    expect((body.data as { items: unknown[] }).items).toContainEqual(
      expect.objectContaining({ action: 'user.link_invite_withdraw', before: { providerId: at.id } }),
    );
  });

  it('rejects the withdrawal by a caller who cannot manage the user', async () => {
    const { service, byAdmin, as } = world();
    const roleKey = `clerk-${randomBytes(4).toString('hex')}`;
    const { body } = await byAdmin('POST', '/roles', { roleKey, name: roleKey, dataScope: '1' });
    const { id } = body.data as { id: number };
    await byAdmin('POST', `/roles/${id}/rules`, rulesInForce([{ method: '*', path: '/api/v1/users/*' }]));
    const send = await as(await addPerson(service.database, roleKey));
    const at = await world().addAnother({ provisioning: 'invited' });
    const administrator = await addPerson(service.database, 'admin');
    const invitation = await invite(at, administrator);
    const refused = await send('DELETE', `/users/${administrator.id}/link-invitations/${at.id}`);
    expect(outcomeOf(refused)).toBe('permission_denied');
    expect(outcomeOf(await accept({ at, invitation }))).toBe('in');
  });
});

describe('T292 an invitation that is accepted while the account is deleted', () => {
  it('keeps no link of a deleted account, and the same identity is admitted elsewhere', async () => {
    const { service, byAdmin } = world();
    const invited = await addInvited();
    const { at, person } = invited;
    // Holds the acceptance where it takes the lock of the factors.
    const holder = await openClient(service.database.url);
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1, hashtext($2))', [factorLock, String(person.id)]);
    const subject = drawSubject();
    const accepting = accept(invited, subject);
    await untilWaiting(service.database, [accepting]);
    const deleting = byAdmin('DELETE', `/users/${person.id}`);
    await untilWaiting(service.database, [accepting, deleting]);
    await holder.query('commit');
    await Promise.all([accepting, deleting]);
    failIfAttackSucceeded((await listLinks(person)).length > 0, 'a deleted account has a link');
    const other = await addPerson(service.database);
    expect(outcomeOf(await accept({ at, invitation: await invite(at, other) }, subject))).toBe('in');
  });

  it('rejects every new credential of a deleted account in the database itself', async () => {
    const { service, addLinked, byAdmin, first } = world();
    const person = await addPerson(service.database);
    await byAdmin('DELETE', `/users/${person.id}`);
    const storing = addLinked(first, drawSubject(), person);
    const outcome = await storing.then(
      () => 'stored',
      (error: Error) => error.message,
    );
    failIfAttackSucceeded(outcome === 'stored', 'a deleted account has a link');
    expect(outcome).toMatch(/deleted account/);
  });

  it('keeps no credential that was being stored when the deletion began', async () => {
    const { service, byAdmin, first } = world();
    const person = await addPerson(service.database);
    const storing = await openClient(service.database.url);
    await storing.query('begin');
    await storing.query('select pg_advisory_xact_lock($1, hashtext($2))', [factorLock, String(person.id)]);
    await storing.query(
      `insert into credentials (user_id, kind, factor, provider_id, subject, confirmed_at)
       values ($1, 'link', 1, $2, $3, now())`,
      [person.id, first.id, drawSubject()],
    );
    const deleting = byAdmin('DELETE', `/users/${person.id}`);
    await untilWaiting(service.database, [deleting]);
    await storing.query('commit');
    await deleting;
    failIfAttackSucceeded((await listLinks(person)).length > 0, 'a deleted account has a link');
  });
});

describe('T168 a link attempt that expired', () => {
  it('rejects the answer of the provider, and stores no link', async () => {
    const { service, as, first } = world();
    const person = await addPerson(service.database);
    const send = await as(person);
    const finish = async (expire: () => Promise<unknown>) => {
      const begun = await send('POST', '/user/provider-links/begin', {
        provider: first.key,
        oldPassword: password,
      });
      const { flowId, url } = begun.body.data as { flowId: string; url: string };
      await expire();
      return await send('POST', '/user/provider-links', {
        flowId,
        answer: first.made.answer(url, { sub: drawSubject() }),
      });
    };
    const late = await finish(() => service.database.query('update link_attempts set expires_at = now()'));
    expectAttackFails(late.body.code, { success: 200, failure: 400 });
    expect(await listLinks(person)).toEqual([]);
    expect((await finish(async () => {})).body.code).toBe(200);
  });
});

describe('T168 a person whom a provider creates', () => {
  // The second one has two letters of another script that look alike.
  it.each([
    ['keeps the name of the provider where it is of one script', 'Ada Byron', 'Ada Byron'],
    ['rejects a name of mixed scripts, and shows the username', '\u0410d\u0430 Byron', undefined],
  ])('%s', async (_rule, name, expected) => {
    const { service, addAnother, signIn } = world();
    const at = await addAnother({ provisioning: 'created', roleId: 5, departmentId: 1 });
    const subject = drawSubject();
    expect(outcomeOf(await signIn(subject, {}, at, { name }))).toBe('in');
    const [user] = await service.database.query<{ username: string; nick_name: string }>(
      `select username, nick_name from users
       where id = (select user_id from credentials where subject = $1)`,
      [subject],
    );
    failIfAttackSucceeded(expected === undefined && user?.nick_name === name, 'the name is shown');
    expect(user?.nick_name).toBe(expected ?? user?.username);
  });
});
