// A Postgres that answers late, or not at all for a while because of a lock (F09): checks do not ask it, so they take
// as long as before; a login is answered in time, with success or with 503.
import { setTimeout as sleep } from 'node:timers/promises';
import { captchaAnswer, solveCaptcha } from '../../rig/captcha.ts';
import { isJudged, judgesTimes } from '../../rig/judges-times.ts';
import { note } from '../../rig/notes.ts';
import { hashPassword, password } from '../../rig/seed.ts';
import type { TcpProxy } from '../../rig/tcp-proxy.ts';
import { createLatency } from '../latency.ts';
import type { OwnScenario } from '../scenario.ts';
import { checkHealthy, type FaultFrame, runFault, untilEnded } from './run-fault.ts';
import { withPostgres } from './with-postgres.ts';

const phaseMilliseconds = judgesTimes ? 2000 : 1000;
const delays = { change: 300, checks: 1000 };
const tables = ['users', 'login_log', 'sessions'];
const shedMilliseconds = 3000;
/** Far below every delay, and above what two busy processors add to a few milliseconds. */
const bar = { factor: 3, milliseconds: 100 };
/** A machine that stands still for a moment makes one phase late; a check that asks Postgres, every one. */
const attempts = 3;

export const slowScenario: OwnScenario = {
  title: 'delay and lock Postgres while checks go on',
  size: 1,
  instances: 3,
  leaseSeconds: 10,
  run: (run) =>
    withPostgres({}, (postgres, proxy) =>
      runFault(
        run,
        {
          server: postgres.url(),
          databaseUrlOf: (url) => proxy.urlThrough(url),
          prober: { perSecond: judgesTimes ? 100 : 20 },
        },
        (frame) => runSlow(frame, proxy),
      ),
    ),
};

async function runSlow(frame: FaultFrame, proxy: TcpProxy): Promise<void> {
  const { run, cluster, prober, random, check, remark, rounds, limitOf } = frame;
  const mostMilliseconds = () => limitOf(shedMilliseconds);
  const mostRetried = Math.max(attempts, Math.ceil(run.size / 4));
  await cluster.database.query('update users set password_hash = $1 where id = 2', [
    await hashPassword(password, 2),
  ]);
  const endOne = () => prober.endOne(random.pick(cluster.instances));
  await rounds(async () => {
    await logIn(frame);
    const baseline = await measure(frame, () => sleep(phaseMilliseconds));
    remark(`checks without a fault: ${baseline.text()}`);
    const phase = async (what: string, work: () => Promise<unknown>) => {
      const before = baseline.at(0.99);
      for (let attempt = 1; attempt <= attempts; attempt++) {
        if (attempt > 1) note('retried', `a phase of a slow Postgres: ${what}`, mostRetried);
        const latency = await measure(frame, work);
        const during = latency.at(0.99);
        remark(`${what}: ${latency.text()}; p99 ${(during / before).toFixed(2)} times the baseline`);
        if (
          !isJudged('the checks’ p99 beside a slow Postgres') ||
          during <= before * bar.factor + bar.milliseconds
        )
          return;
      }
      check(false, `${what}: the checks' p99 was over the bar ${attempts} times`);
    };
    await phase(`every packet late by ${delays.change} ms`, async () => {
      proxy.setDelay(delays.change);
      const [{ ended, milliseconds }] = await Promise.all([endOne(), sleep(phaseMilliseconds)]);
      await endDelay(proxy, delays.change);
      check(
        !isJudged('a change while Postgres is slow') || ended,
        'a change was not acknowledged although Postgres was only slow',
      );
      remark(`  a change there: ${milliseconds.toFixed(0)} ms`);
    });
    // So late that no new connection is made in time, but the one that renews the lease goes on.
    await phase(`every packet late by ${delays.checks} ms`, async () => {
      proxy.setDelay(delays.checks);
      await sleep(phaseMilliseconds);
      await endDelay(proxy, delays.checks);
    });
    for (const table of tables)
      await phase(`the table ${table} locked`, async () => {
        const unlock = await cluster.database.lock(table);
        const { status, milliseconds } = await logIn(frame);
        await sleep(Math.max(0, phaseMilliseconds - milliseconds));
        await unlock();
        remark(`  a login there: ${status} after ${milliseconds.toFixed(0)} ms`);
        check(
          milliseconds <= mostMilliseconds(),
          `a login took ${milliseconds.toFixed(0)} ms with ${table} locked`,
        );
      });
    await phase('Postgres silent', async () => {
      const { uuid, code } = await prepareCaptcha(frame);
      proxy.cut('both');
      const { status, milliseconds } = await logIn(frame, { uuid, code });
      proxy.heal();
      remark(`  a login there: ${status} after ${milliseconds.toFixed(0)} ms`);
      check(status === 503, `a login was answered with ${status} although Postgres was silent`);
      check(
        milliseconds <= mostMilliseconds(),
        `a login took ${milliseconds.toFixed(0)} ms without Postgres`,
      );
    });
    await untilEnded(frame, cluster.instances);
  });
}

/** What is under way still is late. */
async function endDelay(proxy: TcpProxy, milliseconds: number): Promise<void> {
  proxy.setDelay(0);
  await sleep(2 * milliseconds);
}

/** The checks of all instances during the work; none of them may fail. */
async function measure(frame: FaultFrame, work: () => Promise<unknown>) {
  const since = performance.now();
  await work();
  const latency = createLatency();
  for (const instance of frame.cluster.instances)
    for (const { milliseconds } of frame.prober.probesOf(instance, since)) latency.add(milliseconds);
  checkHealthy(frame, frame.cluster.instances, since);
  return latency;
}

async function prepareCaptcha({ cluster }: FaultFrame): Promise<{ uuid: string; code: string }> {
  const client = cluster.instances[0]?.client;
  const answer = await client?.send({ path: '/api/v1/getCaptcha' });
  const uuid = String(answer?.body.id);
  await solveCaptcha(cluster.database, uuid);
  return { uuid, code: captchaAnswer };
}

async function logIn(frame: FaultFrame, captcha?: { uuid: string; code: string }) {
  const fields = captcha ?? (await prepareCaptcha(frame));
  const client = frame.cluster.instances[0]?.client;
  const startedAt = performance.now();
  const answer = await client?.send({
    method: 'POST',
    path: '/api/v1/login',
    body: { username: 'user2', password, ...fields },
  });
  return { status: Number(answer?.body.code), milliseconds: performance.now() - startedAt };
}
