// Take a rule away, then call a random instance or guard: the new-enemy test (G06, F19, T59). The same change written with SQL,
// by a writer that does not wait, must show what a missing barrier would show.
import { Random } from '../fuzz/random.ts';
import { isJudged } from '../rig/judges-times.ts';
import { createLatency, type Latency } from './latency.ts';
import { type ChaosRun, type ClusterScenario, mostFailures } from './scenario.ts';
import {
  ballastRules,
  bearer,
  type Cluster,
  decisionOf,
  type Instance,
  laneRole,
  lanes,
} from './start-cluster.ts';

const batch = 100;
const mostGuardProcesses = 8;
/** For instances without guards, because a lease of a guard makes a change wait longer. Applied at full size, where every timed trial counts. */
const bars = { p50: 15, p99: 100 };
/** Trials one after the other, whose time counts; all further ones run in lanes. With guards no time is judged. */
const timedTrials = 5000;
const timedTrialsWithGuards = 300;
/** How many trials are made without a barrier, until so many have shown what it would let through. */
const withoutBarrier = 200;
const enoughWithout = 5;

export const barrierScenario: ClusterScenario = {
  title: 'take a rule away on one instance, then call another or a guard',
  size: 300,
  instances: 4,
  guards: 4,
  leaseSeconds: 10,
  rules: ballastRules,
  runOn: runBarrier,
};

async function runBarrier(cluster: Cluster, { size, guards, seed, progress, enter }: ChaosRun) {
  const guardServices = await startGuards(cluster, guards);
  const gates = [...cluster.instances, ...guardServices];
  enter('work');
  const failures: string[] = [];
  const [alone, together] = [createLatency(), createLatency()];
  let done = 0;
  const runLane = async (lane: number, trials: number, latency: Latency) => {
    const trial = createTrial(cluster, gates, new Random(seed + lane), lane);
    for (let number = 0; number < trials && failures.length < mostFailures; number += 1) {
      const { before, after } = await trial(number, latency);
      if (before !== 'allowed') failures.push(`lane ${lane}, trial ${number}: ${before} before`);
      if (after !== 'refused')
        failures.push(`lane ${lane}, trial ${number}: ${after} after the rule was taken away`);
      done += 1;
      progress(done);
    }
  };
  const timed = Math.min(size, guards === 0 ? timedTrials : timedTrialsWithGuards);
  await runLane(0, timed, alone);
  const perLane = Math.ceil((size - timed) / (lanes - 1));
  await Promise.all(Array.from({ length: lanes - 1 }, (_, lane) => runLane(lane + 1, perLane, together)));
  const without = await countStaleWithoutBarrier(cluster, gates, new Random(seed));
  enter('end');
  await Promise.all(guardServices.map(stopGuard));

  if (without.stale === 0) failures.push('without a barrier no stale allow was seen: the test sees nothing');
  const stale = failures.length;
  const barText = `p50 ${bars.p50} ms, p99 ${bars.p99} ms`;
  const mayFail = isJudged('the time of the taking-away call') && guards === 0 && size >= timedTrials;
  if (mayFail && (alone.at(0.5) > bars.p50 || !alone.isWithin(bars.p99)))
    failures.push(`the call is slower than ${barText}`);
  return {
    passed: done - stale,
    failures,
    remarks: [
      `${stale} stale allows in ${done.toLocaleString('en')} trials`,
      `the taking-away call, one after the other: ${alone.text()}${mayFail ? '' : ` (bar: ${barText}, judged at full size, of instances alone)`}`,
      ...(perLane > 0 ? [`the taking-away call, ${lanes - 1} at once: ${together.text()}`] : []),
      `without a barrier: ${without.stale} stale allows in ${without.trials} trials`,
    ],
  };
}

/** A process each, where they are few. */
async function startGuards(cluster: Cluster, count: number): Promise<Instance[]> {
  const ports = cluster.instances.map(({ server }) => server.decisionPort);
  const processes = Math.min(count, mostGuardProcesses);
  const started: Instance[] = [];
  for (let place = 0; place < processes; place += 1) {
    const share = Math.floor((count * (place + 1)) / processes) - Math.floor((count * place) / processes);
    started.push(...(await cluster.startGuards(ports, { count: share })));
  }
  return started;
}

async function stopGuard({ client, server }: Instance): Promise<void> {
  client.close();
  await server.stop();
}

/** Takes away one rule of the lane's own after the other, and adds them all again when none is left. */
function createTrial(cluster: Cluster, gates: readonly Instance[], random: Random, lane: number) {
  const token = cluster.issue(2);
  const paths = Array.from({ length: batch }, (_, index) => `/api/v1/reports/lane${lane}/${index}`);
  const ask = (path: string) => decisionOf(random.pick(gates), { path, headers: bearer(token) });
  return async (number: number, latency: Latency) => {
    const path = paths[number % batch] ?? '';
    if (number % batch === 0) await addRules(cluster, random, paths);
    const before = await ask(path);
    const startedAt = performance.now();
    await changeRules(cluster, random, { remove: [path] });
    latency.add(performance.now() - startedAt);
    return { before, after: await ask(path) };
  };
}

/** Resolves when every instance knows them. */
async function addRules(cluster: Cluster, random: Random, paths: readonly string[]): Promise<void> {
  await changeRules(cluster, random, { add: paths });
  await cluster.settle(random.pick(cluster.instances));
}

interface Paths {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

async function changeRules(
  cluster: Cluster,
  random: Random,
  { add = [], remove = [] }: Paths,
): Promise<void> {
  const rule = (path: string) => ({ method: 'GET', path });
  await cluster.command(random.pick(cluster.instances), 'POST', `/api/v1/roles/${laneRole.id}/rules`, {
    add: add.map(rule),
    remove: remove.map(rule),
  });
}

async function countStaleWithoutBarrier(
  cluster: Cluster,
  gates: readonly Instance[],
  random: Random,
): Promise<{ stale: number; trials: number }> {
  const token = cluster.issue(2);
  let [stale, trials] = [0, 0];
  for (let trial = 0; trial < withoutBarrier && stale < enoughWithout; trial += 1) {
    const path = `/api/v1/reports/hasty/${trial}`;
    if (trial % batch === 0)
      await addRules(
        cluster,
        random,
        Array.from({ length: batch }, (_, index) => `/api/v1/reports/hasty/${trial + index}`),
      );
    // Every other change sends no notification, because a notification can be lost.
    await removeWithoutBarrier(cluster, path, { notifies: trial % 2 === 0 });
    const after = await decisionOf(random.pick(gates), { path, headers: bearer(token) });
    if (after === 'allowed') stale += 1;
    trials += 1;
  }
  return { stale, trials };
}

/** The same rows that the product writes, and no wait. */
async function removeWithoutBarrier(
  { database }: Cluster,
  path: string,
  { notifies }: { notifies: boolean },
): Promise<void> {
  const change = { kind: 'rule_removed', roleKey: laneRole.roleKey, method: 'GET', path };
  await database.query(
    `with removed as (delete from rules where role_id = $1 and path = $2),
       next as (update current_revision set n = n + 1, mark = gen_random_uuid() returning n, mark),
       written as (insert into revisions (n, mark, changes) select n, mark, $3::jsonb from next returning n)
     select pg_notify('portcullis_revision', n::text) from written where $4`,
    [laneRole.id, path, JSON.stringify([change]), notifies],
  );
}
