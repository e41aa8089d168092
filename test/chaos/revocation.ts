// Everything else that takes something away, each kind with the same trial: a token works, the call returns, and no
// instance accepts the token any more (G07, T27, T28, F18).
import { Random } from '../fuzz/random.ts';
import { readKeyOf } from '../rig/tokens.ts';
import { createLatency } from './latency.ts';
import { type ChaosRun, mostFailures, type Scenario } from './scenario.ts';
import {
  bearer,
  type Cluster,
  type Instance,
  laneRole,
  otherRole,
  outcomeOf,
  startCluster,
} from './start-cluster.ts';

/** Makes a token that works, and the call that ends it. */
type Trial = (
  cluster: Cluster,
  writer: Instance,
  trial: number,
) => Promise<{ token: string; end(): Promise<unknown> }>;

export const revocationScenarios: Readonly<Record<string, Scenario>> = {
  logout: scenarioOf('log out', () => logOut),
  disable: scenarioOf('disable a user', () =>
    createUserTrial((id) => ['PUT', `/api/v1/users/${id}/enabled`, { enabled: false }]),
  ),
  password: scenarioOf('give a user another password', () =>
    createUserTrial((id, trial) => [
      'PUT',
      `/api/v1/users/${id}/password`,
      { password: `another-password-${trial}` },
    ]),
  ),
  role: scenarioOf('give a user another role', createRoleTrial),
  scope: scenarioOf('change the data scope of a role', () => changeScope),
  key: scenarioOf('retire a key at once', () => retireKey),
};

function scenarioOf(title: string, createTrial: () => Trial): Scenario {
  return { title, size: 200, instances: 4, leaseSeconds: 10, run: (run) => runTrials(run, createTrial()) };
}

async function runTrials({ size, instances, leaseSeconds, seed, progress }: ChaosRun, trial: Trial) {
  const cluster = await startCluster({ instances, leaseSeconds });
  const random = new Random(seed);
  const failures: string[] = [];
  const latency = createLatency();
  const outcome = (token: string) =>
    outcomeOf(random.pick(cluster.instances), { path: '/api/v1/orders', headers: bearer(token) });
  for (let number = 0; number < size && failures.length < mostFailures; number += 1) {
    const { token, end } = await trial(cluster, random.pick(cluster.instances), number);
    const before = await outcome(token);
    if (before !== 'allowed') failures.push(`trial ${number}: ${before} before it was ended`);
    const startedAt = performance.now();
    await end();
    latency.add(performance.now() - startedAt);
    const after = await outcome(token);
    if (after !== 'refused') failures.push(`trial ${number}: ${after} after the call returned`);
    progress(number + 1);
  }
  await cluster.stop();
  if (latency.at(0.99) > 200) failures.push('the call is slower than p99 200 ms');
  return { passed: size - failures.length, failures, remarks: [`the ending call: ${latency.text()}`] };
}

const logOut: Trial = async (cluster, writer) => {
  const token = cluster.issue(2);
  const request = { method: 'POST', path: '/api/v1/logout', headers: bearer(token) };
  return {
    token,
    async end() {
      const outcome = await outcomeOf(writer, request);
      if (outcome !== 'allowed') throw new Error(`logout was ${outcome}`);
    },
  };
};

/** Every ending raises the user's epoch by one; the next token carries the new one. */
function createUserTrial(commandOf: (userId: number, trial: number) => [string, string, unknown]): Trial {
  const epochs = new Map<number, number>();
  return async (cluster, writer, trial) => {
    const userId = cluster.userIds[trial % cluster.userIds.length] ?? 2;
    const epoch = epochs.get(userId) ?? 1;
    epochs.set(userId, epoch + 1);
    // Disabled by its last trial: only logins ask for that, but a second disabling must change something again.
    await cluster.database.query('update users set enabled = true where id = $1 and not enabled', [userId]);
    const [method, path, body] = commandOf(userId, trial);
    return {
      token: cluster.issue(userId, { ep: epoch }),
      end: () => cluster.command(writer, method, path, body),
    };
  };
}

function createRoleTrial(): Trial {
  const epochs = new Map<number, number>();
  return async (cluster, writer, trial) => {
    const userId = cluster.userIds[trial % cluster.userIds.length] ?? 2;
    const epoch = epochs.get(userId) ?? 1;
    epochs.set(userId, epoch + 1);
    const [from, to] = epoch % 2 === 1 ? [laneRole, otherRole] : [otherRole, laneRole];
    return {
      token: cluster.issue(userId, { ep: epoch, roleid: from.id, rolekey: from.roleKey }),
      end: () => cluster.command(writer, 'PUT', `/api/v1/users/${userId}/role`, { roleId: to.id }),
    };
  };
}

const changeScope: Trial = async (cluster, writer, trial) => {
  const [from, to] = trial % 2 === 0 ? ['3', '4'] : ['4', '3'];
  return {
    token: cluster.issue(2, { datascope: from }),
    end: () => cluster.command(writer, 'PUT', `/api/v1/roles/${laneRole.id}/data-scope`, { dataScope: to }),
  };
};

const retireKey: Trial = async (cluster, writer) => {
  const created = await cluster.command(writer, 'POST', '/api/v1/keys');
  const { kid } = created.body.data as { kid: string };
  const token = cluster.issue(2, {}, await readKeyOf(cluster.database, kid));
  return { token, end: () => cluster.command(writer, 'POST', `/api/v1/keys/${kid}/emergency-retire`) };
};
