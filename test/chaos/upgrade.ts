// An upgrade under load: instances of the version before, then the migration, then both versions beside each other, then the
// new one alone. Good tokens are served and ended ones refused by both, every answered login is in the log once, a demand
// that only the new version knows is kept by the old one, which also admits no service account, and guards of both versions refuse what was ended anywhere.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { captchaAnswer, writeCaptcha } from '../rig/captcha.ts';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { type Answer, createHttpClient } from '../rig/http-client.ts';
import { waitUntil } from '../rig/postgres-server.ts';
import { password, seed } from '../rig/seed.ts';
import { machineSettings } from '../rig/service-account.ts';
import { startProcess } from '../rig/start-process.ts';
import { baseSettings, startServer } from '../rig/start-server.ts';
import { holdKeys } from './keys/beside-older.ts';
import { type ChaosRun, mostFailures, type OwnScenario } from './scenario.ts';
import { bearer, decisionSecret, type Instance } from './start-cluster.ts';

export const upgradeScenario: OwnScenario = {
  title: 'upgrade under load, from the checkout PORTCULLIS_BEFORE or the commit before',
  size: 200,
  instances: 2,
  leaseSeconds: 10,
  onlyByName: true,
  run: runUpgrade,
};

const run = promisify(execFile);
const here = join(import.meta.dirname, '../..');
const logins = 4;
const notAnchored = 3;
const guardTrials = 20;
/** Of the seed: a role that no other trial uses. */
const guests = { id: 5, username: 'gina' };

async function runUpgrade(options: ChaosRun) {
  const given = process.env.PORTCULLIS_BEFORE;
  if (given !== undefined) return await upgradeFrom(given, options);
  const folder = await mkdtemp(join(tmpdir(), 'portcullis-before-'));
  try {
    await run('git', ['worktree', 'add', '--detach', folder, 'HEAD~1'], { cwd: here });
    await run('npm', ['ci'], { cwd: folder });
    return await upgradeFrom(folder, options);
  } finally {
    await run('git', ['worktree', 'remove', '--force', folder], { cwd: here });
  }
}

async function upgradeFrom(before: string, { size, instances, leaseSeconds, progress, enter }: ChaosRun) {
  const database = await createDatabase({ migrated: false });
  const settings = {
    CLUSTER_LEASE_SECONDS: String(leaseSeconds),
    RIG_PATIENCE: 'true',
    DECISION_SECRET: decisionSecret,
  };
  const command = async (folder: string, ...given: string[]) =>
    await run(process.execPath, [join(folder, 'packages/operator/src/main.ts'), ...given], {
      env: { ...process.env, ...baseSettings(database.url), ...settings },
    });
  const start = async (folder: string): Promise<Instance> => {
    const script = join(folder, 'test/rig/business-service.ts');
    // The version before may not know of every setting.
    const further = folder === here ? machineSettings : {};
    const server = await startServer({
      databaseUrl: database.url,
      settings: { ...settings, ...further },
      script,
    });
    return { server, client: createHttpClient(server.port, { remembers: false, resends: true }) };
  };
  await command(before, 'migrate');
  await seed(database);
  const running: Instance[] = [];
  for (let index = 0; index < instances; index += 1) running.push(await start(before));
  const old = [...running];
  enter('work');
  const load = startLoad(database, running, progress);
  try {
    await load.until(size / 4);
    await command(here, 'migrate');
    await load.until(size / 2);
    for (let index = 0; index < instances; index += 1) running.push(await start(here));
    await load.until((size * 3) / 4);
    for (const failure of [
      await holdDemand(database, old, running),
      await holdGuards(database, { before, old, running }),
      await holdKeys(database, {
        old,
        all: running,
        admin: String((await logIn(old[0] as Instance, database, 'ada')).body.token),
      }),
    ])
      if (failure !== undefined) load.failures.push(failure);
    for (const instance of old) {
      running.splice(running.indexOf(instance), 1);
      await sleep(500);
      const code = await instance.server.stop();
      if (code !== 0) load.failures.push(`an old instance exited with ${code}`);
    }
    await load.until(size);
  } finally {
    enter('end');
    await load.stop();
  }
  await waitUntil(
    'every answered login is in the log',
    async () => (await countMissing(database, load.answered)) === 0,
  ).catch((error: Error) => load.failures.push(error.message));
  const twice = await database.query(
    'select request_id from login_log group by request_id having count(*) > 1 limit 1',
  );
  if (twice.length > 0) load.failures.push(`${JSON.stringify(twice[0])} is in the log twice`);
  for (const { server } of running) await server.stop();
  // Nothing is anchored here, which has a separate exit code.
  const verified = await command(here, 'log', 'verify').catch(
    (error: { readonly stdout: string; readonly code: number }) => error,
  );
  if ('code' in verified && verified.code !== notAnchored)
    load.failures.push(`log verify: ${verified.stdout}`);
  const methods = await database.query<{ method: string | null; n: number }>(
    'select method, count(*)::int as n from login_log group by method order by method',
  );
  for (const { client } of [...old, ...running]) client.close();
  await database.drop();
  return {
    passed: Math.max(0, load.answered.size - load.failures.length),
    failures: load.failures.slice(0, mostFailures),
    remarks: [
      `${load.answered.size.toLocaleString('en')} answered logins, ${load.checks()} checks; by method: ${methods.map(({ method, n }) => `${method ?? 'none'} ${n}`).join(', ')}`,
      `log verify: ${verified.stdout.split('\n')[0]}`,
    ],
  };
}

async function logIn({ client }: Instance, database: Database, username: string): Promise<Answer> {
  const captcha = { uuid: await writeCaptcha(database), code: captchaAnswer };
  const body = { username, password, ...captcha };
  return await client.send({ method: 'POST', path: '/api/v1/login', body });
}

/** What only the new version can ask for, the old one keeps: it refuses a person whose role demands more. */
async function holdDemand(database: Database, old: readonly Instance[], all: readonly Instance[]) {
  const [older] = old;
  const newer = all.at(-1);
  if (older === undefined || newer === undefined) return 'there is no instance';
  const token = String((await logIn(older, database, guests.username)).body.token);
  const admin = String((await logIn(newer, database, 'ada')).body.token);
  const path = `/api/v1/roles/${guests.id}/required-factor`;
  const demand = (factor: number) =>
    newer.client.send({ method: 'PUT', path, headers: bearer(admin), body: { requiredFactor: factor } });
  const raised = await demand(2);
  if (raised.body.code !== 200) return `the demand: ${raised.text}`;
  for (const { client } of all) {
    const { body } = await client.send({ path: '/api/v1/getinfo', headers: bearer(token) });
    if (body.code !== 401) return `a weaker session was answered ${body.code}`;
  }
  for (const instance of all) {
    const answer = await logIn(instance, database, guests.username);
    if ('token' in answer.body) return 'a login of one factor got a token';
  }
  await demand(1);
  const after = await logIn(older, database, guests.username);
  return 'token' in after.body ? undefined : `no login after the demand was taken back: ${after.text}`;
}

interface BothVersions {
  /** Where the version before is. */
  readonly before: string;
  readonly old: readonly Instance[];
  readonly running: readonly Instance[];
}

/** A guard of the version before asks a new instance, a new guard any of both: what is ended anywhere is ended there. */
async function holdGuards(database: Database, { before, old, running }: BothVersions) {
  const portOf = ({ server }: Instance) => `http://127.0.0.1:${server.decisionPort}`;
  const newer = running.filter((instance) => !old.includes(instance));
  const guards = [
    await startGuard(before, newer.slice(0, 1).map(portOf)),
    await startGuard(here, running.map(portOf)),
  ];
  try {
    for (let trial = 0; trial < guardTrials; trial += 1) {
      const instance = running[trial % running.length];
      if (instance === undefined) return 'there is no instance';
      const token = String((await logIn(instance, database, 'carl')).body.token);
      const ask = async ({ client }: Pick<Instance, 'client'>) =>
        (await client.send({ path: '/api/v1/orders', headers: bearer(token) })).body.code;
      for (const guard of guards) {
        const code = await ask(guard);
        if (code !== 200) return `a guard answered a good token with ${code}`;
      }
      await instance.client.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(token) });
      for (const guard of guards) {
        const code = await ask(guard);
        if (code !== 401) return `a guard answered an ended token with ${code}`;
      }
    }
    return undefined;
  } finally {
    for (const { client, process } of guards) {
      client.close();
      process.signal('SIGTERM');
      await process.exited;
    }
  }
}

async function startGuard(folder: string, urls: readonly string[]) {
  const process = startProcess({
    script: join(folder, 'test/chaos/guard-service.ts'),
    environment: { GUARD_URL: urls.join(), GUARD_SECRET: decisionSecret },
  });
  const { port, ports } = JSON.parse(await process.waitForLine(/"msg":"ready"/)) as {
    readonly port?: number;
    readonly ports?: readonly number[];
  };
  const client = createHttpClient(port ?? ports?.[0] ?? 0, { remembers: false, resends: true });
  return { process, client };
}

/** People log in anywhere, call anywhere, log out anywhere, and are refused everywhere. */
function startLoad(database: Database, running: readonly Instance[], progress: (done: number) => void) {
  const failures: string[] = [];
  const answered = new Set<string>();
  const waiting = new Set<() => void>();
  let [isOn, checks] = [true, 0];
  const any = () => running[Math.floor(Math.random() * running.length)] as Instance;
  async function expectCode(token: string, expected: number, what: string): Promise<void> {
    const { body, status } = await any().client.send({ path: '/api/v1/getinfo', headers: bearer(token) });
    checks += 1;
    if (body.code !== expected) failures.push(`${what} was answered ${status} ${body.code}`);
  }
  async function visit(): Promise<void> {
    const answer = await logIn(any(), database, 'carl');
    answered.add(String(answer.headers['x-request-id']));
    progress(answered.size);
    for (const wake of waiting) wake();
    const { token } = answer.body;
    if (typeof token !== 'string') {
      failures.push(`a login was answered ${answer.status} ${answer.text}`);
      return;
    }
    await expectCode(token, 200, 'a good token');
    await any().client.send({ method: 'POST', path: '/api/v1/logout', headers: bearer(token) });
    for (let count = 0; count < 3; count += 1) await expectCode(token, 401, 'an ended token');
  }
  const going = Array.from({ length: logins }, async () => {
    while (isOn && failures.length < mostFailures)
      await visit().catch((error: Error) => void failures.push(error.message));
    for (const wake of waiting) wake();
  });
  return {
    failures,
    answered,
    checks: () => checks,
    async until(count: number): Promise<void> {
      while (answered.size < count && failures.length < mostFailures)
        await new Promise<void>((resolve) => waiting.add(resolve));
    },
    async stop(): Promise<void> {
      isOn = false;
      await Promise.all(going);
    },
  };
}

async function countMissing(database: Database, answered: ReadonlySet<string>): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    'select count(*)::int as n from unnest($1::text[]) as id where id not in (select request_id from login_log)',
    [[...answered]],
  );
  return row?.n ?? 0;
}
