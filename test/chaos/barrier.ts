// Take a rule away, then call a random instance: the new-enemy test (G06, F19, T59). The same change written with SQL,
// by a writer that does not wait, must show what a missing barrier would show.
import { Random } from '../fuzz/random.ts';
import { createLatency } from './latency.ts';
import { type ChaosRun, mostFailures, type Scenario } from './scenario.ts';
import { bearer, type Cluster, laneRole, outcomeOf, startCluster } from './start-cluster.ts';

const batch = 100;
const bars = { p50: 15, p99: 100 };
/** How many of a run's trials are made without a barrier. */
const withoutBarrier = 200;

export const barrierScenario: Scenario = {
  title: 'take a rule away on one instance, then call another',
  size: 2000,
  instances: 4,
  leaseSeconds: 10,
  run: runBarrier,
};

async function runBarrier({ size, instances, leaseSeconds, seed, progress }: ChaosRun) {
  const cluster = await startCluster({ instances, leaseSeconds });
  const random = new Random(seed);
  const failures: string[] = [];
  const latency = createLatency();
  const token = cluster.issue(2);
  const pathOf = (trial: number) => `/api/v1/reports/trial/${trial % batch}`;
  const isAllowed = async (trial: number) =>
    (await outcomeOf(random.pick(cluster.instances), { path: pathOf(trial), headers: bearer(token) })) ===
    'allowed';

  /** Rules for the next trials, known on every instance: removing nothing waits for what was added. */
  async function refill(): Promise<void> {
    const add = Array.from({ length: batch }, (_, index) => ({ method: 'GET', path: pathOf(index) }));
    await changeRules(cluster, random, { add });
    await changeRules(cluster, random, { remove: [{ method: 'GET', path: '/api/v1/none' }] });
  }

  let stale = 0;
  let vacuous = 0;
  for (let trial = 0; trial < size && failures.length < mostFailures; trial += 1) {
    if (trial % batch === 0) await refill();
    if (!(await isAllowed(trial))) vacuous += 1;
    const startedAt = performance.now();
    await changeRules(cluster, random, { remove: [{ method: 'GET', path: pathOf(trial) }] });
    latency.add(performance.now() - startedAt);
    if (await isAllowed(trial)) {
      stale += 1;
      failures.push(`trial ${trial}: allowed after the rule was taken away`);
    }
    progress(trial + 1);
  }

  let seenWithout = 0;
  for (let trial = 0; trial < withoutBarrier; trial += 1) {
    if (trial % batch === 0) await refill();
    await removeWithoutBarrier(cluster, pathOf(trial));
    if (await isAllowed(trial)) seenWithout += 1;
  }
  await cluster.stop();

  if (vacuous > 0) failures.push(`${vacuous} trials were refused before anything was taken away`);
  if (seenWithout === 0) failures.push('without a barrier no stale allow was seen: the test sees nothing');
  if (latency.at(0.5) > bars.p50 || latency.at(0.99) > bars.p99)
    failures.push(`the call is slower than p50 ${bars.p50} ms or p99 ${bars.p99} ms`);
  return {
    passed: size - stale,
    failures,
    remarks: [
      `${stale} stale allows in ${size.toLocaleString('en')} trials`,
      `the taking-away call: ${latency.text()}`,
      `without a barrier: ${seenWithout} stale allows in ${withoutBarrier} trials`,
    ],
  };
}

interface RuleChanges {
  readonly add?: readonly { method: string; path: string }[];
  readonly remove?: readonly { method: string; path: string }[];
}

async function changeRules(
  cluster: Cluster,
  random: Random,
  { add = [], remove = [] }: RuleChanges,
): Promise<void> {
  const writer = random.pick(cluster.instances);
  await cluster.command(writer, 'POST', `/api/v1/roles/${laneRole.id}/rules`, { add, remove });
}

/** The same rows that the product writes, the same ring, and no wait. */
async function removeWithoutBarrier({ database }: Cluster, path: string): Promise<void> {
  const change = { kind: 'rule_removed', roleKey: laneRole.roleKey, method: 'GET', path };
  await database.query(
    `with removed as (delete from rules where role_id = $1 and path = $2),
       next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark),
       written as (insert into revisions (n, mark, changes) select n, mark, $3::jsonb from next returning n)
     select pg_notify('portcullis_revision', n::text) from written`,
    [laneRole.id, path, JSON.stringify([change])],
  );
}
