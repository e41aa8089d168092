// Threats T300 to T303: an account that a provider decides about accepts no other sign-in method alone, also while the provider
// is disabled and after the link or the provider is gone. Every refusal has a control beside it that succeeds.
import { randomBytes } from 'node:crypto';
import { type Client, ClientError } from '@portcullis/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Answer } from '../../rig/http-client.ts';
import { openPasskeyPage, type Passkey, passkeySettings } from '../../rig/passkey-page.ts';
import { password, type Username } from '../../rig/seed.ts';
import { directoryPassword, dnOf, personEntry } from '../../rig/slapd.ts';
import { expectAttackFails, failIfAttackSucceeded } from '../../weaknesses/attack.ts';
import { addPerson, outcomeOf, type Person } from '../sign-in-methods/people.ts';
import { useDirectoryWorld } from './world.ts';

const world = useDirectoryWorld({ settings: passkeySettings });
const page = openPasskeyPage(() => world().service);

interface LinkedPerson extends Person {
  readonly passkey: Passkey;
  readonly linkId: number;
  /** A session by the password, from before the link. */
  readonly local: Client;
  /** A session by the passkey, from before the link. */
  readonly byPasskey: Client;
}

async function addDirectory(): Promise<{ id: number; key: string }> {
  const { addProvider, byAdmin, call } = world();
  const id = await addProvider({ provisioning: 'linked', isDefault: false });
  onTestFinished(async () => {
    await call('PUT', `/providers/${id}/enabled`, { enabled: false });
  });
  const { key } = (await byAdmin('GET', `/providers/${id}`)).body.data as { key: string };
  return { id, key };
}

async function link(client: Client, key: string, username: string): Promise<number> {
  await world().slapd.add(personEntry(username));
  const body = { provider: key, oldPassword: password, username, password: directoryPassword };
  return (await client.addDirectoryLink({ body })).data.id;
}

/** With a password here, a passkey, and a link to the directory. */
async function addLinked(key: string): Promise<LinkedPerson> {
  const person = await addPerson(world().service.database);
  const username = person.username as Username;
  const passkey = await page.register(await page.signedIn(username));
  const byPasskey = await page.logIn(passkey);
  const begun = await page.begin();
  await expect(begun.prove(username)).rejects.toThrow(ClientError);
  await begun.send(begun.sign(passkey));
  const linkId = await link(begun.client, key, username);
  return { ...person, passkey, linkId, local: begun.client, byPasskey };
}

async function passkeyAlone({ passkey }: LinkedPerson): Promise<string> {
  return await page.logIn(passkey).then(
    () => 'in',
    (error: ClientError) => String(error.reason),
  );
}

/** The first step with a name and a password, and the passkey as the second one. */
async function withPasskey(person: LinkedPerson, first: string): Promise<string> {
  const { postLogin } = world().service;
  const { step, sign } = await page.begin();
  const proven = outcomeOf(await postLogin({ ...step, username: person.username, password: first }));
  if (proven !== 'factor_required') return proven;
  return outcomeOf(await postLogin({ ...step, passkey: sign(person.passkey) }));
}

const isAlive = (client: Client) =>
  client.getInfo().then(
    () => true,
    () => false,
  );

/** An attack whose success is a login. */
function expectRefused(outcome: string): void {
  expectAttackFails(outcome, { success: 'in', failure: 'credentials_wrong' });
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 200,
    ({ code }: ClientError) => code,
  );

/** An attack whose success is a session that is still open. */
async function expectEnded({ local, byPasskey }: LinkedPerson): Promise<void> {
  const alive = await Promise.all([local, byPasskey].map(isAlive));
  failIfAttackSucceeded(alive.includes(true), 'a session is still open');
}

async function reasonsOf({ username }: Person): Promise<unknown[]> {
  const rows = await world().service.database.query<{ reason: string }>(
    `select method || ' ' || reason as reason from login_log where username = $1 and outcome = 'failure' order by id`,
    [username],
  );
  return rows.map(({ reason }) => reason);
}

async function resetPassword({ id }: Person): Promise<string> {
  const fresh = `seven-otters-${randomBytes(6).toString('hex')}`;
  await world().byAdmin('PUT', `/users/${id}/password`, { password: fresh });
  return fresh;
}

describe('an account that is linked to a directory', () => {
  it('T300 rejects its passkey alone and its local password, and keeps the passkey as a second factor', async () => {
    const { key } = await addDirectory();
    const person = await addLinked(key);
    expectRefused(await passkeyAlone(person));
    expectRefused(await withPasskey(person, password));
    expect(await withPasskey(person, directoryPassword)).toBe('in');
  });

  it('T300 rejects a session that no provider proved where it is stored', async () => {
    const { key } = await addDirectory();
    const person = await addLinked(key);
    const { database } = world().service;
    const insert = ({ id }: Person) =>
      database.query(
        `insert into sessions (jti, user_id, role_key, kid, epoch, issued_at, expires_at, factor)
         select $1, $2, 'guest', (select kid from keys limit 1), 1, now(), now() + interval '1 hour', 3`,
        [randomBytes(9).toString('hex'), id],
      );
    const outcome = await insert(person).then(
      () => 'stored',
      ({ code }) => code,
    );
    expectAttackFails(outcome, { success: 'stored', failure: 'PF002' });
    await insert(await addPerson(database));
  });

  it('T301 ends every session of a leaver, whatever method proved it', async () => {
    const { id, key } = await addDirectory();
    const [leaver, stayer] = [await addLinked(key), await addLinked(key)];
    await world().byAdmin('POST', `/providers/${id}/recheck`);
    expect(await isAlive(leaver.byPasskey)).toBe(true);
    await world().slapd.remove(dnOf(leaver.username));
    await world().byAdmin('POST', `/providers/${id}/recheck`);
    await expectEnded(leaver);
    expect(await Promise.all([stayer.local, stayer.byPasskey].map(isAlive))).toEqual([true, true]);
    expectRefused(await passkeyAlone(leaver));
    expectRefused(await withPasskey(leaver, password));
  });

  it('T302 keeps the local password closed while the directory is disabled, and says why in the login log', async () => {
    const { id, key } = await addDirectory();
    const person = await addLinked(key);
    await world().byAdmin('PUT', `/providers/${id}/enabled`, { enabled: false });
    await expectEnded(person);
    expectRefused(await withPasskey(person, password));
    expectRefused(await passkeyAlone(person));
    const told = ['password provider_login_required', 'passkey provider_login_required'];
    await expect.poll(() => reasonsOf(person)).toEqual(expect.arrayContaining(told));
    await world().byAdmin('PUT', `/providers/${id}/enabled`, { enabled: true });
    expect(await withPasskey(person, directoryPassword)).toBe('in');
  });

  it('T302 ends the sessions from before the link when the directory gets other settings', async () => {
    const { id, key } = await addDirectory();
    const person = await addLinked(key);
    const { settings } = (await world().byAdmin('GET', `/providers/${id}`)).body.data as { settings: object };
    await world().byAdmin('PUT', `/providers/${id}`, { name: 'Another name' });
    expect(await Promise.all([person.local, person.byPasskey].map(isAlive))).toEqual([true, true]);
    await world().byAdmin('PUT', `/providers/${id}`, { settings: { ...settings, recheckMinutes: 7 } });
    await expectEnded(person);
    expect(await withPasskey(person, directoryPassword)).toBe('in');
  });

  it.each<[string, (person: LinkedPerson, id: number) => Promise<Answer>]>([
    ['link', ({ id, linkId }) => world().byAdmin('DELETE', `/users/${id}/provider-links/${linkId}`)],
    ['directory', (_person, id) => world().byAdmin('DELETE', `/providers/${id}`)],
  ])('T302 keeps it closed after the %s is gone, until an administrator resets it', async (_what, end) => {
    const { id, key } = await addDirectory();
    const person = await addLinked(key);
    await end(person, id);
    await expectEnded(person);
    expectRefused(await withPasskey(person, password));
    expectRefused(await passkeyAlone(person));
    const fresh = await resetPassword(person);
    expect(await withPasskey(person, fresh)).toBe('in');
    expect(await passkeyAlone(person)).toBe('in');
  });

  it('T302 keeps it closed after a reset while the link exists', async () => {
    const { key } = await addDirectory();
    const person = await addLinked(key);
    expectRefused(await withPasskey(person, await resetPassword(person)));
    expectRefused(await passkeyAlone(person));
    expect(await withPasskey(person, directoryPassword)).toBe('in');
  });

  it('T303 rejects the end of the link by the person', async () => {
    const { key } = await addDirectory();
    const person = await addLinked(key);
    const params = { id: person.linkId };
    const ended = person.local.endOwnLink({ params, body: { oldPassword: password } });
    expectAttackFails(await codeOf(ended), { success: 200, failure: 409 });
    expect(await withPasskey(person, directoryPassword)).toBe('in');
  });

  it('T303 rejects the link of the last administrator who can sign in without a provider', async () => {
    const { key } = await addDirectory();
    const { database } = world().service;
    const ada = await page.signedIn('ada');
    expectAttackFails(await codeOf(link(ada, key, 'ada')), { success: 200, failure: 409 });
    const other = await addPerson(database, 'admin');
    const client = await page.signedIn(other.username as Username);
    await link(client, key, other.username);
    expectAttackFails(await codeOf(link(ada, key, 'ada.again')), { success: 200, failure: 409 });
    const [row] = await database.query<{ id: number }>(`select id::int from users where username = 'ada'`);
    const disabling = { params: { id: row?.id ?? 0 }, body: { enabled: false } };
    expectAttackFails(await codeOf(client.setUserEnabled(disabling)), { success: 200, failure: 409 });
    expect(await isAlive(await page.signedIn('ada'))).toBe(true);
  });
});
