// A role with more sessions than one transaction ends, and an instance that dies in the middle of ending them.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../fuzz/random.ts';
import { bearer, type Cluster, type Instance, roleOfLane } from '../start-cluster.ts';
import { setDemand } from './races.ts';

/** Few enough that their locks fit beside each other in the transaction that adds their sessions. */
const owners = 100;
const firstOwner = 20;

/** As the service draws them: instances hash them by their bits, and any other text would be slow to find. */
const randomJti = `translate(encode(uuid_send(gen_random_uuid()), 'base64'), '+/=', '-_')`;

/** Sessions that one factor proved, and tokens of some of them. */
export async function addSessions(
  { database, issue }: Cluster,
  lane: number,
  count: number,
  shown: number,
): Promise<string[]> {
  const { id, roleKey, dataScope } = roleOfLane(lane);
  const ids = Array.from({ length: Math.min(shown, count) }, (_, index) => ({
    userId: firstOwner + (index % owners),
    jti: randomBytes(16).toString('base64url'),
  }));
  await insert('select user_id, jti from unnest($2::bigint[], $3::text[]) as shown (user_id, jti)', [
    ids.map(({ userId }) => userId),
    ids.map(({ jti }) => jti),
  ]);
  await insert(`select ${firstOwner} + n % ${owners}, ${randomJti} from generate_series(1, $2::int) as n`, [
    count - ids.length,
  ]);
  async function insert(select: string, values: readonly unknown[]): Promise<void> {
    await database.query(
      `insert into sessions (user_id, jti, role_key, kid, epoch, issued_at, expires_at)
       select rows.*, $1, 'k', 1, now(), now() + interval '1 day' from (${select}) as rows`,
      [roleKey, ...values],
    );
  }
  return ids.map(({ userId, jti }) =>
    issue(userId, { jti, roleid: id, rolekey: roleKey, datascope: dataScope }),
  );
}

export async function countSessions({ database }: Cluster, lane: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from sessions where role_key = $1 and factor = 1',
    [roleOfLane(lane).roleKey],
  );
  return row?.count ?? 0;
}

interface Interrupted {
  readonly lane: number;
  readonly factor: number;
  /** Asked first, and killed. */
  readonly victim: Instance;
  readonly second: Instance;
}

/**
 * The role is raised on an instance which is killed when the demand is stored and sessions are left; then by the same call
 * on another one. How many were left: none where the kill came too late.
 */
export async function raiseTwice(
  cluster: Cluster,
  random: Random,
  { lane, factor, victim, second }: Interrupted,
): Promise<{ left: number; milliseconds: number }> {
  const before = await countSessions(cluster, lane);
  const goal = before - random.below(Math.ceil(before / 2));
  let isOver = false;
  const first = sendOnce(cluster, victim, lane, factor).finally(() => {
    isOver = true;
  });
  while (!isOver && !(await isUnder(cluster, lane, factor, goal))) await sleep(1);
  victim.server.process.signal('SIGKILL');
  await Promise.all([victim.server.process.exited, first]);
  victim.client.close();
  const left = await countSessions(cluster, lane);
  const startedAt = performance.now();
  await setDemand(cluster, second, lane, factor);
  return { left, milliseconds: performance.now() - startedAt };
}

/** The outcome does not count: an instance that was killed does not answer. */
async function sendOnce(cluster: Cluster, { client }: Instance, lane: number, factor: number): Promise<void> {
  const headers = bearer(cluster.issue(1, { roleid: 1, rolekey: 'admin', datascope: '1' }));
  const path = `/api/v1/roles/${roleOfLane(lane).id}/required-factor`;
  await client
    .send({ method: 'PUT', path, headers, body: { requiredFactor: factor } })
    .catch(() => undefined);
}

async function isUnder({ database }: Cluster, lane: number, factor: number, goal: number): Promise<boolean> {
  const [row] = await database.query<{ under: boolean }>(
    `select factor = $2 and (select count(*) from sessions where role_key = roles.role_key and factor = 1) <= $3 as under
     from roles where id = $1`,
    [roleOfLane(lane).id, factor, goal],
  );
  return row?.under === true;
}
