// Threats T280 and T281: guesses at passwords of a directory by signed-in users, and what resets the count of wrong guesses. Every refusal has a
// control beside it that succeeds.
import { beforeAll, describe, expect, it } from 'vitest';
import { password } from '../../rig/seed.ts';
import { directoryPassword, personEntry } from '../../rig/slapd.ts';
import { expectAttackFails } from '../../weaknesses/attack.ts';
import { useDirectoryWorld } from '../directories/world.ts';
import { addPerson, outcomeOf, type Person } from '../sign-in-methods/people.ts';

const limit = 4;
const world = useDirectoryWorld({ settings: { THROTTLE_FAILURES_BEFORE_DELAY: String(limit) } });
const wrong = 'credentials_wrong';
let providerId = 0;
let key = '';
beforeAll(async () => {
  const { addProvider, byAdmin } = world();
  providerId = await addProvider();
  key = ((await byAdmin('GET', `/providers/${providerId}`)).body.data as { key: string }).key;
});

const times = (count: number) => Array.from({ length: count });

/** A signed-in person who links accounts of the directory. */
async function signIn() {
  const { service } = world();
  const person = await addPerson(service.database);
  const headers = { authorization: `Bearer ${String((await service.logIn(person.username)).body.token)}` };
  const link = async (username: string, secret = 'wrong') => {
    const body = { provider: key, oldPassword: password, username, password: secret };
    const path = '/api/v1/user/provider-links/directory';
    const answer = await service.send({ method: 'POST', path, headers, body });
    return answer.body.code === 200 ? 'linked' : outcomeOf(answer);
  };
  return { ...person, link };
}

async function addToDirectory(name: string): Promise<string> {
  await world().slapd.add(personEntry(name));
  return name;
}

let count = 0;
async function addVictim(): Promise<string> {
  count += 1;
  return await addToDirectory(`victim${count}`);
}

const logIn = async (name: string, secret?: string, more?: object) =>
  outcomeOf(await world().logIn(name, secret, more));

describe('T280 guesses of a signed-in user at the directory', () => {
  it('T280 rejects guesses at one name after as many failures as a login allows, from all callers together', async () => {
    const [victim, one, other] = [await addVictim(), await signIn(), await signIn()];
    for (const _guess of times(limit - 1)) expect(await one.link(victim)).toBe(wrong);
    expect(await other.link(victim)).toBe(wrong);
    expectAttackFails(await other.link(victim, directoryPassword), {
      success: 'linked',
      failure: 'rate_limited',
    });
    expect(await logIn(victim)).toBe('rate_limited');
    // The control: the caller may still link another name.
    expect(await other.link(await addVictim(), directoryPassword)).toBe('linked');
  });

  it('T280 counts them together with guesses at the login', async () => {
    const [victim, caller] = [await addVictim(), await signIn()];
    for (const _guess of times(limit - 1)) expect(await logIn(victim, 'wrong')).toBe(wrong);
    expect(await caller.link(victim.toUpperCase())).toBe(wrong);
    expectAttackFails(await caller.link(victim), { success: wrong, failure: 'rate_limited' });
    expect(await logIn(await addVictim())).toBe('in');
  });

  it('T280 rejects a caller who guesses at many names', async () => {
    const caller = await signIn();
    for (const _guess of times(limit)) expect(await caller.link(await addVictim())).toBe(wrong);
    expectAttackFails(await caller.link(await addVictim(), directoryPassword), {
      success: 'linked',
      failure: 'rate_limited',
    });
    expect(await (await signIn()).link(await addVictim(), directoryPassword)).toBe('linked');
  });

  it('T280 keeps the count of a caller who knows the password of an account of the directory', async () => {
    const [caller, own] = [await signIn(), await addVictim()];
    expect(await caller.link(own, directoryPassword)).toBe('linked');
    for (const _guess of times(limit - 1)) {
      expect(await caller.link(await addVictim())).toBe(wrong);
      expect(await caller.link(own, directoryPassword)).toBe('409');
    }
    expect(await caller.link(await addVictim())).toBe(wrong);
    expectAttackFails(await caller.link(await addVictim()), { success: wrong, failure: 'rate_limited' });
  });
});

describe('T281 a right password of another person', () => {
  /** An account here whose name another person has in the directory. */
  async function addNamesake(): Promise<Person> {
    const person = await addPerson(world().service.database);
    await addToDirectory(person.username);
    return person;
  }

  it('T281 keeps the guesses at a local name when its namesake of the directory is linked', async () => {
    const [{ username }, caller] = [await addNamesake(), await signIn()];
    for (const _guess of times(limit - 1)) expect(await logIn(username, 'wrong')).toBe(wrong);
    expect(await caller.link(username, directoryPassword)).toBe('linked');
    expect(await logIn(username, 'wrong')).toBe(wrong);
    expectAttackFails(await logIn(username, password), { success: 'in', failure: 'rate_limited' });
    // The control: a right password of this person forgets them.
    const { username: other } = await addNamesake();
    for (const _guess of times(limit - 1)) expect(await logIn(other, 'wrong')).toBe(wrong);
    expect(await logIn(other, password)).toBe('in');
    for (const _guess of times(limit - 1)) expect(await logIn(other, 'wrong')).toBe(wrong);
    expect(await logIn(other, password)).toBe('in');
  });

  it('T281 keeps them when the namesake logs in by an invitation', async () => {
    const { byAdmin, service } = world();
    const [{ username }, guest] = [await addNamesake(), await addPerson(service.database)];
    await byAdmin('PUT', `/providers/${providerId}`, { provisioning: 'invited' });
    const path = `/users/${guest.id}/link-invitations`;
    const { invitation } = (await byAdmin('POST', path, { providerId })).body.data as { invitation: string };
    for (const _guess of times(limit - 1)) expect(await logIn(username, 'wrong')).toBe(wrong);
    expect(await logIn(username, directoryPassword, { invitation })).toBe('in');
    expect(await logIn(username, 'wrong')).toBe(wrong);
    expectAttackFails(await logIn(username, password), { success: 'in', failure: 'rate_limited' });
    await byAdmin('PUT', `/providers/${providerId}`, { provisioning: 'created' });
  });
});
