// Work in flight: a caller's write is on its way to its commit when the caller is revoked. Nothing of it may be stored
// after the revoking call has returned, whatever held it.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Random } from '../../fuzz/random.ts';
import type { Answer } from '../../rig/http-client.ts';
import { createLatency } from '../latency.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { bearer, type Cluster, type Instance, patientUrl, startCluster } from '../start-cluster.ts';
import { compareCosts } from './costs.ts';
import { openHeldBody } from './held-body.ts';
import { wholeRule } from './revocations.ts';
import { branchRole, managerRole, prepareTrials, requestOf, type Trial } from './trial.ts';
import { plainRoleId } from './writes.ts';

export const inFlightScenario: OwnScenario = {
  title: 'revoke callers whose writes are on their way to the commit',
  size: 60,
  instances: 3,
  leaseSeconds: 10,
  run: runInFlight,
};

/** As many as wait beside each other without emptying every pool. */
const trialsPerInstance = 5;
const controlTrials = 60;
/** So many that were stored without the question show enough. */
const enoughStored = 5;
/** A machine that stands still answers many a write before the call has returned: then further waves follow. */
const mostWavesMore = 10;
/** From here on what a write costs is measured too. */
const largeRun = 2000;
const poolSize = 10;
/** The service waits for a statement for longer than this, by the address that it has here. */
const longestHoldMilliseconds = 20_000;

interface Counts {
  inFlight: number;
  stored: number;
  unanswered: number;
  /** Of the control group. */
  kept: number;
}

const createCounts = (): Counts => ({ inFlight: 0, stored: 0, unanswered: 0, kept: 0 });

async function runInFlight({ size, instances, leaseSeconds, seed, progress, enter }: ChaosRun) {
  const cluster = await startCluster({
    instances,
    leaseSeconds,
    rules: 1000,
    databaseUrlOf: (url) => patientUrl(url),
  });
  try {
    const [writer] = cluster.instances;
    if (writer === undefined) throw new Error('There is no instance.');
    await seedRoles(cluster, writer);
    enter('work');
    const failures: string[] = [];
    const latency = createLatency();
    const counts = createCounts();
    const random = new Random(seed);
    const perWave = Math.min(size, trialsPerInstance * instances);
    const mostTrials = size + mostWavesMore * perWave;
    const isEnough = (done: number) =>
      done >= mostTrials || (done >= size && counts.inFlight >= size / 3 && counts.kept > 0);
    let done = 0;
    for (; !isEnough(done) && failures.length < mostFailures; done += perWave) {
      const trials = await prepareTrials(cluster, random, done, perWave);
      failures.push(...(await runWave({ cluster, random, trials, counts, latency })));
      progress(Math.min(done + perWave, size));
    }
    if (counts.inFlight < size / 3)
      failures.push(`only ${counts.inFlight} of ${done} writes were on their way: the test sees little`);
    const unchecked = await cluster.start({
      script: 'test/chaos/in-flight/service-without-check.ts',
      databaseUrl: patientUrl(cluster.database.url),
    });
    const control = createCounts();
    const trials = await prepareTrials(cluster, random, 0, controlTrials);
    for (let from = 0; from < trials.length && control.stored < enoughStored; from += trialsPerInstance)
      await runWave({
        cluster,
        random,
        trials: trials.slice(from, from + trialsPerInstance),
        counts: control,
        latency: createLatency(),
        writesTo: unchecked,
      });
    if (counts.kept === 0) failures.push('no write of the control group was stored: the test sees nothing');
    if (control.stored === 0) failures.push('without the question at the commit nothing was stored either');
    const costs = size < largeRun ? undefined : await compareCosts(cluster, writer, unchecked);
    failures.push(...(costs?.failures ?? []));
    enter('end');
    return {
      passed: Math.max(0, done - counts.stored - counts.unanswered),
      failures,
      remarks: [
        `${counts.inFlight} writes were on their way when the call returned, ${counts.stored} of them were stored; ${counts.unanswered} calls could not be answered; ${counts.kept} of the control group were stored`,
        `without the question at the commit: ${control.stored} of ${control.inFlight}`,
        `the revoking call: ${latency.text()}`,
        ...(costs?.remarks ?? []),
      ],
    };
  } finally {
    await cluster.stop();
  }
}

interface Wave {
  readonly cluster: Cluster;
  readonly random: Random;
  readonly trials: readonly Trial[];
  readonly counts: Counts;
  readonly latency: ReturnType<typeof createLatency>;
  /** The only one that the writes go to; any of the cluster's unless given. */
  readonly writesTo?: Instance;
}

async function runWave({ cluster, random, trials, counts, latency, writesTo }: Wave): Promise<string[]> {
  const full = writesTo ?? random.pick(cluster.instances);
  const others = cluster.instances.filter((instance) => instance !== full);
  const holder = await holdAll(cluster, trials);
  const fillers =
    writesTo === undefined ? fillPool(cluster, full, trials) : ([] as Promise<Answer | undefined>[]);
  if (fillers.length > 0) await holder.waitFor(poolSize - 1);
  const sent = trials.map((trial) => ({ trial, ...send(trial, instanceOf(trial)) }));
  function instanceOf({ hold }: Trial): Instance {
    if (writesTo !== undefined) return writesTo;
    return hold === 'pool' ? full : random.pick(others);
  }
  await sleep(50 + random.below(100));
  const deadline = sleep(longestHoldMilliseconds);
  const revoked = sent.map(async ({ trial, answer }) => {
    let isAnswered = false;
    answer.then(
      () => {
        isAnswered = true;
      },
      () => {},
    );
    const startedAt = performance.now();
    try {
      await trial.revoke(cluster, random.pick(others));
    } catch {
      counts.unanswered += 1;
      return undefined;
    }
    latency.add(performance.now() - startedAt);
    const before = await countRecords(cluster, trial);
    if (!isAnswered && !trial.isKept) counts.inFlight += 1;
    return before;
  });
  await Promise.race([Promise.all(revoked), deadline]);
  await holder.release();
  for (const { finish } of sent) finish();
  const befores = await Promise.all(revoked);
  const answers = await Promise.allSettled(sent.map(({ answer }) => answer));
  await Promise.all(fillers);
  const failures: string[] = [];
  for (const [index, { trial }] of sent.entries()) {
    const before = befores[index];
    if (before === undefined) continue;
    const after = await countRecords(cluster, trial);
    if (trial.isKept) {
      if (after === 1) counts.kept += 1;
      else if (!isUnavailable(answers[index]))
        failures.push(`${trial.name}: not stored, ${tell(answers[index])}`);
    } else if (after > before) {
      counts.stored += 1;
      failures.push(`${trial.name}: stored after the call had returned`);
    }
  }
  return failures;
}

type Told = PromiseSettledResult<unknown> | undefined;

/** Held for longer than the service waits. */
function isUnavailable(answer: Told): boolean {
  return answer?.status !== 'fulfilled' || tell(answer) === '' || /\b(503|408)\b/.test(tell(answer));
}

function tell(answer: Told): string {
  return answer?.status === 'fulfilled' ? String((answer.value as Partial<Answer>).text) : 'no answer';
}

/** What the caller did, as the audit log has it: it is stored with the write itself. */
async function countRecords({ database }: Cluster, { caller }: Trial): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    'select count(*)::int as count from audit_log where actor_id = $1',
    [caller.userId],
  );
  return row?.count ?? 0;
}

function send(trial: Trial, instance: Instance): { answer: Promise<unknown>; finish: () => void } {
  if (trial.hold === 'body') return openHeldBody(instance, requestOf(trial));
  return { answer: instance.client.send(requestOf(trial)), finish: () => {} };
}

/** One transaction that has everything which the held writes need. */
async function holdAll({ database }: Cluster, trials: readonly Trial[]) {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query('begin');
  await client.query(fillerRow);
  for (const { hold, write } of trials) if (hold === 'lock') await client.query(write.hold);
  return {
    /** Until so many transactions wait for one of these. */
    async waitFor(count: number): Promise<void> {
      for (let tries = 0; tries < 1000; tries += 1) {
        const [row] = await database.query<{ count: number }>(
          `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        );
        if ((row?.count ?? 0) >= count) return;
        await sleep(5);
      }
    },
    async release(): Promise<void> {
      await client.query('rollback');
      await client.end();
    },
  };
}

const fillerId = 2;
const fillerRow = `select from users where id = ${fillerId} for update`;

/** Requests of another person that have every connection of the instance, where a trial is to wait for one. */
function fillPool(cluster: Cluster, full: Instance, trials: readonly Trial[]): Promise<Answer | undefined>[] {
  if (!trials.some(({ hold }) => hold === 'pool')) return [];
  const token = cluster.issue(1, { roleid: 1, rolekey: 'admin', datascope: '1' });
  return Array.from({ length: poolSize }, () =>
    full.client
      .send({
        method: 'PUT',
        path: `/api/v1/users/${fillerId}`,
        headers: bearer(token),
        body: { name: 'Filler', departmentId: 1 },
      })
      .catch(() => undefined),
  );
}

async function seedRoles(cluster: Cluster, writer: Instance): Promise<void> {
  const { database } = cluster;
  await database.query(
    `insert into roles (id, role_key, name, data_scope) values (${plainRoleId}, 'plain', 'Plain', '5')`,
  );
  for (const { id, roleKey, dataScope } of [managerRole, branchRole]) {
    await database.query('insert into roles (id, role_key, name, data_scope) values ($1, $2, $2, $3)', [
      id,
      roleKey,
      dataScope,
    ]);
    // Every instance learns of the role with its first change.
    await cluster.command(writer, 'PUT', `/api/v1/roles/${id}/enabled`, { enabled: false });
    await cluster.command(writer, 'PUT', `/api/v1/roles/${id}/enabled`, { enabled: true });
    await cluster.command(writer, 'POST', `/api/v1/roles/${id}/rules`, { add: [wholeRule] });
  }
  await database.query('alter table roles alter column id restart with 5000');
  await database.query('alter table users alter column id restart with 5000');
  await database.query('alter table departments alter column id restart with 5000');
}
