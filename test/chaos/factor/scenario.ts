// A way in is taken away while people log in by it: a role demands more, an app is ended or set up by its owner, or taken
// away by an administrator. Nothing weaker is taken by any instance once that call has returned.
import { Random } from '../../fuzz/random.ts';
import { createLatency } from '../latency.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import type { Cluster } from '../start-cluster.ts';
import { addSessions, raiseTwice } from './crowd.ts';
import { type Guard, openGuard } from './guard.ts';
import { loginsOf, type Race, racersOfRole, races, setDemand } from './races.ts';
import { type Counts, createCounts, runRace, wereClose } from './run-race.ts';
import { withCluster } from './with-cluster.ts';

export const factorScenario: OwnScenario = {
  title: 'take ways in away while people log in by them',
  size: 200,
  instances: 3,
  leaseSeconds: 3,
  run: (run) => withCluster(run, (cluster) => runParts(cluster, run)),
};

const raceLanes = 4;
/** Of the time of a call, until it is stored; in the rest it waits for the instances. */
const shareOfCommit = 0.5;
/** What the locks alone hold; whom an administrator takes an app from has another epoch, too. */
const controlKinds = ['raise', 'end', 'add'] as const;
/** One is enough to know that the races can see it. */
const enoughAccepted = 1;
const mostControlRaces = 300;
const largeRun = 2000;
const kills = { small: 1, large: 10 };
/** More than one transaction ends. */
const sessionsAtKill = 4000;
const tokensAtKill = 50;
/** The kill may come when the work is done. */
const mostKillTries = 5;

async function runParts(cluster: Cluster, run: ChaosRun): Promise<ChaosResult> {
  const guard = await openGuard(cluster.database);
  const failures: string[] = [];
  const half = Math.ceil(run.size / 2);
  const remarks: string[] = [];
  let done = 0;
  for (const [name, prepare] of [
    ['with the window held open', guard.withWindow],
    ['as it is', guard.asItIs],
  ] as const) {
    if (failures.length > 0) break;
    await prepare();
    const part = await raceAll(cluster, run, { from: done, size: Math.min(half, run.size - done) });
    failures.push(...part.failures);
    remarks.push(...part.remarks.map((remark) => `${name}: ${remark}`));
    done += part.done;
  }
  if (failures.length === 0) {
    const killed = await killInTheMiddle(cluster, run);
    failures.push(...killed.failures);
    remarks.push(killed.remark);
  }
  if (failures.length === 0) {
    const control = await runControl(cluster, run, guard);
    failures.push(...control.failures);
    remarks.push(control.remark);
  }
  return { passed: Math.max(0, done - failures.length), failures, remarks };
}

/** How the logins are shared out: fewer where every login has a separate revocation. */
const shares: Readonly<Record<string, number>> = { raise: 4, add: 3, end: 2, take: 1 };
/** From so many logins on, some of a kind were close. */
const enoughToJudge = 50;

/** In lanes beside each other, the kind that lags behind its share next. */
async function raceAll(
  cluster: Cluster,
  { seed, progress }: ChaosRun,
  { from, size }: { readonly from: number; readonly size: number },
) {
  const counts = new Map(Object.keys(races).map((kind) => [kind, createCounts()]));
  const begun = new Map<string, number>();
  function nextKind(): string {
    const lag = (kind: string) => (begun.get(kind) ?? 0) / (shares[kind] ?? 1);
    return [...counts.keys()].reduce((least, kind) => (lag(kind) < lag(least) ? kind : least));
  }
  const answered = () => [...counts.values()].reduce((sum, count) => sum + count.answered, 0);
  const latency = createLatency();
  const failures: string[] = [];
  async function runLane(lane: number): Promise<void> {
    const random = new Random(seed * 1009 + from + lane);
    const spreads = new Map<string, number>();
    while (answered() < size && failures.length < mostFailures) {
      const kind = nextKind();
      begun.set(kind, (begun.get(kind) ?? 0) + (loginsOf[kind] ?? 1));
      const race = await prepare(kind, { cluster, random, lane });
      const { sightings, milliseconds } = await runRace(cluster, random, race, {
        counts: counts.get(kind) ?? createCounts(),
        spread: spreads.get(kind) ?? 0,
      });
      spreads.set(kind, milliseconds * shareOfCommit);
      latency.add(milliseconds);
      failures.push(...sightings);
      progress(from + answered());
    }
  }
  await Promise.all(Array.from({ length: raceLanes }, (_, lane) => runLane(lane)));
  for (const [kind, count] of counts)
    if (count.answered >= enoughToJudge && !wereClose(count))
      failures.push(`${kind}: no race was close, so the test sees nothing`);
  return {
    done: answered(),
    failures,
    remarks: [
      ...[...counts].map(([kind, count]) => `${kind}: ${tell(count)}`),
      `the taking call, ${raceLanes} at once: ${latency.text()}`,
    ],
  };
}

function prepare(kind: string, place: Parameters<(typeof races)[string]>[0]): Promise<Race> {
  const race = races[kind];
  if (race === undefined) throw new Error(`There is no race "${kind}".`);
  return race(place);
}

function tell({ answered, early, late, refused, kept, accepted }: Counts): string {
  const enough = kept > 0 ? `, ${kept} with enough and let in` : '';
  return `${answered} logins: ${early} had a token when the call returned, ${late} got one later, ${refused} were refused${enough}; ${accepted} accepted that prove too little`;
}

/** One instance stores the demand and dies before the weaker sessions have ended; another one finishes it. */
async function killInTheMiddle(cluster: Cluster, { size, seed }: ChaosRun) {
  const random = new Random(seed + 7);
  const counts = createCounts();
  const latency = createLatency();
  const failures: string[] = [];
  const wanted = size < largeRun ? kills.small : kills.large;
  const left: number[] = [];
  const lane = 0;
  for (let tries = 0; left.length < wanted && tries < wanted + mostKillTries && failures.length === 0; ) {
    tries += 1;
    const factor = random.pick([2, 3]);
    const victim = await cluster.start();
    const tokens = await addSessions(cluster, lane, sessionsAtKill, tokensAtKill);
    const { sightings } = await runRace(
      cluster,
      random,
      {
        racers: await racersOfRole({ cluster, random, lane }, factor),
        tokens,
        async take(second) {
          const raised = await raiseTwice(cluster, random, { lane, factor, victim, second });
          latency.add(raised.milliseconds);
          if (raised.left > 0) left.push(raised.left);
        },
        restore: () => setDemand(cluster, random.pick(cluster.instances), lane, 1),
      },
      { counts, spread: Number.POSITIVE_INFINITY },
    );
    failures.push(...sightings.map((sighting) => `killed in the middle: ${sighting}`));
  }
  if (left.length < wanted && failures.length === 0)
    failures.push(`only ${left.length} of ${wanted} instances were killed in the middle`);
  return {
    failures,
    remark: `${left.length} instances killed in the middle of a raise, with ${left.join(', ')} of ${sessionsAtKill} sessions left: ${tell(counts)}; the same call on another: ${latency.text()}`,
  };
}

/** The same races without the locks: where nothing gets through here either, the races are too far apart. */
async function runControl(cluster: Cluster, { seed }: ChaosRun, guard: Guard) {
  await guard.withoutLocks();
  const random = new Random(seed + 13);
  const failures: string[] = [];
  const told: string[] = [];
  const all = createCounts();
  for (const kind of controlKinds) {
    const counts = createCounts();
    let spread = 0;
    for (let count = 0; count < mostControlRaces && counts.accepted < enoughAccepted; count += 1) {
      const race = await prepare(kind, { cluster, random, lane: 0 });
      const { milliseconds } = await runRace(cluster, random, race, { counts, spread });
      spread = milliseconds * shareOfCommit;
    }
    all.accepted += counts.accepted;
    all.answered += counts.answered;
    told.push(`${kind} ${counts.accepted} of ${counts.answered}`);
    if (counts.accepted === 0) failures.push(`${kind}: without the lock nothing weaker was accepted either`);
  }
  await guard.asItIs();
  return {
    failures,
    remark: `without the lock: ${all.accepted} of ${all.answered} (${told.join(', ')})`,
  };
}
