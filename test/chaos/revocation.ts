// Everything else that takes something away, each kind with the same trial: a token works, the call returns, and no
// instance accepts the token any more (G07, T27, T28, F18).
import { Random } from '../fuzz/random.ts';
import { isJudged } from '../rig/judges-times.ts';
import { readKeyOf } from '../rig/tokens.ts';
import { createLatency, type Latency } from './latency.ts';
import { readUser } from './read-user.ts';
import { type ChaosRun, type ClusterScenario, mostFailures } from './scenario.ts';
import {
  ballastRules,
  bearer,
  type Cluster,
  decisionOf,
  type Instance,
  laneRole,
  lanes,
  otherRole,
  roleOfLane,
} from './start-cluster.ts';

interface Place {
  readonly cluster: Cluster;
  readonly writer: Instance;
  /** Trials of different lanes run beside each other, on users and roles of their own. */
  readonly lane: number;
  readonly trial: number;
}

/** Makes a token that works, and the call that ends it. */
type Trial = (place: Place) => Promise<{ token: string; end(): Promise<unknown> }>;

/** Trials one after the other, whose time counts; all further ones run in lanes. */
const timedTrials = 1000;
const barMilliseconds = 200;

export const revocationScenarios: Readonly<Record<string, ClusterScenario>> = {
  logout: scenarioOf('log out', logOut),
  disable: scenarioOf(
    'disable a user',
    createUserTrial((id) => ['PUT', `/api/v1/users/${id}/enabled`, { enabled: false }]),
  ),
  password: scenarioOf(
    'give a user another password',
    createUserTrial((id, trial) => [
      'PUT',
      `/api/v1/users/${id}/password`,
      { password: `another-password-${trial}` },
    ]),
  ),
  role: scenarioOf('give a user another role', changeRole),
  scope: scenarioOf('change the data scope of a role', changeScope),
  key: scenarioOf('retire a key at once', retireKey),
};

function scenarioOf(title: string, makeTrial: Trial): ClusterScenario {
  return {
    title,
    size: 30,
    instances: 4,
    leaseSeconds: 10,
    rules: ballastRules,
    runOn: (cluster, run) => runTrials(cluster, run, makeTrial),
  };
}

async function runTrials(cluster: Cluster, { size, seed, progress, enter }: ChaosRun, makeTrial: Trial) {
  enter('work');
  const failures: string[] = [];
  const [alone, together] = [createLatency(), createLatency()];
  let done = 0;
  const runLane = async (lane: number, trials: number, latency: Latency) => {
    const random = new Random(seed + lane);
    const outcome = (token: string) =>
      decisionOf(random.pick(cluster.instances), { path: '/api/v1/orders', headers: bearer(token) });
    for (let trial = 0; trial < trials && failures.length < mostFailures; trial += 1) {
      const { token, end } = await makeTrial({
        cluster,
        writer: random.pick(cluster.instances),
        lane,
        trial,
      });
      const before = await outcome(token);
      if (before !== 'allowed') failures.push(`lane ${lane}, trial ${trial}: ${before} before it was ended`);
      const startedAt = performance.now();
      await end();
      latency.add(performance.now() - startedAt);
      const after = await outcome(token);
      if (after !== 'refused')
        failures.push(`lane ${lane}, trial ${trial}: ${after} after the call returned`);
      done += 1;
      progress(done);
    }
  };
  await runLane(0, Math.min(size, timedTrials), alone);
  const perLane = Math.ceil(Math.max(0, size - timedTrials) / (lanes - 1));
  await Promise.all(Array.from({ length: lanes - 1 }, (_, lane) => runLane(lane + 1, perLane, together)));
  const accepted = failures.length;
  if (isJudged('the time of the ending call') && !alone.isWithin(barMilliseconds))
    failures.push(`the call is slower than p99 ${barMilliseconds} ms`);
  return {
    passed: done - accepted,
    failures,
    remarks: [
      `${accepted} accepted after the call returned, in ${done.toLocaleString('en')} trials`,
      `the ending call, one after the other: ${alone.text()}`,
      ...(perLane > 0 ? [`the ending call, ${lanes - 1} at once: ${together.text()}`] : []),
    ],
  };
}

async function logOut({ cluster, writer }: Place): ReturnType<Trial> {
  const token = cluster.issue(2);
  return { token, end: () => cluster.logOut(writer, token) };
}

/** The users of a lane in turn. Every ending raises the user's epoch; the next token carries the new one. */
async function nextUser({ cluster, lane, trial }: Place) {
  const perLane = Math.floor(cluster.userIds.length / lanes);
  const userId = cluster.userIds[lane * perLane + (trial % perLane)] ?? Number.NaN;
  return { userId, ...(await readUser(cluster.database, userId)) };
}

function createUserTrial(commandOf: (userId: number, trial: number) => [string, string, unknown]): Trial {
  return async (place) => {
    const { cluster, writer, trial } = place;
    const { userId, epoch } = await nextUser(place);
    // Disabled by its last trial: only logins ask for that, but a second disabling must change something again.
    await cluster.database.query('update users set enabled = true where id = $1 and not enabled', [userId]);
    const [method, path, body] = commandOf(userId, trial);
    return {
      token: cluster.issue(userId, { ep: epoch }),
      end: () => cluster.command(writer, method, path, body),
    };
  };
}

async function changeRole(place: Place): ReturnType<Trial> {
  const { cluster, writer } = place;
  const { userId, epoch, roleId } = await nextUser(place);
  const [from, to] = roleId === laneRole.id ? [laneRole, otherRole] : [otherRole, laneRole];
  return {
    token: cluster.issue(userId, { ep: epoch, roleid: from.id, rolekey: from.roleKey }),
    end: () => cluster.command(writer, 'PUT', `/api/v1/users/${userId}/role`, { roleId: to.id }),
  };
}

async function changeScope({ cluster, writer, lane, trial }: Place): ReturnType<Trial> {
  const { id, roleKey } = roleOfLane(lane);
  const [from, to] = trial % 2 === 0 ? ['3', '4'] : ['4', '3'];
  return {
    token: cluster.issue(2, { roleid: id, rolekey: roleKey, datascope: from }),
    end: () => cluster.command(writer, 'PUT', `/api/v1/roles/${id}/data-scope`, { dataScope: to }),
  };
}

async function retireKey({ cluster, writer }: Place): ReturnType<Trial> {
  const created = await cluster.command(writer, 'POST', '/api/v1/keys');
  const { kid } = created.body.data as { kid: string };
  const token = cluster.issue(2, {}, await readKeyOf(cluster.database, kid));
  return { token, end: () => cluster.command(writer, 'POST', `/api/v1/keys/${kid}/emergency-retire`) };
}
