// A program that calls on and on with the client of the package, while its keys rotate and every instance is replaced again and
// again, gracefully and not: no call of it fails. When its last key has ended, none succeeds.
import { setTimeout as sleep } from 'node:timers/promises';
import { ClientError } from '@portcullis/client';
import { createMachineClient, type MachineKey } from '@portcullis/client/machine';
import { addServiceAccount, audience, createMachineKey, machineSettings } from '../../rig/service-account.ts';
import { startTcpBalancer } from '../../rig/tcp-balancer.ts';
import { createLatency } from '../latency.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { type Cluster, type Instance, laneRole, startCluster } from '../start-cluster.ts';

export const keyClientScenario: OwnScenario = {
  title: 'a program that runs on while its keys rotate and instances restart (minutes)',
  size: 2,
  instances: 3,
  leaseSeconds: 3,
  onlyByName: true,
  run: runClient,
};

/** From so many minutes on with the shortest tokens that the settings take; below with some that end many times. */
const minutesOfRealTokens = 30;
/** In test/weaknesses/service-accounts.ts: the settings take less than five minutes. */
export const withShortTokens = ['tokens of programs are good for seconds'];
const callers = 8;
const pauseMilliseconds = 20;
const drainSeconds = 2;

async function runClient({ size: minutes, instances, leaseSeconds, progress, enter }: ChaosRun) {
  const isReal = minutes >= minutesOfRealTokens;
  const tokenSeconds = isReal ? 300 : 15;
  const cluster = await startCluster({
    instances: 1,
    leaseSeconds,
    rules: 1000,
    settings: {
      ...machineSettings,
      SERVICE_ACCOUNT_TOKEN_LIFETIME_SECONDS: String(isReal ? tokenSeconds : 300),
    },
  });
  const start = () =>
    cluster.start({
      settings: {
        SERVICE_ACCOUNT_TOKEN_LIFETIME_SECONDS: String(tokenSeconds),
        APPLICATION_DRAIN_SECONDS: String(drainSeconds),
      },
      ...(isReal ? {} : { script: 'test/rig/weakened-service.ts', arguments: withShortTokens }),
    });
  let running = await Promise.all(Array.from({ length: instances }, start));
  const steady = steadyOf(cluster);
  const balancer = await startTcpBalancer(running.map(({ server }) => server));
  const failures: string[] = [];
  const latency = createLatency();
  const counts = { calls: 0, rotations: 0, restarts: 0, kills: 0 };
  const used = new Set<string>();

  await cluster.database.query('alter table users alter column id restart with 5000');
  let current = createMachineKey();
  const account = await addServiceAccount(cluster.database, { role: laneRole.roleKey, keys: [current] });
  let [currentId = 0] = account.keyIds;
  const client = createMachineClient({
    baseUrl: `http://127.0.0.1:${balancer.port}`,
    key: (): MachineKey => ({
      account: account.username,
      audience,
      privateKey: { ...current.privateKey.export({ format: 'jwk' }) },
    }),
  });
  const endKey = (id: number) => cluster.command(steady, 'DELETE', `/api/v1/users/${account.id}/keys/${id}`);

  /** The new key is in use before the old one ends: nothing is in between. */
  async function rotate(): Promise<void> {
    const next = createMachineKey(counts.rotations % 2 === 0 ? 'EdDSA' : 'ES256');
    const added = await cluster.command(steady, 'POST', `/api/v1/users/${account.id}/keys`, {
      name: `key ${counts.rotations}`,
      publicKey: next.publicKey,
    });
    const before = currentId;
    current = next;
    currentId = (added.body.data as { id: number }).id;
    await endKey(before);
    counts.rotations += 1;
  }

  async function replace(): Promise<void> {
    const [old] = running;
    if (old === undefined) return;
    const replacement = await start();
    await balancer.setBackends([...running, replacement].map(({ server }) => server));
    const isKilled = counts.restarts % 3 === 2;
    if (isKilled) counts.kills += 1;
    await retire(old, isKilled);
    running = [...running.slice(1), replacement];
    await balancer.setBackends(running.map(({ server }) => server));
    counts.restarts += 1;
  }

  async function retire({ server, client: own }: Instance, isKilled: boolean): Promise<void> {
    if (isKilled) server.process.signal('SIGKILL');
    await (isKilled ? server.process.exited : server.stop());
    own.close();
  }

  const endsAt = performance.now() + minutes * 60_000;
  const isOn = () => performance.now() < endsAt && failures.length < mostFailures;
  async function callOn(): Promise<void> {
    while (isOn()) {
      const startedAt = performance.now();
      await client.profile().catch((error: unknown) => void failures.push(describe(error)));
      latency.add(performance.now() - startedAt);
      counts.calls += 1;
      used.add(await client.token());
      await sleep(pauseMilliseconds);
    }
  }
  async function repeat(work: () => Promise<void>, pause: number): Promise<void> {
    while (isOn()) {
      await work();
      progress(Math.floor((performance.now() - endsAt) / 60_000 + minutes));
      await sleep(pause);
    }
  }

  enter('work');
  try {
    await Promise.all([
      ...Array.from({ length: callers }, callOn),
      repeat(rotate, isReal ? 30_000 : 4000),
      repeat(replace, isReal ? 20_000 : 1000),
    ]);
    await endKey(currentId);
    const after = await Promise.allSettled(Array.from({ length: 100 }, () => client.profile()));
    const accepted = after.filter(({ status }) => status === 'fulfilled').length;
    if (accepted > 0) failures.push(`${accepted} calls were accepted after the last key had ended`);
  } finally {
    enter('end');
    await balancer.close();
    await cluster.stop();
  }
  return {
    passed: counts.calls - failures.length,
    failures: failures.slice(0, mostFailures),
    remarks: [
      `${minutes} minutes, tokens of ${tokenSeconds} s: ${counts.calls.toLocaleString('en')} calls by ${used.size} tokens, ${counts.rotations} keys rotated, ${counts.restarts} instances replaced, ${counts.kills} of them killed; ${failures.length} calls failed`,
      `calls: ${latency.text()}`,
    ],
  };
}

/** It is never replaced; no program calls it. */
function steadyOf({ instances: [first] }: Cluster): Instance {
  if (first === undefined) throw new Error('There is no instance.');
  return first;
}

function describe(error: unknown): string {
  if (!(error instanceof ClientError)) return String(error);
  return `a call failed: ${error.kind} ${error.reason ?? ''} ${error.message} ${String(error.cause ?? '')}`;
}
