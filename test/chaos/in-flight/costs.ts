// What the question at the commit costs: beside an instance without it, in turns.
import { randomBytes } from 'node:crypto';
import { createLatency } from '../latency.ts';
import { bearer, type Cluster, type Instance } from '../start-cluster.ts';

const rounds = 6;
const writesPerRound = 150;
const writers = 20;
const logoutsPerSecond = 50;
const secondsPerRound = 5;
const bars = { writeMilliseconds: 1, logoutRatio: 1.5 };

export async function compareCosts(cluster: Cluster, checked: Instance, unchecked: Instance) {
  const subjects = [
    { instance: checked, writes: createLatency(), logouts: createLatency() },
    { instance: unchecked, writes: createLatency(), logouts: createLatency() },
  ] as const;
  const deadlocksBefore = await countDeadlocks(cluster);
  for (let round = 0; round < rounds; round += 1)
    for (const { instance, writes, logouts } of subjects) {
      for (let count = 0; count < writesPerRound; count += 1)
        writes.add(await timed(() => rename(cluster, instance, 3, count)));
      await logOutBesideWriters(cluster, instance, logouts);
    }
  const [withCheck, without] = subjects;
  const more = withCheck.writes.at(0.5) - without.writes.at(0.5);
  const ratio = withCheck.logouts.at(0.99) / without.logouts.at(0.99);
  const deadlocks = (await countDeadlocks(cluster)) - deadlocksBefore;
  return {
    failures: [
      ...(more > bars.writeMilliseconds ? [`a write costs ${more.toFixed(2)} ms more`] : []),
      ...(ratio > bars.logoutRatio ? [`a logout's p99 is ${ratio.toFixed(2)} times as long`] : []),
      ...(deadlocks > 0 ? [`${deadlocks} deadlocks`] : []),
    ],
    remarks: [
      `a write: ${withCheck.writes.text()}; without the question: ${without.writes.text()}`,
      `a logout beside ${writers} writers: ${withCheck.logouts.text()}; without the question: ${without.logouts.text()}`,
      `${deadlocks} deadlocks`,
    ],
  };
}

async function logOutBesideWriters(
  cluster: Cluster,
  instance: Instance,
  latency: ReturnType<typeof createLatency>,
): Promise<void> {
  let isOver = false;
  const writing = Array.from({ length: writers }, async (_, index) => {
    for (let count = 0; !isOver; count += 1) await rename(cluster, instance, 20 + index, count);
  });
  const logouts: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let count = 0; count < logoutsPerSecond * secondsPerRound; count += 1) {
    const due = startedAt + (count * 1000) / logoutsPerSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    const headers = bearer(cluster.issue(4, { jti: randomBytes(16).toString('base64url') }));
    const logOut = () => instance.client.send({ method: 'POST', path: '/api/v1/logout', headers });
    logouts.push(timed(logOut).then((time) => latency.add(time)));
  }
  await Promise.all(logouts);
  isOver = true;
  await Promise.all(writing);
}

function rename(cluster: Cluster, instance: Instance, userId: number, count: number) {
  return cluster.command(instance, 'PUT', `/api/v1/users/${userId}`, {
    name: `Name ${count % 2}`,
    departmentId: 1,
  });
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function countDeadlocks({ database }: Cluster): Promise<number> {
  const [row] = await database.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return row?.deadlocks ?? 0;
}
