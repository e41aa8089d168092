// Threats, two requests about one person or provider that cross: both get an answer that says what happened, and none of them
// fails with an error of the service. The writer repeats a change that a deadlock undid, so that no answer shows one: Postgres
// counts them.
import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { outcomeOf, type StoredProvider, useOidcWorld } from '../directories/oidc-world.ts';
import { addPerson, type Person } from '../sign-in-methods/people.ts';
import { openClient, patience, untilWaiting } from './postgres-client.ts';

const world = await useOidcWorld();
const drawSubject = () => `subject-${randomBytes(6).toString('hex')}`;
const guestRole = 5;
/** As the triggers of the database have it. */
const factorLock = 1886352749;

async function invite(at: StoredProvider, { id }: Person): Promise<string> {
  const { body } = await world().byAdmin('POST', `/users/${id}/link-invitations`, { providerId: at.id });
  return (body.data as { invitation: string }).invitation;
}

/** Stops the service: what Postgres counted of a connection is sure to be told when the connection has ended. */
async function countDeadlocks(): Promise<number> {
  const { server, database } = world().service;
  await server.stop();
  const isConnected = async () =>
    await database.query(
      `select from pg_stat_activity where datname = current_database() and application_name = 'portcullis'`,
    );
  await expect.poll(isConnected, patience).toEqual([]);
  const [row] = await database.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks ?? Number.NaN;
}

describe('T293 two requests that cross', () => {
  it('returns no server error where a provider is deleted while its invitation is accepted', async () => {
    const { service, addAnother, addLinked, begin, finish, byAdmin } = world();
    const at = await addAnother({ provisioning: 'invited' });
    const { linkId } = await addLinked(at);
    const person = await addPerson(service.database);
    const invitation = await invite(at, person);
    const journey = await begin(at);
    // Holds the acceptance where it takes the lock of the factors.
    const holder = await openClient(service.database.url);
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock($1, hashtext($2))', [factorLock, String(person.id)]);
    const accepting = finish(journey, at.made.answer(journey.url, { sub: drawSubject() }), { invitation });
    await untilWaiting(service.database, [accepting]);
    // Holds the deletion where it has the provider, and before it deletes the invitation.
    const linkHolder = await openClient(service.database.url);
    await linkHolder.query('begin');
    await linkHolder.query('select from credentials where id = $1 for update', [linkId]);
    const deleting = byAdmin('DELETE', `/providers/${at.id}`);
    await untilWaiting(service.database, [accepting, deleting]);
    await holder.query('commit');
    // The acceptance has come to the provider.
    await untilWaiting(service.database, [accepting, deleting], 'transactionid');
    await linkHolder.query('commit');
    expect((await deleting).body.code).toBe(200);
    expect(outcomeOf(await accepting)).toBe('credentials_wrong');
  });

  it('lets a person in whose invitation is accepted while a change of the account is rolled back', async () => {
    const { service, addAnother, begin, finish } = world();
    const at = await addAnother({ provisioning: 'invited' });
    const person = await addPerson(service.database);
    const invitation = await invite(at, person);
    const journey = await begin(at);
    const changer = await openClient(service.database.url);
    await changer.query('begin');
    await changer.query('select from users where id = $1 for no key update', [person.id]);
    const accepting = finish(journey, at.made.answer(journey.url, { sub: drawSubject() }), { invitation });
    await untilWaiting(service.database, [accepting], 'transactionid');
    // Deletes the invitation: a deadlock, where the acceptance waits for the account and has the invitation.
    await changer.query('update users set enabled = false where id = $1', [person.id]);
    await changer.query('rollback');
    expect(outcomeOf(await accepting)).toBe('in');
  });

  /** The first logins of these people, who have one name, at once: all are held where they create the account. */
  async function enterAtOnce(at: StoredProvider, subjects: readonly string[]): Promise<Answer[]> {
    const { service, begin, finish } = world();
    const linkFlow = await Promise.all(subjects.map(() => begin(at)));
    const holder = await openClient(service.database.url);
    await holder.query('begin');
    await holder.query('select from roles where id = $1 for update', [guestRole]);
    const logins = linkFlow.map((journey, index) =>
      finish(journey, at.made.answer(journey.url, { sub: subjects[index], preferred_username: 'Mei' })),
    );
    await untilWaiting(service.database, logins);
    await holder.query('commit');
    return await Promise.all(logins);
  }
  const addCreating = () =>
    world().addAnother({ provisioning: 'created', roleId: guestRole, departmentId: 1 });

  it('lets both of two concurrent first logins of one person in, as one account', async () => {
    const sub = drawSubject();
    const { service, isAlive } = world();
    for (const login of await enterAtOnce(await addCreating(), [sub, sub])) {
      failIfAttackSucceeded(login.body.code === 500, 'one of two logins is an error of the service');
      expect(outcomeOf(login)).toBe('in');
      expect(await isAlive(login)).toBe(true);
    }
    const links = await service.database.query('select from credentials where subject = $1', [sub]);
    expect(links).toHaveLength(1);
  });

  it('lets two people of one name in whose first logins are concurrent, each with an account', async () => {
    const { service } = world();
    const subjects = [drawSubject(), drawSubject()];
    const logins = await enterAtOnce(await addCreating(), subjects);
    failIfAttackSucceeded(
      logins.some(({ body }) => body.code === 409),
      'one of two people is refused',
    );
    expect(logins.map(outcomeOf)).toEqual(['in', 'in']);
    const owners = await service.database.query(
      'select distinct user_id from credentials where subject = any($1)',
      [subjects],
    );
    expect(owners).toHaveLength(2);
  });

  // The last one, because it stops the service.
  it('causes no deadlock in any of these races', async () => {
    expect(await countDeadlocks()).toBe(0);
  });
});
