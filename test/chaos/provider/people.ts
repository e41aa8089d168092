// Providers, one a lane, and people who are linked there and stand before the last step of a login.
import { randomBytes } from 'node:crypto';
import type { Random } from '../../fuzz/random.ts';
import type { MadeUpProvider } from '../../rig/made-up-provider.ts';
import { directoryPassword, dnOf, personEntry, reader, type Slapd, suffix } from '../../rig/slapd.ts';
import { addPeople, logIn, type Person } from '../factor/people.ts';
import type { Racer } from '../factor/races.ts';
import { type Cluster, roleOfLane } from '../start-cluster.ts';

export interface LaneProvider {
  readonly id: number;
  readonly key: string;
}

export interface Place {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly lane: number;
  readonly made: MadeUpProvider;
  readonly provider: LaneProvider;
  readonly slapd: Slapd;
  readonly directory: LaneProvider;
}

export interface Linked extends Person {
  readonly subject: string;
  readonly linkId: number;
}

export async function addProvider(
  cluster: Cluster,
  { issuer, clientId, secret }: MadeUpProvider,
  lane: number,
): Promise<LaneProvider> {
  const key = `lane-${lane}`;
  const settings = { issuer, clientId, redirectUri: `https://admin.example.com/return/${key}` };
  return await add(cluster, { key, kind: 'oidc', settings, secret });
}

export async function addDirectory(
  cluster: Cluster,
  { url, ca }: Slapd,
  lane: number,
): Promise<LaneProvider> {
  // Only the call that races looks people up again.
  const settings = {
    url,
    dialect: 'ldap',
    ca,
    bindDn: reader.dn,
    baseDn: suffix,
    recheckMinutes: 1440,
  };
  return await add(cluster, { key: `directory-${lane}`, kind: 'ldap', settings, secret: reader.password });
}

async function add(
  { command, instances }: Cluster,
  provider: {
    readonly key: string;
    readonly kind: string;
    readonly settings: object;
    readonly secret: string;
  },
): Promise<LaneProvider> {
  const [instance] = instances;
  if (instance === undefined) throw new Error('There is no instance.');
  const { key } = provider;
  const added = await command(instance, 'POST', '/api/v1/providers', { name: key, ...provider });
  const { id } = added.body.data as { id: number };
  await command(instance, 'PUT', `/api/v1/providers/${id}/enabled`, { enabled: true });
  return { id, key };
}

export async function addLinked({ cluster, lane, provider }: Place, count: number): Promise<Linked[]> {
  const people = await addPeople(cluster.database, roleOfLane(lane).id, count);
  const subjects = people.map(() => randomBytes(12).toString('base64url'));
  return await link(cluster, provider, people, subjects);
}

/** A person of the directory. */
export async function addMember({
  cluster,
  lane,
  slapd,
  directory,
}: Pick<Place, 'cluster' | 'lane' | 'slapd' | 'directory'>): Promise<Linked> {
  const people = await addPeople(cluster.database, roleOfLane(lane).id, 1);
  const dns = people.map(({ username }) => dnOf(username));
  await slapd.add(...people.map(({ username }) => personEntry(username)));
  const [member] = await link(cluster, directory, people, await Promise.all(dns.map(slapd.idOf)));
  if (member === undefined) throw new Error('There is no person.');
  return member;
}

export function memberRacer(person: Linked, name: string): Racer {
  return { name, isWeaker: true, logIn: (instance) => logIn(instance, person, directoryPassword) };
}

async function link(
  cluster: Cluster,
  provider: LaneProvider,
  people: readonly Person[],
  subjects: readonly string[],
): Promise<Linked[]> {
  const rows = await cluster.database.query<{ id: number; user_id: number }>(
    `insert into credentials (user_id, kind, factor, provider_id, subject, confirmed_at)
     select user_id, 'link', 1, $3, subject, now() from unnest($1::bigint[], $2::text[]) as rows (user_id, subject)
     returning id::int, user_id::int`,
    [people.map(({ id }) => id), subjects, provider.id],
  );
  const linkOf = new Map(rows.map(({ id, user_id }) => [user_id, id]));
  return people.map((person, index) => ({
    ...person,
    subject: subjects[index] ?? '',
    linkId: linkOf.get(person.id) ?? 0,
  }));
}

/** At the provider already: what races is the last step. */
export async function racerOf(
  { cluster, random, made, provider }: Place,
  { subject }: Linked,
  {
    name,
    sid,
    isWeaker = true,
  }: { readonly name: string; readonly sid?: string; readonly isWeaker?: boolean },
): Promise<Racer> {
  const path = '/api/v1/login';
  const begun = await random
    .pick(cluster.instances)
    .client.send({ method: 'POST', path: `${path}/begin`, body: { provider: provider.key } });
  const { flowId, url } = (begun.body.data ?? {}) as { flowId?: string; url?: string };
  if (flowId === undefined || url === undefined) throw new Error(`The first step of a login: ${begun.text}`);
  const answer = made.answer(url, { sub: subject, ...(sid === undefined ? {} : { sid }) });
  const body = { flowId, provider: provider.key, answer };
  return { name, isWeaker, logIn: ({ client }) => client.send({ method: 'POST', path, body }) };
}
