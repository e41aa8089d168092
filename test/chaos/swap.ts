// One revision takes a rule away and adds another (T60). Of the two, every answer of every instance shows exactly one:
// never neither, as half of a change would, and never both.
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../fuzz/random.ts';
import { type ChaosRun, type ClusterScenario, mostFailures } from './scenario.ts';
import { ballastRules, bearer, type Cluster, type Instance, laneRole } from './start-cluster.ts';

export const swapScenario: ClusterScenario = {
  title: 'exchange two rules in one change, and read which one is in force',
  size: 120,
  instances: 4,
  leaseSeconds: 10,
  rules: ballastRules,
  runOn: runSwap,
};

const readPauseMilliseconds = 2;
const rules = ['/api/v1/swap/one', '/api/v1/swap/other'].map((path) => ({ method: 'GET', path }));
const texts = rules.map(({ method, path }) => `${method} ${path}`);

async function runSwap(cluster: Cluster, { size, seed, progress, enter }: ChaosRun) {
  const random = new Random(seed);
  const failures: string[] = [];
  const change = (added: number) =>
    cluster.command(random.pick(cluster.instances), 'POST', `/api/v1/roles/${laneRole.id}/rules`, {
      add: rules.filter((_, index) => index === added),
      remove: rules.filter((_, index) => index !== added),
    });
  await change(0);
  enter('work');
  const reader = startReading(cluster, failures);
  try {
    for (let swap = 1; swap <= size && failures.length < mostFailures; swap += 1) {
      await change(swap % 2);
      progress(swap);
    }
  } finally {
    await reader.stop();
  }
  const { seen } = reader;
  if (seen.size < texts.length) failures.push('only one of the two was ever seen: the test sees nothing');
  return {
    passed: size - failures.length,
    failures,
    remarks: [
      `${reader.reads.toLocaleString('en')} readings while the rules were exchanged, ${failures.length} of neither or both`,
    ],
  };
}

/** One reader an instance, one reading after the other. */
function startReading(cluster: Cluster, failures: string[]) {
  const token = cluster.issue(2);
  const seen = new Set<string>();
  let reads = 0;
  let isStopped = false;
  async function readOn({ client }: Instance): Promise<void> {
    for (; !isStopped; await sleep(readPauseMilliseconds)) {
      const { status, body } = await client.send({ path: '/api/v1/getinfo', headers: bearer(token) });
      // Without a lease it shows nothing.
      if (status === 503) continue;
      const { permissions } = body.data as { permissions: readonly string[] };
      const found = texts.filter((text) => permissions.includes(text));
      if (found.length === 1) seen.add(found[0] ?? '');
      else failures.push(`a reading showed ${found.length} of the two`);
      reads += 1;
    }
  }
  const readers = cluster.instances.map(readOn);
  return {
    seen,
    get reads() {
      return reads;
    },
    async stop() {
      isStopped = true;
      await Promise.all(readers);
    },
  };
}
