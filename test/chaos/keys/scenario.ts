// A key of a service account is ended while programs log in and call by it. No instance takes anything that it proved once
// that call has returned, and what another key of the account proved goes on.
import { Random } from '../../fuzz/random.ts';
import {
  addServiceAccount,
  createMachineKey,
  createMachineSteps,
  type MachineKey,
  machineSettings,
  signAssertion,
} from '../../rig/service-account.ts';
import { type Guard, openGuard } from '../factor/guard.ts';
import type { Race, Racer } from '../factor/races.ts';
import { type Counts, createCounts, runRace, wereClose } from '../factor/run-race.ts';
import { withCluster } from '../factor/with-cluster.ts';
import { createLatency } from '../latency.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { type Cluster, roleOfLane } from '../start-cluster.ts';

export const keysScenario: OwnScenario = {
  title: 'end keys of service accounts while programs log in and call by them',
  size: 60,
  instances: 3,
  leaseSeconds: 3,
  run: (run) => withCluster(run, (cluster) => runParts(cluster, run), machineSettings),
};

const raceLanes = 4;
const loginsByEnding = 4;
/** Of the time of a call, until it is stored; in the rest it waits for the instances. */
const shareOfCommit = 0.5;
const mostControlRaces = 300;
/** From so many races on, some were close. */
const enoughToJudge = 50;

async function runParts(cluster: Cluster, run: ChaosRun): Promise<ChaosResult> {
  const guard = await openGuard(cluster.database);
  const failures: string[] = [];
  const remarks: string[] = [];
  let done = 0;
  for (const [name, prepare] of [
    ['with the window held open', guard.withWindow],
    ['as it is', guard.asItIs],
  ] as const) {
    if (failures.length > 0) break;
    await prepare();
    const part = await raceAll(cluster, run, { from: done, upTo: done === 0 ? run.size / 2 : run.size });
    failures.push(...part.failures);
    remarks.push(...part.remarks.map((remark) => `${name}: ${remark}`));
    done += part.done;
  }
  if (failures.length === 0) {
    const control = await runControl(cluster, run, guard);
    failures.push(...control.failures);
    remarks.push(control.remark);
  }
  return { passed: Math.max(0, done - failures.length), failures, remarks };
}

async function raceAll(
  cluster: Cluster,
  { seed, progress }: ChaosRun,
  { from, upTo }: { readonly from: number; readonly upTo: number },
) {
  const counts = createCounts();
  const latency = createLatency();
  const failures: string[] = [];
  let begun = from;
  let done = 0;
  async function runLane(lane: number): Promise<void> {
    const random = new Random(seed * 1013 + from + lane);
    let spread = 0;
    while (begun < upTo && failures.length < mostFailures) {
      begun += 1;
      const race = await prepareRace(cluster, random, lane);
      const { sightings, milliseconds } = await runRace(cluster, random, race, { counts, spread });
      spread = milliseconds * shareOfCommit;
      latency.add(milliseconds);
      failures.push(...sightings);
      done += 1;
      progress(from + done);
    }
  }
  await Promise.all(Array.from({ length: raceLanes }, (_, lane) => runLane(lane)));
  if (done >= enoughToJudge && !wereClose(counts))
    failures.push('no race was close, so the test sees nothing');
  return {
    done,
    failures,
    remarks: [tell(counts), `the call that ends a key, ${raceLanes} at once: ${latency.text()}`],
  };
}

function tell({ answered, early, late, refused, kept, accepted }: Counts): string {
  return `${answered} logins: ${early} had a token when the call returned, ${late} got one later, ${refused} were refused, ${kept} by the key that stays and let in; ${accepted} accepted by the key that ended`;
}

/** An account of two keys, of which one ends; a token of each is there before, and logins by both are on their way. */
async function prepareRace(cluster: Cluster, random: Random, lane: number): Promise<Race> {
  const [ending, staying] = [createMachineKey(), createMachineKey('EdDSA')];
  const role = roleOfLane(lane).roleKey;
  const account = await addServiceAccount(cluster.database, { role, keys: [ending, staying] });
  const [keyId] = account.keyIds;
  const racerOf = async (key: MachineKey, isWeaker: boolean): Promise<Racer> => {
    const captcha = await createMachineSteps(random.pick(cluster.instances).client.send).fetchCaptcha();
    return {
      name: isWeaker ? 'the key that ended' : 'the key that stays',
      isWeaker,
      logIn: ({ client }) =>
        createMachineSteps(client.send).post({ ...captcha, assertion: signAssertion(account, key, captcha) }),
    };
  };
  const { body, text } = await createMachineSteps(random.pick(cluster.instances).client.send).logIn(
    account,
    ending,
  );
  if (typeof body.token !== 'string') throw new Error(`The login before the race: ${text}`);
  return {
    racers: [
      ...(await Promise.all(Array.from({ length: loginsByEnding }, () => racerOf(ending, true)))),
      await racerOf(staying, false),
    ],
    tokens: [body.token],
    take: (instance) => cluster.command(instance, 'DELETE', `/api/v1/users/${account.id}/keys/${keyId}`),
  };
}

/** The same races without the locks: where nothing gets through here either, the races are too far apart. */
async function runControl(cluster: Cluster, { seed }: ChaosRun, guard: Guard) {
  await guard.withoutLocks();
  const random = new Random(seed + 17);
  const counts = createCounts();
  let spread = 0;
  for (let count = 0; count < mostControlRaces && counts.accepted === 0; count += 1) {
    const race = await prepareRace(cluster, random, 0);
    const { milliseconds } = await runRace(cluster, random, race, { counts, spread });
    spread = milliseconds * shareOfCommit;
  }
  await guard.asItIs();
  return {
    failures: counts.accepted === 0 ? ['without the lock nothing was accepted either'] : [],
    remark: `without the lock: ${counts.accepted} of ${counts.answered}`,
  };
}
