// What groups of a directory give is taken away, by other mappings or by looking at the directory again, while departments
// change, people log in and others look, too. When the call has returned, no instance applies the role before.
import { Random } from '../../fuzz/random.ts';
import { type Slapd, startSlapd } from '../../rig/slapd.ts';
import { withCluster } from '../factor/with-cluster.ts';
import { createLatency } from '../latency.ts';
import { addDirectory } from '../provider/people.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import type { Cluster, Instance } from '../start-cluster.ts';
import { createCounts, type Lane, prepareLane, type Revocation, revocations, runTrial } from './trial.ts';

export const mappingsScenario: OwnScenario = {
  title: 'take away what groups of a directory give, while people change departments and log in',
  size: 12,
  instances: 2,
  leaseSeconds: 3,
  async run(run) {
    const slapd = await startSlapd();
    const settings = { PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']" };
    try {
      return await withCluster(run, (cluster) => runParts(cluster, run, slapd), settings);
    } finally {
      await slapd.stop();
    }
  },
};

const laneCount = 3;
const mostControlTrials = 100;
/** Of these the control must let something through: without the defences, that is. */
const controlled: readonly Revocation[] = ['mappings', 'groups'];
/** In test/weaknesses/ldap.ts: people whose row or provider changed meanwhile are not rechecked. */
export const withoutRecheck = [
  'mappings are applied to the state of people before their rows were locked',
  'mappings are planned once, and not again for people whose role changed meanwhile',
  'mappings move people by an older read of the directory than that of another call',
  'a person who could not be moved because the provider changed is not rechecked',
];

async function runParts(cluster: Cluster, run: ChaosRun, slapd: Slapd): Promise<ChaosResult> {
  const departments = await cluster.database.query<{ id: number }>(
    `insert into departments (name) values ('Sales'), ('Stores') returning id::int`,
  );
  const departmentIds = departments.map(({ id }) => id);
  const lanes: Lane[] = [];
  for (let lane = 0; lane < laneCount; lane += 1) {
    const directory = await addDirectory(cluster, slapd, lane);
    lanes.push(await prepareLane({ cluster, slapd, lane, directory, departmentIds }));
  }
  const sound = await raceAll(cluster, run, lanes);
  if (sound.failures.length > 0) return { passed: Math.max(0, sound.done - sound.failures.length), ...sound };
  const control = await runControl(cluster, run, lanes[0]);
  return {
    passed: Math.max(0, sound.done - control.failures.length),
    failures: control.failures,
    remarks: [...sound.remarks, control.remark],
  };
}

async function raceAll(cluster: Cluster, { size, seed, progress }: ChaosRun, lanes: readonly Lane[]) {
  const counts = new Map(revocations.map((kind) => [kind, createCounts()]));
  const latency = createLatency();
  const failures: string[] = [];
  let begun = 0;
  let done = 0;
  async function runLane(lane: Lane): Promise<void> {
    const random = new Random(seed * 1031 + lane.lane);
    while (begun < size && failures.length < mostFailures) {
      const revocation = revocations[begun % revocations.length] ?? 'mappings';
      begun += 1;
      const startedAt = performance.now();
      const taking = random.pick(cluster.instances);
      const count = counts.get(revocation) ?? createCounts();
      failures.push(...(await runTrial(lane, random, { revocation, taking, counts: count })));
      latency.add(performance.now() - startedAt);
      done += 1;
      progress(done);
    }
  }
  await Promise.all(lanes.map(runLane));
  const remarks = [...counts].map(
    ([kind, { tokens, logins, moves, refused, kept }]) =>
      `${kind}: ${tokens} tokens taken away, beside ${moves} moves and ${logins} logins, sent again ${refused} times; ${kept} kept`,
  );
  return { done, failures, remarks: [...remarks, `a trial: ${latency.text()}`] };
}

/** The same without the recheck: where nothing gets through here either, the test sees nothing. */
async function runControl(cluster: Cluster, { seed }: ChaosRun, lane: Lane | undefined) {
  if (lane === undefined) throw new Error('There is no lane.');
  const taking: Instance = await cluster.start({
    script: 'test/rig/weakened-service.ts',
    arguments: withoutRecheck,
  });
  const random = new Random(seed * 1033);
  const failures: string[] = [];
  const told: string[] = [];
  for (const revocation of controlled) {
    const counts = createCounts();
    let trials = 0;
    for (; trials < mostControlTrials && counts.kept === 0; trials += 1)
      await runTrial(lane, random, { revocation, taking, counts });
    told.push(`${revocation} ${counts.kept} in ${trials} trials`);
    if (counts.kept === 0) failures.push(`${revocation}: nothing was kept without the defences either`);
  }
  return { failures, remark: `without the recheck kept: ${told.join(', ')}` };
}
