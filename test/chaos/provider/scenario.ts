// What a login by way of a provider rests on is taken away while people log in: a link ends, a provider is disabled, it says
// that a session or all of a person has ended, or a person is gone from a real directory when it is asked again. Nothing that rested on it is taken by any instance once that call was answered.
import { Random } from '../../fuzz/random.ts';
import { createCertificateAuthority } from '../../rig/certificate-authority.ts';
import { isJudged } from '../../rig/judges-times.ts';
import { type MadeUpProvider, startMadeUpProvider } from '../../rig/made-up-provider.ts';
import { type Slapd, startSlapd } from '../../rig/slapd.ts';
import { type Counts, createCounts, runRace, wereClose } from '../factor/run-race.ts';
import { withCluster } from '../factor/with-cluster.ts';
import { createLatency } from '../latency.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { type Cluster, roleOfLane } from '../start-cluster.ts';
import { openGuards } from './guard.ts';
import { addDirectory, addLinked, addProvider, type Place } from './people.ts';
import { loginsOf, races, sendLogout } from './races.ts';

export const providerScenario: OwnScenario = {
  title: 'take away what logins by way of providers rest on, while people log in',
  size: 120,
  instances: 3,
  leaseSeconds: 3,
  async run(run) {
    await using authority = await createCertificateAuthority();
    const [made, slapd] = await Promise.all([startMadeUpProvider(authority), startSlapd()]);
    const settings = {
      PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']",
      PROVIDER_CA_FILE: authority.file,
    };
    try {
      return await withCluster(run, (cluster) => runParts(cluster, run, { made, slapd }), settings);
    } finally {
      await Promise.all([made.stop(), slapd.stop()]);
    }
  },
};

const raceLanes = 3;
/** Of the time of a call, until it is stored; in the rest it waits for the instances. */
const shareOfCommit = 0.5;
const enoughAccepted = 1;
const mostControlRaces = 200;
/** From so many logins on, some of a kind were close. */
const enoughToJudge = 50;
const largeRun = 2000;
/** Of a provider's logout above that of a token's own. */
const mostAboveMilliseconds = 10;

async function runParts(
  cluster: Cluster,
  run: ChaosRun,
  { made, slapd }: { readonly made: MadeUpProvider; readonly slapd: Slapd },
): Promise<ChaosResult> {
  const guards = await openGuards(cluster.database);
  const lanes: Pick<Place, 'provider' | 'directory'>[] = [];
  for (let lane = 0; lane < raceLanes; lane += 1)
    lanes.push({
      provider: await addProvider(cluster, made, lane),
      directory: await addDirectory(cluster, slapd, lane),
    });
  const placeOf = (lane: number, random: Random): Place => {
    const its = lanes[lane];
    if (its === undefined) throw new Error('There is no such lane.');
    return { cluster, random, lane, made, slapd, ...its };
  };
  const failures: string[] = [];
  const remarks: string[] = [];
  const half = Math.ceil(run.size / 2);
  let done = 0;
  for (const [name, prepare] of [
    ['with the window held open', guards.withWindow],
    ['as it is', guards.asItIs],
  ] as const) {
    if (failures.length > 0) break;
    await prepare();
    const part = await raceAll(cluster, run, placeOf, { from: done, size: Math.min(half, run.size - done) });
    failures.push(...part.failures);
    remarks.push(...part.remarks.map((remark) => `${name}: ${remark}`));
    done += part.done;
  }
  if (failures.length === 0) {
    const measured = await measure(cluster, run, placeOf(0, new Random(run.seed + 3)));
    failures.push(...measured.failures);
    remarks.push(measured.remark);
  }
  if (failures.length === 0) {
    await guards.withoutLocks();
    const control = await runControl(cluster, placeOf(0, new Random(run.seed + 13)));
    await guards.asItIs();
    failures.push(...control.failures);
    remarks.push(control.remark);
  }
  return { passed: Math.max(0, done - failures.length), failures, remarks };
}

/** In lanes beside each other, the kind that lags behind next. */
async function raceAll(
  cluster: Cluster,
  { seed, progress }: ChaosRun,
  placeOf: (lane: number, random: Random) => Place,
  { from, size }: { readonly from: number; readonly size: number },
) {
  const kinds = Object.keys(races);
  const counts = new Map(kinds.map((kind) => [kind, createCounts()]));
  const times = new Map(kinds.map((kind) => [kind, createLatency()]));
  const begun = new Map<string, number>();
  const nextKind = () =>
    kinds.reduce((least, kind) => ((begun.get(kind) ?? 0) < (begun.get(least) ?? 0) ? kind : least));
  const answered = () => [...counts.values()].reduce((sum, count) => sum + count.answered, 0);
  const failures: string[] = [];
  async function runLane(lane: number): Promise<void> {
    const random = new Random(seed * 1009 + from + lane);
    const spreads = new Map<string, number>();
    while (answered() < size && failures.length < mostFailures) {
      const kind = nextKind();
      begun.set(kind, (begun.get(kind) ?? 0) + (loginsOf[kind] ?? 1));
      const race = await prepare(kind, placeOf(lane, random));
      const { sightings, milliseconds } = await runRace(cluster, random, race, {
        counts: counts.get(kind) ?? createCounts(),
        spread: spreads.get(kind) ?? 0,
      });
      spreads.set(kind, milliseconds * shareOfCommit);
      times.get(kind)?.add(milliseconds);
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
    remarks: [...counts].map(([kind, count]) => `${kind}: ${tell(count)}; ${times.get(kind)?.text()}`),
  };
}

function prepare(kind: string, place: Place) {
  const race = races[kind];
  if (race === undefined) throw new Error(`There is no race "${kind}".`);
  return race(place);
}

function tell({ answered, early, close, late, refused, kept, accepted }: Counts): string {
  return `${answered} logins: ${early} had a token when the call returned (${close} that rest on it), ${late} got one later, ${refused} were refused, ${kept} that rest on nothing of it were let in; ${accepted} accepted that rested on it`;
}

/** What a provider's logout costs above a logout of one's own, which waits at the same barrier. */
async function measure(cluster: Cluster, { size }: ChaosRun, place: Place) {
  const [provider, own] = [createLatency(), createLatency()];
  const { id: roleid, roleKey: rolekey, dataScope: datascope } = roleOfLane(place.lane);
  const people = await addLinked(place, size < largeRun ? 30 : 1000);
  for (const { id, subject } of people) {
    const instance = place.random.pick(cluster.instances);
    const token = cluster.issue(id, { roleid, rolekey, datascope });
    let startedAt = performance.now();
    await cluster.logOut(instance, token);
    own.add(performance.now() - startedAt);
    startedAt = performance.now();
    await sendLogout(place, instance, { sub: subject });
    provider.add(performance.now() - startedAt);
  }
  const above = provider.at(0.99) - own.at(0.99);
  const mayFail = isJudged('the time of a provider’s logout') && size >= largeRun;
  return {
    failures:
      mayFail && above > mostAboveMilliseconds
        ? [`a provider’s logout takes ${above.toFixed(1)} ms more than one’s own at p99`]
        : [],
    remark: `a provider’s logout: ${provider.text()}; a token’s own: ${own.text()}; ${above.toFixed(1)} ms above it at p99`,
  };
}

/** The same races without the locks: where nothing gets through here either, the races are too far apart. */
async function runControl(cluster: Cluster, place: Place) {
  const failures: string[] = [];
  const told: string[] = [];
  for (const kind of Object.keys(races)) {
    const counts = createCounts();
    let spread = 0;
    for (let count = 0; count < mostControlRaces && counts.accepted < enoughAccepted; count += 1) {
      const race = await prepare(kind, place);
      const { milliseconds } = await runRace(cluster, place.random, race, { counts, spread });
      spread = milliseconds * shareOfCommit;
    }
    told.push(`${kind} ${counts.accepted} of ${counts.answered}`);
    if (counts.accepted === 0)
      failures.push(`${kind}: without the lock nothing was accepted either, so the test sees nothing`);
  }
  return { failures, remark: `without the locks accepted: ${told.join(', ')}` };
}
