// One loss: a token is logged out, the call returns, and the database forgets it. No member may allow that token again, and
// from the moment at which the loss is known none allows anything, until `portcullis recover`; after it all serve again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { longestLeaseMilliseconds } from '@portcullis/gate';
import { isJudged } from '../../rig/judges-times.ts';
import { masterKey } from '../../rig/master-key.ts';
import { waitUntil } from '../../rig/postgres-server.ts';
import { commandLine, startProcess } from '../../rig/start-process.ts';
import { standstillText } from '../../rig/start-server.ts';
import { askAgain } from '../send-again.ts';
import {
  bearer,
  type Cluster,
  decisionOf,
  type Instance,
  outcomeOf,
  startCluster,
} from '../start-cluster.ts';
import type { ForgetfulPostgres, LossKind } from './losses.ts';

export interface LossyTrial {
  readonly loss: LossKind;
  /** Who still knows what was lost: a running instance, or the disk of a host on which none runs any more. */
  readonly survivor: 'a member' | 'a host';
  readonly leaseSeconds: number;
  /** Whether it is also shown what happens without the defence. */
  readonly hasControl: boolean;
}

export interface TrialResult {
  readonly failures: readonly string[];
  /** From the end of the recovery until every instance allows. */
  readonly backMilliseconds: number;
  readonly recoverMilliseconds: number;
}

const userId = 2;
const orders = '/api/v1/orders';
const recoverText = /portcullis recover/;

export async function runLossyTrial(postgres: ForgetfulPostgres, trial: LossyTrial): Promise<TrialResult> {
  const folder = await mkdtemp(join(tmpdir(), 'lost-'));
  const { leaseSeconds } = trial;
  const [cluster] = await Promise.all([
    startCluster({ instances: 1, leaseSeconds, rules: 1000, server: postgres.url() }),
    postgres.prepare(trial.loss),
  ]);
  try {
    return await lose(postgres, cluster, trial, folder);
  } finally {
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function lose(
  postgres: ForgetfulPostgres,
  cluster: Cluster,
  trial: LossyTrial,
  folder: string,
): Promise<TrialResult> {
  const failures: string[] = [];
  const check = (isSo: boolean, otherwise: string) => void (isSo || failures.push(otherwise));
  let hosts = 0;
  // A host without stored memory.
  const startElsewhere = () => {
    hosts += 1;
    return cluster.start({ settings: { LOGGER_SPOOL_FOLDER: join(folder, String(hosts)) } });
  };
  const [first] = cluster.instances;
  if (first === undefined) throw new Error('There is no instance.');
  const [second, guard] = await Promise.all([
    startElsewhere(),
    cluster.startGuard(first.server.decisionPort),
  ]);
  const members = [first, second, guard];
  const ended = cluster.issue(userId);
  const good = cluster.issue(userId);

  const setBack = await postgres.mark(trial.loss, databaseOf(cluster));
  for (const member of members)
    check((await decide(member, ended)) === 'allowed', 'the token did not work before it was ended');
  await cluster.logOut(second, ended);
  for (const member of members)
    check((await decide(member, ended)) === 'refused', 'the token worked after its logout had returned');

  const dead = trial.survivor === 'a member' ? [second] : members;
  for (const { server } of dead) server.process.signal('SIGKILL');
  for (const { server } of dead) await server.process.exited;
  const alive = members.filter((member) => !dead.includes(member));
  const watch = watchMembers(ended, good);
  for (const member of alive) watch.add(member);
  await setBack();

  // Beside each other: those that know nothing wait for the longest lease, and that is enough for one that does.
  const refusals = [
    endOf(startElsewhere()),
    endOf(startElsewhere()),
    ...(trial.survivor === 'a host' ? [endOf(cluster.start())] : []),
  ];
  await waitUntil('the loss is reported', () => isLatched(cluster)).catch(async (cause: unknown) => {
    const told = (await Promise.all(refusals)).map((refusal) => refusal.slice(-500)).join('\n');
    throw new Error(`${trial.loss}, ${trial.survivor} survived: the loss was not reported. Starts: ${told}`, {
      cause,
    });
  });
  for (const refusal of await Promise.all(refusals))
    check(recoverText.test(refusal), `a start after the loss was not refused: ${refusal.slice(-500)}`);
  for (const member of alive)
    await waitUntil('the member is shut', async () => (await ask(member, good)) === 'unavailable');
  watch.expectNothing();
  if (trial.survivor === 'a member')
    check(
      (await endOf(cluster.startGuard(first.server.decisionPort, { isPatient: false }))) !== '',
      'a new guard started',
    );
  if (trial.hasControl)
    check(await isHoleWithout(cluster, startElsewhere, ended), 'the control shows no hole');

  watch.expectAnything();
  const recovering = recover(cluster);
  await Promise.race([recovering, waitUntil('the latch is open', async () => !(await isLatched(cluster)))]);
  // They wait for the longest lease as the recovery does.
  const starting = [startElsewhere(), ...(trial.survivor === 'a host' ? [cluster.start()] : [])];
  const recoverMilliseconds = await recovering;
  const recoveredAt = performance.now();
  await cluster.readSigningKey();
  const fresh = cluster.issue(userId);
  for (const member of alive)
    await waitUntil('the member serves again', async () => (await ask(member, fresh)) === 'allowed');
  const backMilliseconds = alive.length === 0 ? 0 : performance.now() - recoveredAt;
  const started = await Promise.all(starting);
  for (const member of started)
    check((await decide(member, fresh)) === 'allowed', 'a new instance does not serve');
  for (const member of [...alive, ...started])
    check((await decide(member, ended)) === 'refused', 'the ended token is not refused after the recovery');
  failures.push(...(await watch.stop()));
  check(
    !isJudged('how soon all serve again') || backMilliseconds <= longestLeaseMilliseconds,
    `${backMilliseconds.toFixed(0)} ms until all served again`,
  );
  return { failures, backMilliseconds, recoverMilliseconds };
}

type Answer = Awaited<ReturnType<typeof outcomeOf>> | 'failed';

async function ask(member: Instance, token: string): Promise<Answer> {
  return await outcomeOf(member, { path: orders, headers: bearer(token) }).catch(() => 'failed' as const);
}

/** Of one that holds a lease; asked until it does. */
function decide(member: Instance, token: string): Promise<'allowed' | 'refused'> {
  return decisionOf(member, { path: orders, headers: bearer(token) });
}

function databaseOf({ database }: Cluster): string {
  return new URL(database.url).pathname.slice(1);
}

/** What a start ended with; nothing where it did not end. */
function endOf(start: Promise<Instance>): Promise<string> {
  return start.then(
    () => '',
    (error: Error) => error.message,
  );
}

async function isLatched({ database }: Cluster): Promise<boolean> {
  const rows = await database
    .query(`select from current_revision where history_lost_at is not null`)
    .catch(() => []);
  return rows.length > 0;
}

/** Asks the members without a break: for what has ended, and for what is not to be allowed from some moment on. */
function watchMembers(ended: string, good: string) {
  const failures: string[] = [];
  const going: Promise<void>[] = [];
  let isOn = true;
  let mayAllow = true;
  async function go(member: Instance): Promise<void> {
    while (isOn) {
      if ((await ask(member, ended)) === 'allowed') failures.push('REVIVED: the ended token was allowed');
      const isLate = !mayAllow;
      if ((await ask(member, good)) === 'allowed' && isLate && !mayAllow)
        failures.push('something was allowed between the loss and the recovery');
      await sleep(10);
    }
  }
  return {
    add: (member: Instance) => void going.push(go(member)),
    expectNothing() {
      mayAllow = false;
    },
    expectAnything() {
      mayAllow = true;
    },
    async stop(): Promise<string[]> {
      isOn = false;
      await Promise.all(going);
      return failures.slice(0, 3);
    },
  };
}

/** The same start where neither the latch holds nor the database counts as unsettled: it allows what had ended. */
async function isHoleWithout(
  { database }: Cluster,
  start: () => Promise<Instance>,
  ended: string,
): Promise<boolean> {
  await database.query('alter table instances disable trigger refuse_lost_history');
  await database.query('update current_revision set settled_in = database_incarnation()');
  try {
    const open = await start();
    const answer = await decide(open, ended);
    open.server.process.signal('SIGKILL');
    await open.server.process.exited;
    return answer === 'allowed';
  } finally {
    await database.query(`update current_revision set settled_in = 'before'`);
    await database.query('alter table instances enable trigger refuse_lost_history');
  }
}

/** The milliseconds that it took. An operator repeats one that could not reach Postgres in time. */
async function recover({ database }: Cluster): Promise<number> {
  const startedAt = performance.now();
  const { code, output } = await askAgain(
    async () => {
      const process = startProcess({
        script: commandLine,
        arguments: ['recover', '--yes'],
        environment: { DATABASE_URL: database.url, AUTH_MASTER_KEY: masterKey },
      });
      return { code: await process.exited, output: process.output };
    },
    (end) => end.code !== 0 && standstillText.test(end.output),
  );
  if (code !== 0) throw new Error(`The recovery ended with ${code}:\n${output}`);
  return performance.now() - startedAt;
}
