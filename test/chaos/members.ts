// A thousand members on one Postgres: what their renewals cost it, how long a barrier takes among them, and whether it
// bears a sustained rate of changes. The members are real, their memory is not, and all of them share one process.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@portcullis/contract';
import { createOperatorCall } from '../../packages/operator/src/compose-operator.ts';
import { createAccessWriter } from '../../packages/server/src/cluster/access-writer.ts';
import { createBarrier } from '../../packages/server/src/cluster/barrier.ts';
import { createBarrierStore } from '../../packages/server/src/cluster/barrier-store.ts';
import { createNotifier } from '../../packages/server/src/cluster/member-store.ts';
import { isUnavailable } from '../../packages/server/src/cluster/store/is-unavailable.ts';
import { openStore } from '../../packages/server/src/cluster/store/store.ts';
import { readCpuMilliseconds } from '../rig/cpu-time.ts';
import { createDatabase } from '../rig/create-database.ts';
import { isJudged, judgesTimes } from '../rig/judges-times.ts';
import { type PostgresServer, startPostgresServer, waitUntil } from '../rig/postgres-server.ts';
import { type RigProcess, startProcess } from '../rig/start-process.ts';
import { createLatency } from './latency.ts';
import { readPostgresCpuMilliseconds } from './members/postgres-cpu.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from './scenario.ts';
import { askAgain } from './send-again.ts';

export const membersScenario: OwnScenario = {
  title: 'many members on one Postgres: renewals, barriers, a sustained rate of changes',
  size: 30,
  instances: 1,
  leaseSeconds: 10,
  run: runMembers,
};

const bars = {
  /** Of one core, at a thousand members; fewer have their share of it. */
  renewalCpu: 0.25,
  changeMilliseconds: 2000,
};
const fullSize = 1000;
const measuredSeconds = { small: 5, large: 30 };
const windowSeconds = 5;
/** A statement's first five runs are planned anew each, and there is one a second. */
const settleSeconds = { small: 1, large: 15 };
const singleChanges = { small: 10, large: 20 };
const changesPerSecond = 20;

async function runMembers({ size, leaseSeconds, progress, enter }: ChaosRun) {
  const failures: string[] = [];
  const remarks: string[] = [];
  const postgres = await startPostgresServer({ settings: { max_connections: '1300' } });
  try {
    const database = await createDatabase({ migrated: true, server: postgres.url() });
    const startedAt = performance.now();
    const members = await startMembers(database.url, size, leaseSeconds);
    remarks.push(`${size.toLocaleString('en')} members joined in ${told(performance.now() - startedAt)}`);
    const writer = openWriter(database.url);
    const bench = { size, postgres, members, writer, failures, remarks };
    enter('work');
    try {
      await holdRenewals(bench);
      progress(Math.floor(size / 3));
      await holdSingleChanges(bench);
      progress(Math.floor((size * 2) / 3));
      await holdSustainedChanges(bench);
      // A lease that ran out while the machine stood still comes back.
      await waitUntil('every member holds a lease', () => readState(members).live === size);
      remarks.push(`${readState(members).failures} failed turns of members; all hold a lease at the end`);
    } finally {
      enter('end');
      await writer.close();
      members.signal('SIGTERM');
      await members.exited;
    }
  } finally {
    await postgres.remove();
  }
  return { passed: failures.length === 0 ? size : 0, failures: failures.slice(0, mostFailures), remarks };
}

interface Bench {
  readonly size: number;
  readonly postgres: PostgresServer;
  readonly members: RigProcess;
  readonly writer: ReturnType<typeof openWriter>;
  readonly failures: string[];
  readonly remarks: string[];
}

/** Held against the bar is the median of some windows. */
async function holdRenewals(bench: Bench): Promise<void> {
  const { size, failures, remarks } = bench;
  const cores: number[] = [];
  await sleep(settleSeconds[sizeOf(size)] * 1000);
  for (let second = 0; second < secondsOf(size); second += windowSeconds) {
    const { postgresCores, text } = await measure(bench, () => sleep(windowSeconds * 1000));
    cores.push(postgresCores);
    remarks.push(`renewals alone: ${text}`);
  }
  const median = cores.toSorted((one, other) => one - other)[Math.floor((cores.length - 1) / 2)] ?? 1;
  const bar = (bars.renewalCpu * size) / fullSize;
  // An idle Postgres costs a small run as much as its members do.
  if (size < fullSize) remarks.push(`renewals alone: bar ${percent(bar)} of a core, judged at full size`);
  else if (isJudged('what renewals cost Postgres') && median > bar)
    failures.push(`renewals cost Postgres ${percent(median)} of a core, more than ${percent(bar)}`);
}

async function holdSingleChanges(bench: Bench): Promise<void> {
  const { size, writer, failures, remarks } = bench;
  const latency = createLatency();
  const { text } = await measure(bench, async () => {
    for (let index = 0; index < singleChanges[sizeOf(size)]; index += 1) {
      latency.add(await writer.takeAway());
      await sleep(50);
    }
  });
  remarks.push(`one change at a time: ${latency.text()}; ${text}`);
  if (isJudged('the time of a change') && latency.at(1) > bars.changeMilliseconds)
    failures.push(`a change took ${told(latency.at(1))}, more than ${told(bars.changeMilliseconds)}`);
}

/** They come at their rate, whether or not those before have returned. All must return. */
async function holdSustainedChanges(bench: Bench): Promise<void> {
  const { size, writer, failures, remarks } = bench;
  const latency = createLatency();
  const count = changesPerSecond * secondsOf(size);
  const startedAt = performance.now();
  const { text } = await measure(bench, async () => {
    const changes: Promise<void>[] = [];
    for (let index = 0; index < count; index += 1) {
      changes.push(writer.takeAway().then(latency.add, (error) => void failures.push(String(error))));
      await sleep(Math.max(0, startedAt + ((index + 1) * 1000) / changesPerSecond - performance.now()));
    }
    await Promise.all(changes);
  });
  const rate = (count * 1000) / (performance.now() - startedAt);
  remarks.push(
    `${changesPerSecond} changes a second for ${secondsOf(size)} s, ${rate.toFixed(1)} a second until the last had returned: ${latency.text()}; ${text}`,
  );
}

const sizeOf = (size: number) => (size < fullSize ? 'small' : 'large');
const secondsOf = (size: number) => measuredSeconds[sizeOf(size)];

async function startMembers(url: string, count: number, leaseSeconds: number): Promise<RigProcess> {
  const members = startProcess({
    script: 'test/chaos/members/run-members.ts',
    environment: {
      MEMBERS_URL: url,
      MEMBERS_COUNT: String(count),
      MEMBERS_LEASE_MILLISECONDS: String(leaseSeconds * 1000),
    },
  });
  await members.waitForLine(/all members have joined/);
  return members;
}

function readState({ output }: RigProcess): { failures: number; live: number } {
  const last = output.split('\n').findLast((line) => line.startsWith('{') && line.endsWith('}'));
  return JSON.parse(last ?? '{"failures":0,"live":0}') as { failures: number; live: number };
}

/** The product's own writer and barrier, in this process. */
function openWriter(url: string) {
  const store = openStore({ url, poolSize: 10, onConnectionLost: () => {} });
  const barrier = createBarrier({
    store: createBarrierStore(store),
    notifier: createNotifier(store),
    monotonic: () => performance.now(),
  });
  const access = createAccessWriter(store, barrier);
  return {
    /** How long it took, in milliseconds. */
    async takeAway(): Promise<number> {
      const startedAt = performance.now();
      const jti = randomBytes(16).toString('base64url');
      const expiresAt = Math.floor(Date.now() / 1000) + 3600;
      const takeAway = () =>
        access.takeAway(createOperatorCall(), async () => [{ kind: 'token_revoked', jti, expiresAt }]);
      // Unavailable: a statement took longer than its two seconds. May be repeated.
      await askAgain(
        () => takeAway().catch((error: unknown) => (isOvertaxed(error) ? undefined : Promise.reject(error))),
        (revision) => revision === undefined,
      );
      return performance.now() - startedAt;
    },
    close: () => store.destroy(),
  };
}

function isOvertaxed(error: unknown): boolean {
  return (
    !judgesTimes && (isUnavailable(error) || (error instanceof AppError && error.kind === 'unavailable'))
  );
}

/** What the work costs Postgres, and beside it the process of the members, which on a small machine competes with it. */
async function measure({ postgres, members }: Bench, work: () => Promise<unknown>) {
  const { pid } = postgres;
  if (pid === undefined) throw new Error('Postgres is down.');
  const read = () => ({
    at: performance.now(),
    postgres: readPostgresCpuMilliseconds(pid),
    members: readCpuMilliseconds(members.pid),
  });
  const before = read();
  await work();
  const after = read();
  const elapsed = after.at - before.at;
  const postgresCores = (after.postgres - before.postgres) / elapsed;
  const memberCores = (after.members - before.members) / elapsed;
  return {
    postgresCores,
    text: `Postgres ${percent(postgresCores)} of a core, the members' own process ${percent(memberCores)} over ${told(elapsed)}`,
  };
}

function percent(cores: number): string {
  return `${(cores * 100).toFixed(1)} %`;
}

function told(milliseconds: number): string {
  return milliseconds < 2000 ? `${milliseconds.toFixed(0)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}
