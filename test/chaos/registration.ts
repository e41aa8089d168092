// An instance registers in the middle of a write (G06, T59). It has loaded the old state and hangs in its registration
// or in its first report, held by a lock; something is taken away meanwhile. Whichever of the two is let go first, and
// whether or not a notification arrives: nothing that is asked of it after the taking-away call returned is allowed.
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '@portcullis/server';
import { pino } from 'pino';
import { composePortcullis, type Portcullis } from '../../packages/server/src/compose/portcullis.ts';
import { Random } from '../fuzz/random.ts';
import { createBusinessRoutes } from '../rig/business-routes.ts';
import { createHttpClient, type HttpClient, type Request } from '../rig/http-client.ts';
import { mostResent, note } from '../rig/notes.ts';
import { waitUntil } from '../rig/postgres-server.ts';
import { baseSettings, standstillText } from '../rig/start-server.ts';
import { type Gate, type Holder, installGates, installNotificationSwitch, openHolders } from './gates.ts';
import { createLatency } from './latency.ts';
import { readUser } from './read-user.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from './scenario.ts';
import { askAgain, patienceMilliseconds } from './send-again.ts';
import {
  bearer,
  type Cluster,
  decisionOf,
  type Instance,
  laneRole,
  patientUrl,
  startCluster,
} from './start-cluster.ts';

export const registrationScenario: OwnScenario = {
  title: 'an instance registers in the middle of a write',
  size: 12,
  instances: 2,
  // The shortest: if notifications are lost, a call waits for the next renewal, and that comes sooner.
  leaseSeconds: 2,
  run: runRegistration,
};

/** Where the newcomer hangs, and who is let go first; `call returned` is as late as it can be for the newcomer. */
const plans = [
  { gate: 'registration', order: 'call returned' },
  { gate: 'registration', order: 'write first' },
  { gate: 'registration', order: 'newcomer first' },
  { gate: 'registration', order: 'both at once' },
  { gate: 'registration', order: 'call returned' },
  // Its row is there: the call waits for it, and cannot return before.
  { gate: 'firstReport', order: 'write first' },
  { gate: 'firstReport', order: 'newcomer first' },
  { gate: 'firstReport', order: 'both at once' },
] as const;
type Plan = (typeof plans)[number];
const questions = 30;
/** An instance that lost its row waits at the gate as the newcomer does: then the call returns only behind it. */
const longestHoldMilliseconds = 15_000;

/** Something that is allowed, and the call that takes it away. */
interface Ground {
  readonly request: Request;
  end(writer: Instance): Promise<unknown>;
}

async function runRegistration({ size, instances, leaseSeconds, seed, progress, enter }: ChaosRun) {
  const cluster = await startCluster({ instances: 1, leaseSeconds, rules: 1000 });
  const random = new Random(seed);
  const failures: string[] = [];
  const latency = createLatency();
  const counts = { asked: 0, servedOldState: 0 };
  await installGates(cluster.database);
  const setNotificationsLost = await installNotificationSwitch(cluster.database);
  const running = await startRunning(cluster, instances);
  const holders = await openHolders(cluster.database);
  enter('work');
  try {
    for (let trial = 0; trial < size && failures.length < mostFailures; trial += 1) {
      const ground = await createGround(cluster, running, trial);
      const plan = plans[trial % plans.length] ?? plans[0];
      const notificationsLost = random.once(3);
      await setNotificationsLost(notificationsLost);
      const { answers, sawOldState, milliseconds } = await runTrial({
        start: () => startNewcomer(patientUrl(cluster.database.url), leaseSeconds),
        holders,
        random,
        ground,
        plan,
        writer: random.pick(running),
      });
      latency.add(milliseconds);
      counts.asked += answers.length;
      if (sawOldState) counts.servedOldState += 1;
      const wrong = answers.filter((outcome) => outcome !== 'refused');
      if (wrong.length > 0)
        failures.push(
          `trial ${trial} (${plan.gate}, ${plan.order}, ${ground.request.path}${notificationsLost ? ', notifications lost' : ''}): ${wrong.length} of ${answers.length} were ${[...new Set(wrong)].join(' or ')} after the call returned`,
        );
      progress(trial + 1);
    }
  } finally {
    enter('end');
    await Promise.all(Object.values(holders).map((holder) => holder.close()));
    await cluster.stop();
  }
  if (size >= plans.length && counts.servedOldState === 0)
    failures.push('no newcomer ever served the old state before the write: the test sees nothing');
  return {
    passed: Math.max(0, size - failures.length),
    failures,
    remarks: [
      `${counts.asked.toLocaleString('en')} questions to ${size.toLocaleString('en')} newcomers after the call had returned; ${counts.servedOldState} of them had allowed the same before it`,
      `the taking-away call, with the time that the test held it, a third of them without a notification: ${latency.text()}`,
    ],
  };
}

/** In place of the first one, which is connected from before the gates were there. */
async function startRunning(cluster: Cluster, count: number): Promise<Instance[]> {
  const running: Instance[] = [];
  for (let index = 0; index < count; index += 1)
    running.push(await cluster.start({ databaseUrl: patientUrl(cluster.database.url) }));
  await Promise.all(cluster.instances.map(({ server }) => server.stop()));
  return running;
}

interface TrialOptions {
  readonly start: () => Promise<Newcomer>;
  readonly holders: Readonly<Record<Gate, Holder>>;
  readonly random: Random;
  readonly ground: Ground;
  readonly plan: Plan;
  readonly writer: Instance;
}

async function runTrial({ start, holders, random, ground, plan, writer }: TrialOptions) {
  const newcomerGate = holders[plan.gate];
  await waitUntil(
    'the ground is known',
    async () => (await decisionOf(writer, ground.request)) === 'allowed',
  );
  await newcomerGate.hold();
  await holders.commit.hold();
  const starting = start();
  starting.catch(() => {});
  await waitUntil('the newcomer hangs', newcomerGate.isAwaited);
  const startedAt = performance.now();
  const ending = ground.end(writer).then(() => performance.now() - startedAt);
  ending.catch(() => {});
  const hanging = waitUntil('the write hangs before its commit', holders.commit.isAwaited);
  await beforeLongHold(hanging, newcomerGate);
  await hanging;

  let sawOldState = false;
  switch (plan.order) {
    case 'call returned':
      await holders.commit.release();
      await beforeLongHold(ending, newcomerGate);
      await newcomerGate.release();
      break;
    case 'write first':
      await holders.commit.release();
      await sleep(random.below(40));
      await newcomerGate.release();
      break;
    case 'newcomer first':
      await newcomerGate.release();
      sawOldState = (await ask(await starting, ground.request)) === 'allowed';
      await holders.commit.release();
      break;
    case 'both at once': {
      const [first, second] = random.once(2)
        ? [newcomerGate, holders.commit]
        : [holders.commit, newcomerGate];
      await first.release();
      await sleep(random.below(8));
      await second.release();
    }
  }
  const newInstance = await starting;
  try {
    const milliseconds = await ending;
    const answers = await Promise.all(
      Array.from({ length: questions }, async (_, index) => {
        await sleep(index);
        return await ask(newInstance, ground.request);
      }),
    );
    return { answers, sawOldState, milliseconds };
  } finally {
    newInstance.client.close();
    await newInstance.portcullis.close(0);
  }
}

/** Until it is done; releases the transactions at the gate where that takes too long. */
async function beforeLongHold(work: Promise<unknown>, gate: Holder): Promise<void> {
  const giveUp = new AbortController();
  const late = sleep(longestHoldMilliseconds, true, { signal: giveUp.signal }).catch(() => false);
  const isLate = await Promise.race([work.then(() => false), late]);
  giveUp.abort();
  if (isLate) await gate.release();
}

interface Newcomer {
  readonly client: HttpClient;
  readonly portcullis: Portcullis;
}

/** In this process, which a thousand starts can afford; over sockets all the same. */
async function startNewcomer(
  databaseUrl: string,
  leaseSeconds: number,
  giveUpAt = performance.now() + patienceMilliseconds,
): Promise<Newcomer> {
  const environment = {
    ...baseSettings(databaseUrl),
    APPLICATION_HOST: '127.0.0.1',
    CLUSTER_LEASE_SECONDS: String(leaseSeconds),
  };
  let portcullis: Portcullis;
  try {
    portcullis = await composePortcullis({
      config: loadConfig({ environment }),
      logger: pino({ level: 'silent' }),
      routes: createBusinessRoutes(),
    });
  } catch (error) {
    // It could not connect within its two seconds, on a machine that stood still.
    if (performance.now() > giveUpAt || !standstillText.test(String(error))) throw error;
    note('retried', 'the start of a newcomer that could not connect to Postgres in time', mostResent);
    return await startNewcomer(databaseUrl, leaseSeconds, giveUpAt);
  }
  const { port } = await portcullis.listen();
  return { portcullis, client: createHttpClient(port, { remembers: false }) };
}

/**
 * `refused` is the answer that every question must get; anything else tells what it got. A newcomer whose lease ran out
 * while the machine stood still says nothing, and is asked until it does.
 */
async function ask({ client }: Newcomer, request: Request): Promise<string> {
  const { status, body } = await askAgain(
    () => client.send(request),
    (answer) => answer.status === 503,
    'a question to a newcomer that was answered with 503',
  );
  if (status === 200 && body.code === 401) return 'refused';
  return status === 200 && body.code === 200 ? 'allowed' : `answered with ${status}`;
}

/** In turn: a rule, a token, all tokens of a user. Nothing is used by two trials. */
async function createGround(cluster: Cluster, running: readonly Instance[], trial: number): Promise<Ground> {
  const kind = trial % 3;
  if (kind === 0) return await createRuleGround(cluster, running, trial);
  const userId = cluster.userIds[trial % cluster.userIds.length] ?? Number.NaN;
  const { epoch } = await readUser(cluster.database, userId);
  const token = cluster.issue(userId, { ep: epoch });
  const request = { path: '/api/v1/orders', headers: bearer(token) };
  if (kind === 1)
    return {
      request,
      end: (writer) => cluster.logOut(writer, token),
    };
  return {
    request,
    end: (writer) => cluster.command(writer, 'DELETE', `/api/v1/users/${userId}/sessions`),
  };
}

async function createRuleGround(
  cluster: Cluster,
  running: readonly Instance[],
  trial: number,
): Promise<Ground> {
  const rule = { method: 'GET', path: `/api/v1/reports/trial/${trial}` };
  const path = `/api/v1/roles/${laneRole.id}/rules`;
  const [giver] = running;
  if (giver !== undefined) await cluster.command(giver, 'POST', path, { add: [rule] });
  return {
    request: { path: rule.path, headers: bearer(cluster.issue(2)) },
    end: (writer) => cluster.command(writer, 'POST', path, { remove: [rule] }),
  };
}
