// SIGKILL of instances while mail is sent (npm smtp-server, which takes it over TLS alone, and Debian's OpenSMTPD): servers accept, put
// off, refuse and hang. No mail is lost, and a kill doubles at most one, with the same Message-ID.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../../fuzz/random.ts';
import { createHttpClient } from '../../rig/http-client.ts';
import { type Behaviour, linkPage, type Mailbox, startMailbox } from '../../rig/mailbox.ts';
import { startOpenSmtpd } from '../../rig/opensmtpd.ts';
import { makeCertificate } from '../../rig/self-signed.ts';
import { createLogInstance, type LogInstance, prepareStage, type Stage } from '../log/log-instance.ts';
import { type ChaosResult, type ChaosRun, mostFailures, type OwnScenario } from '../scenario.ts';

export const mailScenario: OwnScenario = {
  title: 'kill instances while mail is sent; none is lost, a kill doubles at most one',
  size: 2,
  instances: 2,
  leaseSeconds: 2,
  run: runMail,
};

const mailsPerKill = 20;
/** Of ten mails, by the last digit of the address. */
const behaviours = [
  'accept',
  'defer',
  'accept',
  'refuse',
  'accept',
  'hang',
  'accept',
  'defer',
  'accept',
  'accept',
] as const;
/** How many times a mail is put off, and how many times the server hangs, before it is taken. */
const timesPutOff = 2;
const patienceMilliseconds = 300_000;

interface Part {
  readonly name: string;
  readonly kills: number;
  readonly mails: number;
  readonly port: number;
  /** How the server is trusted. */
  readonly trust: Readonly<Record<string, string>>;
  readonly sink: Mailbox;
  readonly behaviourOf: (address: string) => Behaviour;
}

async function runMail(run: ChaosRun): Promise<ChaosResult> {
  const { size, mails = size * mailsPerKill, enter } = run;
  const folder = await mkdtemp(join(tmpdir(), 'chaos-mail-'));
  const certificate = await makeCertificate(folder);
  const seen = new Map<string, number>();
  const behave = (address: string): Behaviour => {
    const behaviour = behaviourOf(address);
    if (behaviour !== 'defer' && behaviour !== 'hang') return behaviour;
    const times = (seen.get(address) ?? 0) + 1;
    seen.set(address, times);
    return times > (behaviour === 'hang' ? 1 : timesPutOff) ? 'accept' : behaviour;
  };
  const direct = await startMailbox({ behave, tls: certificate, slow: true });
  const sink = await startMailbox();
  const relay = await startOpenSmtpd({ folder, relayPort: sink.port });
  const half = Math.ceil(size / 2);
  const parts: readonly Part[] = [
    {
      name: 'smtp-server',
      kills: half,
      mails: Math.ceil(mails / 2),
      port: direct.port,
      trust: { MAIL_CA_FILE: certificate.cert },
      sink: direct,
      behaviourOf,
    },
    {
      name: 'OpenSMTPD',
      kills: size - half,
      mails: Math.floor(mails / 2),
      port: relay.port,
      trust: { MAIL_ALLOW_PLAINTEXT: 'true' },
      sink,
      behaviourOf: () => 'accept',
    },
  ];
  const failures: string[] = [];
  const remarks: string[] = [];
  try {
    enter('work');
    for (const part of parts) {
      if (part.mails === 0) continue;
      const result = await runPart(part, run);
      failures.push(...result.failures);
      remarks.push(result.remark);
    }
  } finally {
    enter('end');
    await relay.stop();
    await Promise.all([direct.stop(), sink.stop()]);
    await rm(folder, { recursive: true, force: true });
  }
  return { passed: failures.length === 0 ? size : 0, failures: failures.slice(0, mostFailures), remarks };
}

function behaviourOf(address: string): Behaviour {
  return behaviours[Number(/(\d)@/.exec(address)?.[1] ?? 0)] ?? 'accept';
}

async function runPart(part: Part, { instances, seed, progress }: ChaosRun) {
  const stage = await prepareStage();
  const random = new Random(seed);
  const settings = {
    MAIL_HOST: '127.0.0.1',
    MAIL_PORT: String(part.port),
    ...part.trust,
    MAIL_FROM: 'portcullis@example.com',
    MAIL_PASSWORD_PAGE: linkPage,
    MAIL_RETRY_SECONDS: '1',
    MAIL_TIMEOUT_SECONDS: '2',
    MAIL_RESET_LINKS_PER_NETWORK_PER_DAY: '1000000',
    MAIL_RESET_LINKS_PER_DAY: '1000000',
  };
  const { spoolFolder, database } = stage;
  const running = Array.from({ length: instances }, () =>
    createLogInstance({ databaseUrl: database.url, spoolFolder, settings }),
  );
  const asked: string[] = [];
  try {
    const addresses = await addPeople(stage, part.mails);
    await Promise.all(running.map((instance) => startPatiently(instance)));
    let isKilling = true;
    const asking = ask(stage, running, addresses, asked, () => isKilling);
    for (let kill = 0; kill < part.kills; kill += 1) {
      await sleep(random.below(600));
      const victim = random.pick(running);
      await victim.kill();
      await startPatiently(victim);
      progress(kill + 1);
    }
    isKilling = false;
    await asking;
    const isSent = await waitForQueue(stage);
    await waitForSink(part, asked);
    const dead = await database.query<{ n: number }>(
      `select count(*)::int as n from mails where state = 'dead'`,
    );
    return judge(part, asked, { isSent, dead: dead[0]?.n ?? 0 });
  } finally {
    await Promise.all(running.map((instance) => instance.kill()));
    await stage.close();
  }
}

/** The Postgres of the suites may have no connection left for a moment. */
async function startPatiently(instance: LogInstance, triesLeft = 20): Promise<void> {
  try {
    await instance.start();
  } catch (error) {
    if (triesLeft === 0 || !String(error).includes('53300')) throw error;
    await sleep(1000);
    await startPatiently(instance, triesLeft - 1);
  }
}

async function addPeople({ database }: Stage, count: number): Promise<string[]> {
  const addresses = Array.from({ length: count }, (_, index) => `mail${index}@example.com`);
  await database.query(
    `insert into users (username, canonical_username, department_id, role_id, password_hash, mail)
     select split_part(address, '@', 1), split_part(address, '@', 1), (select min(id) from departments),
       (select max(id) from roles where enabled), '$argon2id$', address from unnest($1::text[]) as address`,
    [addresses],
  );
  return addresses;
}

/** In turn a change of a password, as any instance of any version makes it, and a request for a link. Only what was answered counts. */
async function ask(
  { database }: Stage,
  running: readonly LogInstance[],
  addresses: readonly string[],
  asked: string[],
  isKilling: () => boolean,
): Promise<void> {
  for (const [index, mail] of addresses.entries()) {
    if (isKilling()) await sleep(40);
    if (index % 5 !== 0) {
      await database.query(
        `update users set password_hash = '$argon2id$' || epoch, epoch = epoch + 1 where mail = $1`,
        [mail],
      );
      asked.push(mail);
      continue;
    }
    while (!(await forgot(running, mail))) await sleep(100);
    asked.push(mail);
  }
}

async function forgot(running: readonly LogInstance[], mail: string): Promise<boolean> {
  const port = running.find((instance) => instance.port !== undefined)?.port;
  if (port === undefined) return false;
  const client = createHttpClient(port, { remembers: false, resends: false });
  try {
    const { body } = await client.send({ method: 'POST', path: '/api/v1/password/forgot', body: { mail } });
    return body.code === 200;
  } catch {
    return false;
  } finally {
    client.close();
  }
}

async function waitForQueue({ database }: Stage): Promise<boolean> {
  const giveUpAt = performance.now() + patienceMilliseconds;
  while (performance.now() < giveUpAt) {
    const left = await database.query(`select 1 from mails where state = 'queued' limit 1`);
    if (left.length === 0) return true;
    await sleep(200);
  }
  return false;
}

/** What a relay has taken, it brings in its own time. */
async function waitForSink({ sink, behaviourOf }: Part, asked: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + 60_000;
  const wanted = asked.filter((address) => behaviourOf(address) !== 'refuse');
  while (wanted.some((address) => sink.of(address).length === 0) && performance.now() < giveUpAt)
    await sleep(200);
}

function judge(
  { name, kills, sink, behaviourOf }: Part,
  asked: readonly string[],
  { isSent, dead }: { isSent: boolean; dead: number },
) {
  const failures = isSent ? [] : [`${name}: mails are still queued`];
  let doubles = 0;
  let lost = 0;
  let refused = 0;
  for (const address of asked) {
    const received = sink.of(address);
    const ids = new Set(received.map(({ messageId }) => messageId));
    if (behaviourOf(address) === 'refuse') {
      refused += 1;
      if (received.length > 0) failures.push(`${name}: ${address} was refused and received`);
      continue;
    }
    if (received.length === 0) lost += 1;
    // A request that was cut off before its answer may have been stored, and was then asked again.
    const isAskedAgain = Number(/\d+/.exec(address)?.[0]) % 5 === 0;
    if (ids.size > 1 && !isAskedAgain) failures.push(`${name}: ${address} got ${ids.size} different mails`);
    doubles += received.length - ids.size;
  }
  if (lost > 0) failures.push(`${name}: ${lost} mails were lost`);
  if (doubles > kills) failures.push(`${name}: ${doubles} doubles for ${kills} kills`);
  if (dead < refused) failures.push(`${name}: ${refused} were refused, and ${dead} are dead`);
  const remark = `${name}: ${asked.length} mails, ${kills} kills: ${lost} lost, ${doubles} doubled with the same Message-ID, ${refused} refused and ${dead} dead`;
  return { failures, remark };
}
