// A role that many are logged in by demands more: it ends every weaker session before it returns, keeps no login waiting
// meanwhile, its own people's or others', and is finished by the same call where the instance that does it dies.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { isJudged } from '../../rig/judges-times.ts';
import { createLatency, type Latency } from '../latency.ts';
import type { ChaosResult, ChaosRun, OwnScenario } from '../scenario.ts';
import { bearer, type Cluster, decisionOf, roleOfLane } from '../start-cluster.ts';
import { addSessions, countSessions, raiseTwice } from './crowd.ts';
import { addPeople, logIn } from './people.ts';
import { setDemand } from './races.ts';
import { withCluster } from './with-cluster.ts';

export const factorRaiseScenario: OwnScenario = {
  title: 'raise what a role of so many sessions demands, while people log in',
  size: 3000,
  instances: 2,
  leaseSeconds: 3,
  onlyByName: true,
  run: runRaise,
};

/** Of the role that is raised, of one that is not, and of one whose raise is cut off. */
const [raisedLane, otherLane, cutLane] = [0, 1, 2];
const shownOf = (size: number) => Math.min(500, Math.ceil(size / 30));
const tokensAtOnce = 10;
/** From here on there are enough logins beside the raise that their times say something. */
const largeRun = 50_000;
const barMilliseconds = 200;
const loginsAtOnce = 3;
const pauseMilliseconds = 20;
const peopleOfRole = 30;

async function runRaise(run: ChaosRun): Promise<ChaosResult> {
  return await withCluster(run, async (cluster) => {
    const raised = await raiseBesideLogins(cluster, run);
    const cut = await cutOff(cluster, run);
    const failures = [...raised.failures, ...cut.failures];
    return {
      passed: failures.length > 0 ? 0 : run.size,
      failures,
      remarks: [...raised.remarks, ...cut.remarks],
    };
  });
}

async function raiseBesideLogins(cluster: Cluster, { size, seed }: ChaosRun) {
  const tokens = await addSessions(cluster, raisedLane, size, shownOf(size));
  const others = await addSessions(cluster, otherLane, shownOf(size), shownOf(size));
  // What autovacuum would have found out about the sessions of a day.
  await cluster.database.query('analyze sessions');
  const load = await startLoad(cluster, seed);
  const pause = size < largeRun ? 500 : 10_000;
  await sleep(pause);
  load.enter('beside');
  const startedAt = performance.now();
  await setDemand(cluster, new Random(seed).pick(cluster.instances), raisedLane, 2);
  const milliseconds = performance.now() - startedAt;
  // Few at once, because the logins that are on their way count; the others when these are answered.
  const failures = await lookForTaken(cluster, tokens.slice(0, tokensAtOnce), 'of the raised role');
  load.enter('without');
  await sleep(pause);
  await load.stop();
  failures.push(...(await lookForTaken(cluster, tokens.slice(tokensAtOnce), 'of the raised role')));
  const left = await countSessions(cluster, raisedLane);
  if (left > 0) failures.push(`${left} weaker sessions are left`);
  const kept = await countTaken(cluster, others);
  if (kept < others.length * cluster.instances.length)
    failures.push('tokens of another role are refused, too');
  for (const { name, without, beside } of load.groups)
    if (isJudged('the times beside a raise') && size >= largeRun)
      for (const [what, quantile] of [
        ['p99', 0.99],
        ['longest', 1],
      ] as const) {
        const more = beside.at(quantile) - without.at(quantile);
        if (more > barMilliseconds)
          failures.push(`${name}: the ${what} is ${more.toFixed(0)} ms more beside the raise`);
      }
  return {
    failures,
    remarks: [
      `the raise of ${size.toLocaleString('en')} sessions: ${(milliseconds / 1000).toFixed(2)} s`,
      ...load.groups.map(
        ({ name, without, beside }) =>
          `${name}: beside it ${beside.text()}; before and after ${without.text()}`,
      ),
    ],
  };
}

async function cutOff(cluster: Cluster, { size, seed }: ChaosRun) {
  const random = new Random(seed + 1);
  const tokens = await addSessions(cluster, cutLane, size, shownOf(size));
  const victim = await cluster.start();
  const second = random.pick(cluster.instances);
  const { left, milliseconds } = await raiseTwice(cluster, random, {
    lane: cutLane,
    factor: 2,
    victim,
    second,
  });
  const failures = await lookForTaken(cluster, tokens, 'of the raise that was cut off');
  if (left === 0) failures.push('the instance was killed when its work was done');
  return {
    failures,
    remarks: [
      `killed with ${left.toLocaleString('en')} sessions left; the same call on another instance: ${(milliseconds / 1000).toFixed(2)} s`,
    ],
  };
}

/** On how many instances each is taken, summed up. */
async function countTaken({ instances }: Cluster, tokens: readonly string[]): Promise<number> {
  const decisions = await Promise.all(
    tokens.flatMap((token) =>
      instances.map((instance) => decisionOf(instance, { path: '/api/v1/orders', headers: bearer(token) })),
    ),
  );
  return decisions.filter((decision) => decision === 'allowed').length;
}

async function lookForTaken(cluster: Cluster, tokens: readonly string[], whose: string): Promise<string[]> {
  const taken = await countTaken(cluster, tokens);
  return taken === 0 ? [] : [`${taken} answers take a token ${whose} after the call returned`];
}

type Phase = 'without' | 'beside';

interface Group extends Readonly<Record<Phase, Latency>> {
  readonly name: string;
}

/** Logins one after the other, a few beside each other for each role, on any instance. */
async function startLoad(cluster: Cluster, seed: number) {
  let phase: Phase = 'without';
  let isOn = true;
  const groups: Group[] = [];
  const loops: Promise<void>[] = [];
  for (const [name, lane] of [
    ['logins of the role', raisedLane],
    ['logins of another role', otherLane],
  ] as const) {
    const people = await addPeople(cluster.database, roleOfLane(lane).id, peopleOfRole);
    const group: Group = { name, without: createLatency(), beside: createLatency() };
    groups.push(group);
    const run = async (random: Random) => {
      while (isOn) {
        const startedAt = performance.now();
        const at = phase;
        const { status, text } = await logIn(random.pick(cluster.instances), random.pick(people));
        if (status !== 200) throw new Error(`A login beside the raise: ${status} ${text}`);
        group[at].add(performance.now() - startedAt);
        await sleep(pauseMilliseconds);
      }
    };
    for (let count = 0; count < loginsAtOnce; count += 1)
      loops.push(run(new Random(seed * 100 + lane * 10 + count)));
  }
  const over = Promise.all(loops);
  // Looked at when it is stopped.
  over.catch(() => {});
  return {
    groups,
    enter(next: Phase): void {
      phase = next;
    },
    async stop(): Promise<void> {
      isOn = false;
      await over;
    },
  };
}
