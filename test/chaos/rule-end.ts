// A rule that expires: there is no notification, and no decision may use it from its end on, by the database's clock. The
// members' own clocks are wrong by as much as a lease lets them be. This program's clock is the database's: same machine.
import { globSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import { note } from '../rig/notes.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from './scenario.ts';
import { patienceMilliseconds } from './send-again.ts';
import {
  bearer,
  type Cluster,
  type Instance,
  lanes,
  outcomeOf,
  roleOfLane,
  startCluster,
} from './start-cluster.ts';

export const ruleEndScenario: OwnScenario = {
  title: 'let rules end by themselves, under clocks that are wrong',
  size: 60,
  instances: 2,
  guards: 2,
  leaseSeconds: 5,
  run: runRuleEnds,
};

const lifeSeconds = 10;
/** Where a member saw fewer in force, because there are too many for its share of the machine, they are given again, for twice as long. */
const leastSeenShare = judgesTimes ? 1 : 0.5;
const mostLifeSeconds = 160;
/** How many end at about the same time: each role may have a hundred. */
const mostAtOnce = lanes * 100;
const earliestMilliseconds = 4000;
/** By how many seconds the clocks of the members are off; a lease allows two. */
const clockErrors = [1.8, -1.8, 1.2, -1.2, 0];
const askers = 4;
const askPauseMilliseconds = 5;

async function runRuleEnds(run: ChaosRun): Promise<ChaosResult> {
  const library = globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
  if (library === undefined)
    return {
      passed: 0,
      failures: [`libfaketime is missing: install Debian's package faketime`],
      remarks: [],
    };
  const offBy = (seconds: number) => ({
    LD_PRELOAD: library,
    FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  });
  const cluster = await startCluster({ instances: 1, leaseSeconds: run.leaseSeconds, rules: 1000 });
  try {
    const [writer] = cluster.instances;
    if (writer === undefined) throw new Error('There is no instance.');
    const members: Instance[] = [];
    for (let index = 0; index < run.instances; index += 1)
      members.push(await cluster.start({ settings: offBy(clockErrors[index % clockErrors.length] ?? 0) }));
    for (let index = 0; index < run.guards; index += 1)
      members.push(
        await cluster.startGuard(writer.server.decisionPort, {
          settings: offBy(clockErrors[(index + 1) % clockErrors.length] ?? 0),
        }),
      );
    run.enter('work');
    return await endAll(cluster, writer, members, run);
  } finally {
    run.enter('end');
    await cluster.stop();
  }
}

interface Trial {
  readonly token: string;
  readonly path: string;
  readonly endsAt: number;
}

async function endAll(
  cluster: Cluster,
  writer: Instance,
  members: readonly Instance[],
  run: ChaosRun,
): Promise<ChaosResult> {
  const failures: string[] = [];
  const figures = { asked: 0, lastAllowed: Number.NEGATIVE_INFINITY, earliest: 0 };
  let done = 0;
  let life = lifeSeconds;
  const judgesEarly = isJudged('how early a rule ends, and that every member sees all of them');
  for (let wave = 0; done < run.size && failures.length < mostFailures; wave += 1) {
    const trials = await give(cluster, writer, Math.min(mostAtOnce, run.size - done), wave, life);
    const seen = await Promise.all(
      members.map((member) => watch(member, trials, { figures, failures, judgesEarly })),
    );
    const isSeen = Math.min(...seen) >= trials.length * leastSeenShare;
    if (isSeen) done += trials.length;
    else if (life < mostLifeSeconds) {
      note('retried', 'rules of which a member saw too few in force');
      life *= 2;
    } else {
      failures.push(`of ${trials.length} rules the members saw only ${seen.join(', ')} in force`);
      break;
    }
    run.progress(done);
  }
  const [left] = await cluster.database.query<{ count: number }>(
    'select count(*)::int as count from temporary_rules where ends_at > clock_timestamp()',
  );
  if (left?.count !== 0) failures.push('a rule is left that has not ended');
  return {
    passed: Math.max(0, done - failures.length),
    failures,
    remarks: [
      `${done} rules on ${members.length} members with clocks off by up to ${Math.max(...clockErrors)} s: ${figures.asked} answers`,
      `allowed last ${(-figures.lastAllowed).toFixed(0)} ms before an end; refused first ${figures.earliest.toFixed(0)} ms before one`,
    ],
  };
}

async function give(
  cluster: Cluster,
  writer: Instance,
  count: number,
  wave: number,
  seconds: number,
): Promise<Trial[]> {
  const pathOf = (index: number) => `/api/v1/orders/${wave}x${index}`;
  const indexes = Array.from({ length: count }, (_, index) => index);
  for (let lane = 0; lane < lanes; lane += 1) {
    const set = indexes
      .filter((index) => index % lanes === lane)
      .map((index) => ({ method: 'GET', path: pathOf(index), seconds }));
    if (set.length > 0)
      await cluster.command(writer, 'POST', `/api/v1/roles/${roleOfLane(lane).id}/temporary-rules`, { set });
  }
  const rows = await cluster.database.query<{ path: string; at: number }>(
    'select path, extract(epoch from ends_at)::float8 * 1000 as at from temporary_rules',
  );
  const ends = new Map(rows.map(({ path, at }) => [path, at]));
  return indexes.map((index) => {
    const { id, roleKey, dataScope } = roleOfLane(index % lanes);
    const token = cluster.issue(2 + (index % 18), { roleid: id, rolekey: roleKey, datascope: dataScope });
    return { token, path: pathOf(index), endsAt: ends.get(pathOf(index)) ?? Number.NaN };
  });
}

interface Watch {
  readonly figures: { asked: number; lastAllowed: number; earliest: number };
  readonly failures: string[];
  readonly judgesEarly: boolean;
}

/** Asks for each rule while it lives, around its end, and after it. How many were seen in force. */
async function watch(
  member: Instance,
  trials: readonly Trial[],
  { figures, failures, judgesEarly }: Watch,
): Promise<number> {
  const allowed = new Set<Trial>();
  const refused = new Set<Trial>();
  const late = Math.max(...trials.map(({ endsAt }) => endsAt)) + 1000;
  async function ask(trial: Trial): Promise<void> {
    const before = Date.now();
    const outcome = await outcomeOf(member, { path: trial.path, headers: bearer(trial.token) });
    const after = Date.now();
    figures.asked += 1;
    if (outcome === 'unavailable') return;
    if (outcome === 'allowed') {
      allowed.add(trial);
      figures.lastAllowed = Math.max(figures.lastAllowed, after - trial.endsAt);
      if (before >= trial.endsAt)
        failures.push(`ALLOWED ${(before - trial.endsAt).toFixed(0)} ms after the end`);
    } else {
      const early = trial.endsAt - after;
      figures.earliest = Math.max(figures.earliest, early);
      if (judgesEarly && early > earliestMilliseconds)
        failures.push(`refused ${early.toFixed(0)} ms before the end`);
      if (before >= trial.endsAt) refused.add(trial);
    }
  }
  let next = 0;
  async function go(): Promise<void> {
    while (Date.now() < late && failures.length < mostFailures) {
      const trial = trials[next % trials.length];
      next += 1;
      if (trial !== undefined) await ask(trial);
      await sleep(askPauseMilliseconds);
    }
  }
  await Promise.all(Array.from({ length: askers }, go));
  const giveUpAt = performance.now() + patienceMilliseconds;
  for (const trial of trials) {
    while (!refused.has(trial) && failures.length < mostFailures && performance.now() < giveUpAt)
      await ask(trial);
    if (!refused.has(trial)) failures.push('a rule that has ended was never refused');
  }
  return allowed.size;
}
