// One trial: some people of a directory have a role by their groups and are signed in. One call takes the role away, and beside
// it people move between departments, log in, and are rechecked by other calls. When it has returned, no token has the role.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { directoryPassword, dnOf, groupDn, groupEntry, reader, type Slapd } from '../../rig/slapd.ts';
import { logIn } from '../factor/people.ts';
import { addMember, type LaneProvider, type Linked } from '../provider/people.ts';
import { askAgain } from '../send-again.ts';
import { bearer, type Cluster, decisionOf, type Instance, roleOfLane } from '../start-cluster.ts';

export interface Lane {
  readonly cluster: Cluster;
  readonly slapd: Slapd;
  readonly lane: number;
  readonly directory: LaneProvider;
  readonly people: readonly Linked[];
  readonly departmentIds: readonly number[];
}

export type Revocation = 'mappings' | 'groups' | 'disable';
export const revocations: readonly Revocation[] = ['mappings', 'groups', 'disable'];

export interface Counts {
  /** Tokens that were taken before the call. */
  tokens: number;
  /** Logins beside it that got one. */
  logins: number;
  /** Department changes beside it. */
  moves: number;
  /** Answers of the call that were no success: it is sent again then. */
  refused: number;
  /** Tokens or roles that were there after it had returned. */
  kept: number;
}

export const createCounts = (): Counts => ({ tokens: 0, logins: 0, moves: 0, refused: 0, kept: 0 });

const peopleOfLane = 4;
/** A role that may call nothing of what is asked. */
const guestRoleId = 101;
const longestPause = 60;
const placeholder = reader.dn;

const clerksOf = (lane: number) => `clerks${lane}`;
const guestsOf = (lane: number) => `guests${lane}`;

export async function prepareLane(lane: Omit<Lane, 'people'>): Promise<Lane> {
  const { slapd } = lane;
  const people: Linked[] = [];
  for (let n = 0; n < peopleOfLane; n += 1) people.push(await addMember(lane));
  const members = people.map(({ username }) => dnOf(username));
  await slapd.add(
    groupEntry(clerksOf(lane.lane), [placeholder, ...members]),
    groupEntry(guestsOf(lane.lane), [placeholder, ...members]),
  );
  return { ...lane, people };
}

/** The call goes to `taking`, all the rest to any instance. */
export async function runTrial(
  lane: Lane,
  random: Random,
  { revocation, taking, counts }: { revocation: Revocation; taking: Instance; counts: Counts },
): Promise<string[]> {
  const { cluster, people } = lane;
  const anyInstance = () => random.pick(cluster.instances);
  await restore(lane, anyInstance());
  const tokens = await Promise.all(people.map((person) => tokenOf(anyInstance(), person)));
  const early = tokens.filter((token) => token !== undefined);
  if (early.length < people.length) return ['A person who should get a token got none.'];
  const before = await Promise.all(early.map((token) => isTaken([anyInstance()], token)));
  if (before.includes(false)) return ['A token is refused before anything was taken away.'];
  counts.tokens += early.length;

  let hasReturned = false;
  const late: string[] = [];
  const move = async (person: Linked) => {
    for (; !hasReturned; await sleep(random.below(longestPause))) {
      const path = `/api/v1/users/${person.id}`;
      const body = { departmentId: random.pick(lane.departmentIds) };
      const answer = await send(lane, anyInstance(), 'PUT', path, body);
      if (answer?.body.code === 200) counts.moves += 1;
    }
  };
  const come = async (person: Linked) => {
    for (; !hasReturned; await sleep(random.below(longestPause))) {
      const token = await tokenOf(anyInstance(), person);
      if (token === undefined) continue;
      counts.logins += 1;
      late.push(token);
    }
  };
  const lookToo = async () => {
    await sleep(random.below(longestPause));
    await send(lane, anyInstance(), 'POST', `/api/v1/providers/${lane.directory.id}/recheck`);
  };
  const changeToo = async () => {
    await sleep(random.below(longestPause));
    const lifetimeSeconds = 3600 + random.below(3600);
    await send(lane, anyInstance(), 'PUT', `/api/v1/providers/${lane.directory.id}`, { lifetimeSeconds });
  };
  const beside = Promise.all([
    ...people.slice(0, 2).map(move),
    ...people.slice(1, 3).map(come),
    lookToo(),
    changeToo(),
  ]);
  // Looked at below.
  beside.catch(() => {});
  await sleep(random.below(longestPause));
  try {
    await takeAway(lane, revocation, taking, counts);
  } finally {
    hasReturned = true;
  }
  const failures: string[] = [];
  const look = async (all: readonly string[], when: string) => {
    const taken = await Promise.all(all.map((token) => isTaken(cluster.instances, token)));
    const count = taken.filter(Boolean).length;
    counts.kept += count;
    if (count > 0)
      failures.push(`${revocation}: ${count} of ${all.length} tokens ${when} are taken after it returned`);
  };
  const roles = revocation === 'mappings' ? await countRole(lane) : 0;
  counts.kept += roles;
  if (roles > 0) failures.push(`${revocation}: ${roles} people have the role after it returned`);
  await look(early, 'of before');
  await beside;
  await look(late, 'of logins beside it');
  return failures;
}

/** Everybody has the role of the lane, by the mappings. */
async function restore(lane: Lane, instance: Instance): Promise<void> {
  const { slapd, people } = lane;
  const members = people.map(({ username }) => dnOf(username));
  await slapd.replace(groupDn(clerksOf(lane.lane)), 'member', [placeholder, ...members]);
  for (const dn of members) await slapd.replace(dn, 'shadowExpire', ['-1']);
  await apply(lane, instance, roleOfLane(lane.lane).id, createCounts());
}

async function takeAway(lane: Lane, revocation: Revocation, instance: Instance, counts: Counts) {
  const { slapd, directory, people } = lane;
  if (revocation === 'mappings') return await apply(lane, instance, guestRoleId, counts);
  if (revocation === 'groups') await slapd.replace(groupDn(clerksOf(lane.lane)), 'member', [placeholder]);
  else for (const { username } of people) await slapd.replace(dnOf(username), 'shadowExpire', ['1']);
  await askAgain(
    () => counted(counts, send(lane, instance, 'POST', `/api/v1/providers/${directory.id}/recheck`)),
    (answer) => answer?.body.code !== 200,
    'a recheck that was not answered with 200',
  );
}

/** Planned anew until it is applied as it was shown. */
async function apply(lane: Lane, instance: Instance, clerkRoleId: number, counts: Counts): Promise<void> {
  const path = `/api/v1/providers/${lane.directory.id}/mappings`;
  const to = (group: string, roleId: number) => ({ group: groupDn(group), roleId, departmentId: null });
  const mappings = [to(clerksOf(lane.lane), clerkRoleId), to(guestsOf(lane.lane), guestRoleId)];
  const wish = { roleSource: 'every_login', mappings };
  await askAgain(
    async () => {
      const planned = await send(lane, instance, 'POST', `${path}/plan`, wish);
      const { digest } = (planned?.body.data ?? {}) as { digest?: string };
      if (digest === undefined) return undefined;
      return await counted(counts, send(lane, instance, 'PUT', path, { ...wish, digest }));
    },
    (answer) => answer?.body.code !== 200,
    'mappings that changed between the plan and the call that applies it',
  );
}

async function counted<T extends { body: { code?: unknown } } | undefined>(counts: Counts, sent: Promise<T>) {
  const answer = await sent;
  if (answer?.body.code !== 200) counts.refused += 1;
  return answer;
}

/** As the administrator; undefined where the connection broke. */
async function send({ cluster }: Lane, { client }: Instance, method: string, path: string, body?: unknown) {
  const headers = bearer(cluster.issue(1, { roleid: 1, rolekey: 'admin', datascope: '1' }));
  return await client.send({ method, path, headers, body }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === undefined) throw error;
    return undefined;
  });
}

async function tokenOf(instance: Instance, person: Linked): Promise<string | undefined> {
  const { token } = (await logIn(instance, person, directoryPassword)).body;
  return typeof token === 'string' ? token : undefined;
}

async function isTaken(instances: readonly Instance[], token: string): Promise<boolean> {
  const request = { path: '/api/v1/orders', headers: bearer(token) };
  const decisions = await Promise.all(instances.map((instance) => decisionOf(instance, request)));
  return decisions.includes('allowed');
}

async function countRole({ cluster, lane, people }: Lane): Promise<number> {
  const rows = await cluster.database.query(
    'select from users where role_id = $1 and id = any($2::bigint[])',
    [roleOfLane(lane).id, people.map(({ id }) => id)],
  );
  return rows.length;
}
