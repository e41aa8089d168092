// Rolling restarts under load (F26): every instance is replaced in turn, first the new one joins, then the old one gets
// SIGTERM. No client sees a 5xx, a reset or a wrong answer, and every old instance exits with 0.
import { Agent, request as openRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseObject } from '../rig/http-client.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { waitUntil } from '../rig/postgres-server.ts';
import { startTcpBalancer, type TcpBalancer } from '../rig/tcp-balancer.ts';
import { faultRules } from './faults/run-fault.ts';
import { createLatency, type Latency } from './latency.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from './scenario.ts';
import { askAgain } from './send-again.ts';
import { bearer, type Cluster, type Instance, laneRole, startCluster } from './start-cluster.ts';

export const rollingScenario: OwnScenario = {
  title: 'replace every instance in turn under load',
  size: 1,
  instances: 3,
  leaseSeconds: 10,
  run: runRolling,
};

/** On a machine that stands still, a client that polls readiness learns of the end seconds later. */
const drainSeconds = judgesTimes ? 2 : 8;
/** A client's pause; a connection is used far more often than the drain is long. */
const clientPauseMilliseconds = 100;
const keepAliveClients = 6;
const singleUseClients = 4;
/** These leave a connection idle for hardly a moment: one that is closed without notice meets their next request. */
const restlessClients = 2;
const restlessPauseMilliseconds = 5;
const writePauseMilliseconds = 300;

async function runRolling({ size, instances, leaseSeconds, progress, enter }: ChaosRun) {
  const cluster = await startCluster({ instances: 1, leaseSeconds, rules: faultRules });
  const start = () => cluster.start({ settings: { APPLICATION_DRAIN_SECONDS: String(drainSeconds) } });
  let running = await Promise.all(Array.from({ length: instances }, start));
  await Promise.all(cluster.instances.map(({ server }) => server.stop()));
  const balancer = await startTcpBalancer(running.map(({ server }) => server));
  const load = startLoad(cluster, balancer);
  const { failures } = load;
  const exit = createLatency();

  /** The next replacement starts while the last one drains; no two drain at once. */
  async function roll(): Promise<void> {
    let leaving: Promise<void> = Promise.resolve();
    for (const old of running) {
      const replacement = await start();
      await leaving;
      running = [...running, replacement];
      await balancer.setBackends(running.map(({ server }) => server));
      await waitUntil('the replacement is in rotation', () =>
        balancer.readyPorts.includes(replacement.server.port),
      );
      leaving = retire(old);
    }
    await leaving;
  }

  /** Stays known to the balancer until it has ended: only its readiness says that it goes. */
  async function retire(old: Instance): Promise<void> {
    const startedAt = performance.now();
    const code = await old.server.stop();
    exit.add(performance.now() - startedAt);
    if (code !== 0)
      failures.push(`an instance exited with ${code}: ${old.server.process.output.slice(-500)}`);
    old.client.close();
    running = running.filter((instance) => instance !== old);
    await balancer.setBackends(running.map(({ server }) => server));
  }

  let rolls = 0;
  enter('work');
  try {
    for (; rolls < size && failures.length < mostFailures; rolls += 1) {
      await roll();
      progress(rolls + 1);
    }
  } finally {
    enter('end');
    await load.stop();
    await balancer.close();
    await cluster.stop();
  }
  const { connections, refused, unserved, resets } = balancer.counters;
  if (refused + unserved + resets > 0)
    failures.push(
      `the balancer counted ${refused} refused, ${unserved} unserved and ${resets} reset connections`,
    );
  return {
    passed: Math.max(0, size - failures.length),
    failures: failures.slice(0, mostFailures),
    remarks: [
      `${(rolls * instances).toLocaleString('en')} restarts; ${load.counts.checks.toLocaleString('en')} checks and ${load.counts.writes.toLocaleString('en')} writes over ${connections.toLocaleString('en')} connections, ${load.counts.closing.toLocaleString('en')} answers with Connection: close to clients that had not asked for it, ${load.counts.unavailable} with 503`,
      `checks: ${load.checks.text()}`,
      `writes that take away: ${load.writes.text()}`,
      `from SIGTERM to the exit, ${drainSeconds} s of drain included: ${exit.text()}`,
    ],
  };
}

interface Load {
  readonly failures: string[];
  readonly counts: { checks: number; writes: number; closing: number; unavailable: number };
  readonly checks: Latency;
  readonly writes: Latency;
  stop(): Promise<void>;
}

function startLoad(cluster: Cluster, balancer: TcpBalancer): Load {
  const failures: string[] = [];
  const counts = { checks: 0, writes: 0, closing: 0, unavailable: 0 };
  const checks = createLatency();
  const writes = createLatency();
  const agents: Agent[] = [];
  const keepAliveAgents = new Set<Agent>();
  let isOn = true;

  async function loop(pauseMilliseconds: number, step: (turn: number) => Promise<void>): Promise<void> {
    await sleep(Math.random() * pauseMilliseconds);
    for (let turn = 0; isOn; turn += 1) {
      const startedAt = performance.now();
      await step(turn).catch((error: NodeJS.ErrnoException) => {
        failures.push(`${error.code ?? ''} ${error.message}`);
      });
      await sleep(Math.max(0, pauseMilliseconds - (performance.now() - startedAt)));
    }
  }

  /** Where the machine may stand still for as long as a lease, a 503 is sent again and counted; a broken connection never is. */
  async function sendWithLease(agent: Agent, request: Sent) {
    return await askAgain(
      () => send(balancer.port, agent, request),
      ({ told }) => {
        const isWithout = !judgesTimes && told === answers.unavailable;
        if (isWithout) counts.unavailable += 1;
        return isWithout;
      },
    );
  }

  async function check(agent: Agent, request: Sent, expected: keyof typeof answers): Promise<void> {
    const startedAt = performance.now();
    counts.checks += 1;
    const answer = await sendWithLease(agent, request);
    checks.add(performance.now() - startedAt);
    if (keepAliveAgents.has(agent) && answer.isClosing) counts.closing += 1;
    if (answer.told !== answers[expected])
      failures.push(`${request.path} is to be ${expected} and got ${answer.told}`);
  }

  /** One that may and one that may not, in turn. */
  function checkInTurn(agent: Agent): (turn: number) => Promise<void> {
    const headers = bearer(cluster.issue(2));
    return (turn) =>
      turn % 2 === 0
        ? check(agent, { path: '/api/v1/orders', headers }, 'allowed')
        : check(agent, { path: '/api/v1/reports/closed/1', headers }, 'denied');
  }

  /** A rule comes, is known everywhere, goes, and is gone everywhere, whether an old or a new instance answers. */
  function writeInTurn(agent: Agent): (turn: number) => Promise<void> {
    const headers = bearer(cluster.issue(2));
    const admin = bearer(cluster.issue(1, { roleid: 1, rolekey: 'admin', datascope: '1' }));
    async function write(body: unknown): Promise<void> {
      const path = `/api/v1/roles/${laneRole.id}/rules`;
      const startedAt = performance.now();
      counts.writes += 1;
      const { told } = await sendWithLease(agent, { method: 'POST', path, headers: admin, body });
      writes.add(performance.now() - startedAt);
      if (told !== answers.allowed) throw new Error(`a write got ${told}`);
    }
    return async (turn) => {
      const rule = { method: 'GET', path: `/api/v1/reports/rolling/${turn}` };
      await write({ add: [rule], remove: [{ method: 'GET', path: '/api/v1/none' }] });
      await check(agent, { path: rule.path, headers }, 'allowed');
      await write({ remove: [rule] });
      await check(agent, { path: rule.path, headers }, 'denied');
    };
  }

  function openAgent(keepAlive: boolean): Agent {
    const agent = new Agent({ keepAlive, maxSockets: 1 });
    agents.push(agent);
    if (keepAlive) keepAliveAgents.add(agent);
    return agent;
  }
  const going = [
    ...Array.from({ length: keepAliveClients }, () =>
      loop(clientPauseMilliseconds, checkInTurn(openAgent(true))),
    ),
    ...Array.from({ length: singleUseClients }, () =>
      loop(clientPauseMilliseconds, checkInTurn(openAgent(false))),
    ),
    ...Array.from({ length: restlessClients }, () =>
      loop(restlessPauseMilliseconds, checkInTurn(openAgent(true))),
    ),
    loop(writePauseMilliseconds, writeInTurn(openAgent(true))),
  ];
  return {
    failures,
    counts,
    checks,
    writes,
    async stop() {
      isOn = false;
      await Promise.all(going);
      for (const agent of agents) agent.destroy();
    },
  };
}

/** Status, code and reason of the answers that are right. */
const answers = {
  allowed: '200 200 none',
  denied: '200 401 permission_denied',
  unavailable: '503 503 unavailable',
} as const;

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Never sent a second time automatically: a client that repeats would hide what is looked for. */
function send(port: number, agent: Agent, { method = 'GET', path, headers, body }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<{ told: string; isClosing: boolean }>();
  const content = body === undefined ? undefined : JSON.stringify(body);
  const contentHeaders =
    content === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) };
  openRequest({ host: '127.0.0.1', port, agent, method, path, headers: { ...headers, ...contentHeaders } })
    .on('error', reject)
    .on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (part: string) => {
          text += part;
        })
        .on('error', reject)
        .on('end', () => {
          const reason = response.headers['x-auth-reason'] ?? 'none';
          resolve({
            told: `${response.statusCode} ${parseObject(text).code} ${reason}`,
            isClosing: response.headers.connection === 'close',
          });
        });
    })
    .end(content);
  return promise;
}
