// What the prober asks for, and the call that takes each away: a token that can be logged out, a user whose role can
// change, a rule that can be removed. The suite signs every token itself, so a new subject works everywhere at once.
import type { Random } from '../../fuzz/random.ts';
import type { Request } from '../../rig/http-client.ts';
import { readUser, type UserState } from '../read-user.ts';
import { bearer, type Cluster, laneRole, otherRole } from '../start-cluster.ts';

/** `ending`: a call is under way, or it failed with an unknown outcome. Nothing follows from an answer. */
export type Standing = 'good' | 'ending' | 'ended';

export interface Subject {
  readonly name: string;
  readonly request: Request;
  /** The call that ends it. */
  readonly ending: Request;
  /** The one that takes its place once it has ended. */
  readonly successor: () => Subject;
  standing: Standing;
}

/** Its tokens are only ever logged out. */
const tokenUserId = 2;
const orders = '/api/v1/orders';

export interface SubjectCounts {
  readonly tokens: number;
  readonly users: number;
  readonly rules: number;
}

export function adminHeaders(cluster: Cluster): Record<string, string> {
  return bearer(cluster.issue(1, { roleid: 1, rolekey: 'admin', datascope: '1' }));
}

/** Adds the rules that the subjects need; resolves when every instance knows them. */
export async function createSubjects(cluster: Cluster, counts: SubjectCounts): Promise<Subject[]> {
  const [writer] = cluster.instances;
  if (writer === undefined) throw new Error('There is no instance.');
  const path = `/api/v1/roles/${laneRole.id}/rules`;
  const add = Array.from({ length: counts.rules }, (_, index) => ruleOf(index));
  await cluster.command(writer, 'POST', path, { add, remove: [] });
  // Adding does not wait; taking away waits for all that came before.
  await cluster.command(writer, 'POST', path, { add: [], remove: [{ method: 'GET', path: '/api/v1/none' }] });
  const users: Subject[] = [];
  for (const userId of cluster.userIds.slice(0, counts.users))
    users.push(userSubject(cluster, userId, await readUser(cluster.database, userId)));
  return [
    ...Array.from({ length: counts.tokens }, () => tokenSubject(cluster)),
    ...users,
    ...add.map((_, index) => ruleSubject(cluster, index)),
  ];
}

export function tokenSubject(cluster: Cluster): Subject {
  const headers = bearer(cluster.issue(tokenUserId));
  return {
    name: 'a token that was logged out',
    request: { path: orders, headers },
    ending: { method: 'POST', path: '/api/v1/logout', headers },
    successor: () => tokenSubject(cluster),
    standing: 'good',
  };
}

/** Every change of role raises the user's epoch by one. */
function userSubject(cluster: Cluster, userId: number, { epoch, roleId }: UserState): Subject {
  const [from, to] = roleId === laneRole.id ? [laneRole, otherRole] : [otherRole, laneRole];
  const token = cluster.issue(userId, { ep: epoch, roleid: from.id, rolekey: from.roleKey });
  return {
    name: 'a token of a user whose role was changed',
    request: { path: orders, headers: bearer(token) },
    ending: {
      method: 'PUT',
      path: `/api/v1/users/${userId}/role`,
      headers: adminHeaders(cluster),
      body: { roleId: to.id },
    },
    successor: () => userSubject(cluster, userId, { epoch: epoch + 1, roleId: to.id }),
    standing: 'good',
  };
}

function ruleSubject(cluster: Cluster, index: number): Subject {
  return {
    name: 'a rule that was removed',
    request: { path: ruleOf(index).path, headers: bearer(cluster.issue(tokenUserId)) },
    ending: {
      method: 'POST',
      path: `/api/v1/roles/${laneRole.id}/rules`,
      headers: adminHeaders(cluster),
      body: { add: [], remove: [ruleOf(index)] },
    },
    successor: () => tokenSubject(cluster),
    standing: 'good',
  };
}

function ruleOf(index: number): { method: string; path: string } {
  return { method: 'GET', path: `/api/v1/reports/probe/${index}` };
}

/** Half of the time one that ended lately: those are the ones that an instance could still know as good. */
export function pickSubject(random: Random, good: readonly Subject[], ended: readonly Subject[]): Subject {
  return ended.length > 0 && random.once(2) ? random.pick(ended.slice(-20)) : random.pick(good);
}
