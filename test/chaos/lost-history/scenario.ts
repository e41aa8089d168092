// Changes are lost with an asynchronous failover or a restored backup, and fail-overs that lose nothing beside them
// (P01): no ended token lives again, nothing is allowed until `portcullis recover`, and what lost nothing never
// latches.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresPair } from '../../rig/postgres-pair.ts';
import { waitUntil } from '../../rig/postgres-server.ts';
import { createLatency } from '../latency.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { bearer, decisionOf, type Instance, startCluster } from '../start-cluster.ts';
import { startForgetfulPostgres } from './losses.ts';
import { type LossyTrial, runLossyTrial } from './lossy-trial.ts';

/** One after the other, so that every small run has another kind than the one before by its seed alone. */
const kinds: readonly Pick<LossyTrial, 'loss' | 'survivor'>[] = [
  { loss: 'asynchronous failover', survivor: 'a member' },
  { loss: 'restore', survivor: 'a host' },
  { loss: 'restore', survivor: 'a member' },
  { loss: 'asynchronous failover', survivor: 'a host' },
];

export const lostHistoryScenario: OwnScenario = {
  title: 'lose changes, and fail over without losing any',
  size: 1,
  instances: 2,
  leaseSeconds: 5,
  run: runLostHistory,
};

/** Every other trial loses something; both kinds run beside each other, each on separate servers. */
async function runLostHistory(run: ChaosRun): Promise<ChaosResult> {
  const lossy = Math.ceil(run.size / 2);
  const failures: string[] = [];
  let done = 0;
  const judged = (found: readonly string[]) => {
    failures.push(...found);
    done += 1;
    run.progress(done);
  };
  run.enter('work');
  const remarks = await Promise.all([
    loseAgainAndAgain(run, lossy, judged, () => failures.length >= mostFailures),
    ...(run.size > lossy
      ? [failOverAgainAndAgain(run, run.size - lossy, judged, () => failures.length >= mostFailures)]
      : []),
  ]);
  return { passed: Math.max(0, done - failures.length), failures, remarks: remarks.flat() };
}

type Judge = (failures: readonly string[]) => void;

async function loseAgainAndAgain(run: ChaosRun, trials: number, judge: Judge, isEnough: () => boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'lost-dumps-'));
  const postgres = await startForgetfulPostgres(folder);
  const [recovery, back] = [createLatency(), createLatency()];
  try {
    for (let number = 0; number < trials && !isEnough(); number += 1) {
      const kind = kinds[(run.seed - 1 + number) % kinds.length] ?? { loss: 'restore', survivor: 'a member' };
      const result = await runLossyTrial(postgres, {
        ...kind,
        leaseSeconds: run.leaseSeconds,
        hasControl: number === 0,
      });
      recovery.add(result.recoverMilliseconds);
      back.add(result.backMilliseconds);
      judge(result.failures.map((failure) => `${kind.loss}, ${kind.survivor} survived: ${failure}`));
    }
  } finally {
    await postgres.remove();
    await rm(folder, { recursive: true, force: true });
  }
  return [
    `${trials} losses; \`portcullis recover\`: ${recovery.text()}`,
    `from its end until every member allows: ${back.text()}`,
    'the control, an instance that starts without latch and wait, allowed the ended token',
  ];
}

const userId = 2;

async function failOverAgainAndAgain(run: ChaosRun, trials: number, judge: Judge, isEnough: () => boolean) {
  const pair = await startPostgresPair();
  const closed = createLatency();
  const { leaseSeconds } = run;
  try {
    const cluster = await startCluster({ instances: 2, leaseSeconds, rules: 1000, server: pair.url() });
    try {
      const [writer] = cluster.instances;
      if (writer === undefined) throw new Error('There is no instance.');
      const guard = await cluster.startGuard(writer.server.decisionPort);
      const members = [...cluster.instances, guard];
      for (let number = 0; number < trials && !isEnough(); number += 1) {
        const failures: string[] = [];
        const check = (isSo: boolean, otherwise: string) => void (isSo || failures.push(otherwise));
        const [ended, good] = [cluster.issue(userId), cluster.issue(userId)];
        await cluster.logOut(writer, ended);
        await pair.failOver();
        const overAt = performance.now();
        const newInstance = cluster.start();
        for (const member of [...members, await newInstance]) {
          await waitUntil('it serves again', async () => (await decide(member, good)) === 'allowed');
          check((await decide(member, ended)) === 'refused', 'an ended token is not refused');
        }
        closed.add(performance.now() - overAt);
        const latched = await cluster.database.query(
          'select from current_revision where history_lost_at is not null',
        );
        check(latched.length === 0, 'a failover that lost nothing latched');
        await (await newInstance).server.stop();
        judge(failures.map((failure) => `synchronous failover: ${failure}`));
        if (number + 1 < trials) await pair.rebuildStandby();
      }
    } finally {
      await cluster.stop();
    }
  } finally {
    await pair.remove();
  }
  return [`${trials} synchronous failovers; until all serve, a new instance too: ${closed.text()}`];
}

function decide(member: Instance, token: string) {
  return decisionOf(member, { path: '/api/v1/orders', headers: bearer(token) });
}
