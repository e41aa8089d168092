// SIGKILL of instances and of the receiver at random, under logins and changes: every record of both logs arrives, in the
// order of its object, and what arrives twice has one id.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { commandLine, type RigProcess, startProcess } from '../../rig/start-process.ts';
import { baseSettings } from '../../rig/start-server.ts';
import { createAttemptBook } from '../log/attempt-book.ts';
import { drainAll } from '../log/drain-all.ts';
import { createLogInstance, type LogInstance, prepareStage, type Stage } from '../log/log-instance.ts';
import { startLoginLoad } from '../log/login-load.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';
import { startChangeLoad } from './change-load.ts';
import { compareEvents } from './compare-events.ts';

export const eventsScenario: OwnScenario = {
  title: 'kill instances and the receiver of a webhook; every record arrives, in order',
  size: 3,
  instances: 2,
  leaseSeconds: 2,
  run: runEvents,
};

const eventsPerKill = 300;
const settings = { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_MAX_ATTEMPTS: '20' };
const patienceMilliseconds = 1_800_000;
const paceMilliseconds = 100;
const downMilliseconds = 500;
/** A login costs more than a change, and half of the events are enough. */
const loginPauseMilliseconds = 50;

async function runEvents(run: ChaosRun): Promise<ChaosResult> {
  const { size, seed, progress, enter, events = size * eventsPerKill } = run;
  const stage = await prepareStage();
  const random = new Random(seed);
  const folder = await mkdtemp(join(tmpdir(), 'chaos-events-'));
  const instances = Array.from({ length: run.instances }, () =>
    createLogInstance({ databaseUrl: stage.database.url, spoolFolder: stage.spoolFolder, settings }),
  );
  const port = await findPort();
  const webhook = await addHook(stage, port);
  const receiver = createReceiver({ port, file: join(folder, 'received'), secret: webhook.secret });
  const kills = { instance: 0, receiver: 0 };
  const failures: string[] = [];
  const startedAt = performance.now();
  try {
    await Promise.all([receiver.start(), ...instances.map((instance) => instance.start())]);
    enter('work');
    const book = createAttemptBook();
    const logins = startLoginLoad({
      targets: instances,
      lanesPerTarget: 4,
      pauseMilliseconds: loginPauseMilliseconds,
      book,
      seed,
      kinds: ['success', 'wrong-password', 'unknown-user', 'disabled-user'],
    });
    const changes = startChangeLoad(stage.database.url, seed, (made) => made + book.answered < events);
    const made = () => changes.committed + book.answered;
    for (let number = 1; number <= size; number += 1) {
      // By what has arrived: an instance that is killed sooner than its lease is over would only wait.
      while ((await readDelivered(stage)) < (number * events) / (size + 1)) await sleep(paceMilliseconds);
      if (random.below(2) === 0) await killAndStart(random.pick(instances), kills);
      else {
        await receiver.kill();
        kills.receiver += 1;
        await sleep(random.below(downMilliseconds));
        await receiver.start();
      }
      progress(number);
    }
    while (made() < events) await sleep(paceMilliseconds);
    await Promise.all([logins.stop(), changes.stop()]);
    const madeSeconds = (performance.now() - startedAt) / 1000;
    for (const instance of instances) await instance.kill();
    const drained = await drainAll(stage, settings);
    failures.push(...logins.failures, ...drained.failures);
    await Promise.all(instances.map((instance) => instance.start()));
    const isDelivered = await waitUntilDelivered(stage, webhook.id);
    if (!isDelivered) failures.push('not everything was delivered in half an hour');
    const seconds = (performance.now() - startedAt) / 1000;
    const compared = await compareEvents(stage.database, join(folder, 'received'), webhook);
    failures.push(...compared.failures);
    const [stored] = await stage.database.query(
      'select delivered::int, failed::int, gone::int, skipped::int from webhooks',
    );
    return {
      passed: failures.length === 0 ? size : 0,
      failures: failures.slice(0, mostFailures),
      remarks: [
        `${compared.expected.toLocaleString('en')} events in ${madeSeconds.toFixed(0)} s (${book.answered} logins, ${changes.committed} changes), delivered after ${seconds.toFixed(0)} s: ${compared.received.toLocaleString('en')} received, ${compared.doubled.toLocaleString('en')} of them doubles`,
        `kills: ${kills.instance} of instances, ${kills.receiver} of the receiver; ${JSON.stringify(stored)}`,
        drained.remark,
      ],
    };
  } finally {
    enter('end');
    await Promise.all([receiver.kill(), ...instances.map((instance) => instance.kill())]);
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readDelivered({ database }: Stage): Promise<number> {
  const [webhook] = await database.query<{ n: number }>('select delivered::int as n from webhooks');
  return webhook?.n ?? 0;
}

async function killAndStart(instance: LogInstance, kills: { instance: number }): Promise<void> {
  await instance.kill();
  kills.instance += 1;
  await instance.start();
}

interface Hook {
  readonly id: number;
  readonly secret: string;
  readonly auditSeq: number;
}

async function addHook({ database }: Stage, port: number): Promise<Hook> {
  const command = startProcess({
    script: commandLine,
    arguments: ['webhook', 'add', 'chaos', `http://127.0.0.1:${port}/`, '--json'],
    environment: { ...baseSettings(database.url), ...settings, APPLICATION_MODE: 'dev' },
  });
  if ((await command.exited) !== 0) throw new Error(command.output);
  const { id, secret } = JSON.parse(command.output) as Hook;
  const [row] = await database.query<{ seq: number }>('select audit_seq::float8 as seq from webhooks');
  return { id, secret, auditSeq: row?.seq ?? 0 };
}

function createReceiver({ port, file, secret }: { port: number; file: string; secret: string }) {
  let process: RigProcess | undefined;
  let starts = 0;
  return {
    async start() {
      starts += 1;
      process = startProcess({
        script: 'test/chaos/events/receiver.ts',
        environment: {
          RECEIVER_PORT: String(port),
          RECEIVER_FILE: file,
          RECEIVER_SECRET: secret,
          RECEIVER_SEED: String(starts),
        },
      });
      await process.waitForLine(/receiving/);
    },
    async kill() {
      process?.signal('SIGKILL');
      await process?.exited;
    },
  };
}

/** What waits for its next try is not waited for: the pauses are long, and shown elsewhere. */
async function waitUntilDelivered({ database }: Stage, id: number): Promise<boolean> {
  const end = performance.now() + patienceMilliseconds;
  while (performance.now() < end) {
    const [left] = await database.query<{ n: number }>(
      `select (select count(*) from webhook_letters)::int
         + (select (select seq from audit_log_end) - audit_seq from webhooks)::int
         + (select coalesce(sum(noted.seq - coalesce(place.seq, noted.first_seq - 1)), 0) from login_log_chains as noted
            left join webhook_places as place on place.hook_id = $1 and place.chain = noted.chain)::int as n`,
      [id],
    );
    if (left?.n === 0) return true;
    await database.query(
      "update webhook_letters set next_at = now() where state = 'retrying' and next_at > now()",
    );
    await sleep(500);
  }
  return false;
}

/** One that is free now, and that the receiver has after every start. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
