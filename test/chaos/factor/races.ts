// The races: one call that takes a way in away, and the logins by that way beside it.
import type { Random } from '../../fuzz/random.ts';
import type { Answer } from '../../rig/http-client.ts';
import { sendAgain } from '../send-again.ts';
import { bearer, type Cluster, type Instance, roleOfLane } from '../start-cluster.ts';
import { addPeople, appOf, codeOf, logIn, ownPassword, type Person, prepareCode } from './people.ts';

export interface Racer {
  readonly name: string;
  /** Whether it proves too little once the call has returned; one that proves enough must be let in. */
  readonly isWeaker: boolean;
  readonly logIn: (instance: Instance) => Promise<Answer>;
}

export interface Race {
  readonly racers: readonly Racer[];
  /** Resolves when it is in force everywhere. */
  readonly take: (instance: Instance) => Promise<unknown>;
  /** Further tokens that are dead then. */
  readonly tokens?: readonly string[];
  /** What the next race of the lane rests on. */
  readonly restore?: () => Promise<unknown>;
}

export interface Place {
  readonly cluster: Cluster;
  readonly random: Random;
  /** Each has a separate role, of which nothing is demanded before and after a race. */
  readonly lane: number;
}

/** One role at a time has many people; one person has few logins. */
const peopleOfRole = { withPassword: 8, withApp: 4 };
const loginsOfPerson = 4;

/** How many logins a race of the kind has. */
export const loginsOf: Readonly<Record<string, number>> = {
  raise: peopleOfRole.withPassword + peopleOfRole.withApp,
  end: 1,
  add: loginsOfPerson,
  take: 1,
};

export const races: Readonly<Record<string, (place: Place) => Promise<Race>>> = {
  raise: raiseRole,
  end: endOwn,
  add: addOwn,
  take: takeAway,
};

async function raiseRole({ cluster, random, lane }: Place): Promise<Race> {
  const factor = random.pick([2, 3]);
  return {
    racers: await racersOfRole({ cluster, random, lane }, factor),
    take: (instance) => setDemand(cluster, instance, lane, factor),
    restore: () => setDemand(cluster, random.pick(cluster.instances), lane, 1),
  };
}

export async function racersOfRole(
  { cluster, random, lane }: Place,
  factor: number,
): Promise<readonly Racer[]> {
  const { database } = cluster;
  const { id } = roleOfLane(lane);
  const withPassword = await addPeople(database, id, peopleOfRole.withPassword);
  const withApp = await addPeople(database, id, peopleOfRole.withApp, 'confirmed');
  const name = `raise to ${factor}`;
  return [
    ...withPassword.map((person) => passwordRacer(person, `${name}, password`)),
    ...(await Promise.all(
      withApp.map(async (person) => ({
        name: `${name}, code`,
        isWeaker: factor > 2,
        logIn: await prepareCode(cluster, random, person),
      })),
    )),
  ];
}

export async function setDemand(
  cluster: Cluster,
  instance: Instance,
  lane: number,
  factor: number,
): Promise<void> {
  await cluster.command(instance, 'PUT', `/api/v1/roles/${roleOfLane(lane).id}/required-factor`, {
    requiredFactor: factor,
  });
}

/** The app ends, and with it what it proved. */
async function endOwn(place: Place): Promise<Race> {
  const person = await onePerson(place, 'confirmed');
  const { credentialId } = appOf(person);
  const end = { path: `/api/v1/user/factors/${credentialId}/ended`, body: ownPassword };
  return {
    racers: [await codeRacer(place, person, 'end')],
    take: (instance) => writeAs(place, person, instance, end),
  };
}

/** With an app, the password alone is not enough any more. */
async function addOwn(place: Place): Promise<Race> {
  const person = await onePerson(place, 'pending');
  const confirm = () => ({
    path: `/api/v1/user/factors/${appOf(person).credentialId}/confirmed`,
    body: { otp: codeOf(person) },
  });
  return {
    racers: Array.from({ length: loginsOfPerson }, () => passwordRacer(person, 'add, password')),
    take: (instance) => writeAs(place, person, instance, confirm()),
  };
}

async function takeAway(place: Place): Promise<Race> {
  const person = await onePerson(place, 'confirmed');
  const { cluster } = place;
  return {
    racers: [await codeRacer(place, person, 'take')],
    take: (instance) => cluster.command(instance, 'DELETE', `/api/v1/users/${person.id}/factors`),
  };
}

async function onePerson({ cluster, lane }: Place, app: 'confirmed' | 'pending'): Promise<Person> {
  const [person] = await addPeople(cluster.database, roleOfLane(lane).id, 1, app);
  if (person === undefined) throw new Error('There is no person.');
  return person;
}

function passwordRacer(person: Person, name: string): Racer {
  return { name, isWeaker: true, logIn: (instance) => logIn(instance, person) };
}

async function codeRacer({ cluster, random }: Place, person: Person, name: string): Promise<Racer> {
  return { name: `${name}, code`, isWeaker: true, logIn: await prepareCode(cluster, random, person) };
}

/** By the person's own hand. What a repetition does not find any more was done before it. */
async function writeAs(
  { cluster, lane }: Place,
  { id, username }: Person,
  instance: Instance,
  { path, body }: { readonly path: string; readonly body: unknown },
): Promise<void> {
  const { id: roleid, roleKey: rolekey, dataScope: datascope } = roleOfLane(lane);
  const headers = bearer(cluster.issue(id, { roleid, rolekey, datascope, nice: username }));
  const { answer, isRepeated } = await sendAgain(() =>
    instance.client.send({ method: 'PUT', path, headers, body }),
  );
  if (isRepeated && answer.body.code === 404) await cluster.settle(instance);
  else if (answer.body.code !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
}
