// The races: one call that takes away what a login rests on, and the logins beside it.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MadeUpProvider } from '../../rig/made-up-provider.ts';
import { dnOf } from '../../rig/slapd.ts';
import type { Race } from '../factor/races.ts';
import { askAgain } from '../send-again.ts';
import type { Instance } from '../start-cluster.ts';
import { addLinked, addMember, type Linked, memberRacer, type Place, racerOf } from './people.ts';

const loginsOfPerson = 4;
const loginsOfProvider = 8;
/** Few: the first who is in is looked for. */
const loginsOfMember = 2;

export const loginsOf: Readonly<Record<string, number>> = {
  link: loginsOfPerson + 1,
  disable: loginsOfProvider,
  session: loginsOfPerson + 1,
  person: loginsOfPerson + 1,
  recheck: loginsOfMember,
};

export const races: Readonly<Record<string, (place: Place) => Promise<Race>>> = {
  link: endLink,
  disable,
  session: endSession,
  person: endPerson,
  recheck,
};

async function endLink(place: Place): Promise<Race> {
  const [person, other] = await two(place);
  const path = `/api/v1/users/${person.id}/provider-links/${person.linkId}`;
  return {
    racers: await racersOf(place, person, other, 'link'),
    take: (instance) => place.cluster.command(instance, 'DELETE', path),
  };
}

async function disable(place: Place): Promise<Race> {
  const { cluster, random, provider } = place;
  const people = await addLinked(place, loginsOfProvider);
  const set = (instance: Instance, enabled: boolean) =>
    cluster.command(instance, 'PUT', `/api/v1/providers/${provider.id}/enabled`, { enabled });
  return {
    racers: await Promise.all(people.map((person) => racerOf(place, person, { name: 'disable' }))),
    take: (instance) => set(instance, false),
    restore: () => set(random.pick(cluster.instances), true),
  };
}

/** One session at the provider; another one of the same person goes on. */
async function endSession(place: Place): Promise<Race> {
  const [person] = await addLinked(place, 1);
  if (person === undefined) throw new Error('There is no person.');
  const sid = randomBytes(9).toString('base64url');
  const racers = await Promise.all(
    Array.from({ length: loginsOfPerson }, () => racerOf(place, person, { name: 'session', sid })),
  );
  const kept = { name: 'another session', sid: randomBytes(9).toString('base64url'), isWeaker: false };
  return {
    racers: [...racers, await racerOf(place, person, kept)],
    take: (instance) => sendLogout(place, instance, { sub: person.subject, sid }),
  };
}

async function endPerson(place: Place): Promise<Race> {
  const [person, other] = await two(place);
  return {
    racers: await racersOf(place, person, other, 'person'),
    take: (instance) => sendLogout(place, instance, { sub: person.subject }),
  };
}

/**
 * A person leaves a real directory, and it is asked again: at a time when logins that it verified are at their last step.
 * Whatever login is under way there is not finished, so that no other login races.
 */
async function recheck(place: Place): Promise<Race> {
  const { cluster, random, slapd, directory } = place;
  const person = await addMember(place);
  const startedAt = performance.now();
  const { logIn } = memberRacer(person, 'before');
  const { body, text } = await logIn(random.pick(cluster.instances));
  if (typeof body.token !== 'string') throw new Error(`A login by the directory: ${text}`);
  const loginMilliseconds = performance.now() - startedAt;
  // Whoever has no session is not looked for: that is the narrow way through.
  await cluster.logOut(random.pick(cluster.instances), body.token);
  return {
    racers: Array.from({ length: loginsOfMember }, () => memberRacer(person, 'recheck')),
    async take(instance) {
      await sleep(random.below(Math.ceil(2 * loginMilliseconds)));
      await slapd.remove(dnOf(person.username));
      await cluster.command(instance, 'POST', `/api/v1/providers/${directory.id}/recheck`);
    },
  };
}

async function two(place: Place): Promise<[Linked, Linked]> {
  const [person, other] = await addLinked(place, 2);
  if (person === undefined || other === undefined) throw new Error('There is no person.');
  return [person, other];
}

async function racersOf(place: Place, person: Linked, other: Linked, name: string) {
  const racers = Array.from({ length: loginsOfPerson }, () => racerOf(place, person, { name }));
  return await Promise.all([
    ...racers,
    racerOf(place, other, { name: `${name}, another person`, isWeaker: false }),
  ]);
}

/** As the provider sends it; a new token each time, because each is good once. */
export async function sendLogout(
  { made, provider }: { readonly made: MadeUpProvider; readonly provider: { readonly key: string } },
  { server }: Instance,
  ended: { readonly sub: string; readonly sid?: string },
): Promise<void> {
  const address = `http://127.0.0.1:${server.port}/api/v1/providers/${provider.key}/logout`;
  const answer = await askAgain(
    async () => {
      const body = new URLSearchParams({ logout_token: await made.logoutToken(ended) });
      return await fetch(address, { method: 'POST', body }).catch(() => undefined);
    },
    (some) => some === undefined || some.status === 503,
    'a logout by a provider that was answered with 503 or not at all',
  );
  const text = await answer?.text();
  if (answer?.status !== 200) throw new Error(`A logout: ${answer?.status} ${text}`);
}
