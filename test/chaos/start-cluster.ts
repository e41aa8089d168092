// Real instances on one real Postgres, with up to 100,000 rules loaded, an administrator, and users of one role whose
// tokens the suite signs itself, so that a trial costs no password hash.
import { randomBytes } from 'node:crypto';
import { createDatabase, type Database } from '../rig/create-database.ts';
import { type Answer, createHttpClient, type HttpClient, type Request } from '../rig/http-client.ts';
import { judgesTimes } from '../rig/judges-times.ts';
import { mostResent, note } from '../rig/notes.ts';
import { type RigProcess, startProcess } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { type Claims, readSigningKey, type SigningKey, signToken } from '../rig/tokens.ts';
import { askAgain, patienceMilliseconds, sendAgain } from './send-again.ts';

/** As many as the bars are about, where times are judged: loading them is most of a start. */
export const ballastRules = judgesTimes ? 100_000 : 5000;
const ballastRoles = 1000;
const userCount = 200;
/** These are never disabled and keep their role and their epoch. */
const steadyUsers = 18;
export const laneRole = { id: 2, roleKey: 'lane', dataScope: '3' };
export const otherRole = { id: 3, roleKey: 'other', dataScope: '3' };

export const decisionSecret = 'the-secret-of-every-guard-of-these-clusters';

/** Trials that run beside each other, each lane with users and a separate role. */
export const lanes = 9;
export const roleOfLane = (lane: number) => ({ id: 10 + lane, roleKey: `lane${lane}`, dataScope: '3' });

/** An instance of the service, or a business service with a guard. */
export interface Instance {
  readonly server: Server;
  readonly client: HttpClient;
}

export interface Cluster {
  readonly database: Database;
  readonly instances: readonly Instance[];
  /**
   * As the administrator. Throws where the answer is no success. Sent again after a 503: the call may be repeated, and
   * where it was done already and is refused as that, what was done is in force everywhere when it resolves.
   */
  command(instance: Instance, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Logs the token out; it is dead everywhere when this resolves, however often it had to be sent. */
  logOut(instance: Instance, token: string): Promise<void>;
  /** Resolves when every instance goes by what was written before: removing nothing waits for it. */
  settle(instance: Instance): Promise<void>;
  /** A token of a user of the role `lane`, under a separate `jti`. */
  issue(userId: number, claims?: Claims, key?: SigningKey): string;
  /** Users whose epoch may grow. */
  readonly userIds: readonly number[];
  /** The key that signs now is the one of `issue` and `command` from now on. */
  readSigningKey(): Promise<void>;
  start(options?: Partial<InstanceOptions>): Promise<Instance>;
  /** A business service in a separate process, whose guard asks this decision listener. */
  startGuard(decisionPort: number, options?: Partial<GuardOptions>): Promise<Instance>;
  /** Several in one process, whose guards ask any of these: each of them is stopped with all of them. */
  startGuards(
    decisionPorts: readonly number[],
    options: Partial<GuardOptions> & { readonly count: number },
  ): Promise<Instance[]>;
  stop(): Promise<void>;
}

interface InstanceOptions {
  /** Where the instance finds the database; a proxy's address where one stands between. */
  readonly databaseUrl: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Another service than the rig's, and its arguments. */
  readonly script: string;
  readonly arguments: readonly string[];
}

interface GuardOptions {
  readonly settings: Readonly<Record<string, string>>;
  /** Whether a start that is told to come again does. */
  readonly isPatient: boolean;
}

export interface ClusterOptions {
  readonly instances: number;
  readonly leaseSeconds: number;
  readonly rules?: number;
  readonly endedTokens?: number;
  /** The Postgres of the cluster's own, by the URL of its database `postgres`. */
  readonly server?: string;
  /** Of every instance. In mode dev passwords may be cheap to hash. */
  readonly settings?: Readonly<Record<string, string>>;
  /** What each instance uses in the place of the database's own address. */
  readonly databaseUrlOf?: (url: string, index: number) => string;
}

export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const database = await createDatabase({
    migrated: true,
    ...(options.server === undefined ? {} : { server: options.server }),
  });
  await seed(database, options.rules ?? ballastRules);
  await endTokens(database, options.endedTokens ?? 0);
  const started: Instance[] = [];
  async function start({
    databaseUrl = database.url,
    settings = {},
    ...script
  }: Partial<InstanceOptions> = {}) {
    const server = await startServer({
      ...script,
      databaseUrl,
      settings: {
        CLUSTER_LEASE_SECONDS: String(options.leaseSeconds),
        DECISION_SECRET: decisionSecret,
        ...options.settings,
        ...settings,
      },
    });
    const instance = { server, client: createHttpClient(server.port, { remembers: false, resends: true }) };
    started.push(instance);
    return instance;
  }
  const startGuards: Cluster['startGuards'] = async (
    decisionPorts,
    { count, settings = {}, isPatient = true },
  ) => {
    const environment = {
      GUARD_URL: decisionPorts.map((port) => `http://127.0.0.1:${port}`).join(),
      GUARD_COUNT: String(count),
      GUARD_SECRET: decisionSecret,
      GUARD_LEASE_SECONDS: String(options.leaseSeconds),
      ...settings,
    };
    const giveUpAt = isPatient ? performance.now() + patienceMilliseconds : 0;
    const { process, line } = await startGuardService(environment, giveUpAt);
    const { ports } = JSON.parse(line) as { ports: number[] };
    const stop = () => {
      process.signal('SIGTERM');
      return process.exited;
    };
    const guards = ports.map((port) => ({
      server: { process, port, opsPort: 0, decisionPort: 0, stop },
      client: createHttpClient(port, { remembers: false, resends: true }),
    }));
    started.push(...guards);
    return guards;
  };
  const startGuard: Cluster['startGuard'] = async (decisionPort, options = {}) => {
    const [guard] = await startGuards([decisionPort], { ...options, count: 1 });
    if (guard === undefined) throw new Error('No guard started.');
    return guard;
  };
  const urlOf = options.databaseUrlOf ?? ((url: string) => url);
  const instances: Instance[] = [];
  async function stop(): Promise<void> {
    for (const { client } of started) client.close();
    await Promise.all(started.map(({ server }) => server.stop()));
    await database.drop();
  }
  // Two at a time, because every start takes a core for itself.
  for (let index = 0; index < options.instances; index += 2) {
    const starts = await Promise.allSettled(
      [index, index + 1]
        .filter((place) => place < options.instances)
        .map((place) => start({ databaseUrl: urlOf(database.url, place) })),
    );
    for (const one of starts) {
      if (one.status === 'fulfilled') instances.push(one.value);
      else {
        await stop();
        throw one.reason;
      }
    }
  }
  async function command(
    { client }: Instance,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ answer: Answer; isDoneBefore: boolean }> {
    const { answer, isRepeated } = await sendAgain(() =>
      client.send({ method, path, headers: bearer(admin), body }),
    );
    const isDoneBefore = isRepeated && (answer.body.code === 404 || answer.body.code === 409);
    if (answer.body.code !== 200 && !isDoneBefore)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return { answer, isDoneBefore };
  }
  async function settle(instance: Instance): Promise<void> {
    await command(instance, 'POST', `/api/v1/roles/${laneRole.id}/rules`, {
      remove: [{ method: 'GET', path: '/api/v1/none' }],
    });
  }
  const signAdmin = (key: SigningKey) =>
    signToken(claimsOf(1, { roleid: 1, rolekey: 'admin', datascope: '1' }), key);
  const dev = options.settings?.APPLICATION_MODE === 'dev';
  let signingKey = await readSigningKey(database, { dev });
  let admin = signAdmin(signingKey);
  return {
    database,
    instances,
    start,
    startGuard,
    startGuards,
    userIds: Array.from({ length: userCount - steadyUsers }, (_, index) => index + 2 + steadyUsers),
    issue: (userId, claims = {}, key = signingKey) => signToken(claimsOf(userId, claims), key),
    async readSigningKey() {
      signingKey = await readSigningKey(database, { dev });
      admin = signAdmin(signingKey);
    },
    async command(instance, method, path, body) {
      const { answer, isDoneBefore } = await command(instance, method, path, body);
      if (isDoneBefore) await settle(instance);
      return answer;
    },
    async logOut(instance, token) {
      const request = { method: 'POST', path: '/api/v1/logout', headers: bearer(token) };
      const { answer, isRepeated } = await sendAgain(() => instance.client.send(request));
      // Refused: the one before was stored, and its answer was lost.
      if (isRepeated && answer.body.code === 401) await settle(instance);
      else if (answer.body.code !== 200) throw new Error(`The logout: ${answer.status} ${answer.text}`);
    },
    settle,
    stop,
  };
}

/** A guard gives up where the instance is silent for two seconds or has no lease, as on a machine that stands still: then once more. */
async function startGuardService(
  environment: Readonly<Record<string, string>>,
  giveUpAt: number,
): Promise<{ process: RigProcess; line: string }> {
  const process = startProcess({ script: 'test/chaos/guard-service.ts', environment });
  try {
    return { process, line: await process.waitForLine(/"msg":"ready"/) };
  } catch (error) {
    if (performance.now() >= giveUpAt || !silenceText.test((error as Error).message)) throw error;
    note('retried', 'the start of a guard that an instance did not answer in time', mostResent);
    return await startGuardService(environment, giveUpAt);
  }
}

const silenceText = /it does not answer|cannot be reached|503/;

/** For who is held up in the database on purpose: no statement is given up, however slow the machine is. */
export function patientUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  for (const name of ['statement_timeout', 'query_timeout'])
    url.searchParams.set(name, String(patienceMilliseconds));
  return url.href;
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export type Outcome = 'allowed' | 'refused' | 'unavailable';

/** What became of a request: only a success is `allowed`, only our own refusal is `refused`. */
export async function outcomeOf({ client }: Instance, request: Request): Promise<Outcome> {
  const { status, body, text } = await client.send(request);
  if (status === 200 && body.code === 200) return 'allowed';
  if (status === 200 && body.code === 401) return 'refused';
  if (status === 503 && body.code === 503) return 'unavailable';
  throw new Error(`An unexpected answer: ${status} ${text}`);
}

/** The same, asked until the instance says one or the other: one whose lease ran out says nothing. */
export async function decisionOf(instance: Instance, request: Request): Promise<'allowed' | 'refused'> {
  const outcome = await askAgain(
    () => outcomeOf(instance, request).catch(unavailableWhereBroken),
    (some) => some === 'unavailable',
  );
  return outcome === 'allowed' ? 'allowed' : 'refused';
}

function unavailableWhereBroken(error: NodeJS.ErrnoException): Outcome {
  if (error.code === undefined) throw error;
  return 'unavailable';
}

function claimsOf(userId: number, claims: Claims): Claims {
  const iat = Math.floor(Date.now() / 1000);
  return {
    identity: userId,
    roleid: laneRole.id,
    rolekey: laneRole.roleKey,
    nice: `user${userId}`,
    datascope: laneRole.dataScope,
    sub: String(userId),
    iss: 'portcullis',
    iat,
    exp: iat + 86_400,
    jti: randomBytes(16).toString('base64url'),
    ep: 1,
    ...claims,
  };
}

async function seed(database: Database, rules: number): Promise<void> {
  await database.query(`insert into departments (name) values ('Head office')`);
  await database.query(
    `insert into roles (id, role_key, name, data_scope)
     values (1, 'admin', 'admin', '1'), (2, 'lane', 'lane', '3'), (3, 'other', 'other', '3')`,
  );
  await database.query(
    `insert into roles (id, role_key, name) select n + 100, 'ballast' || n, 'ballast' from generate_series(1, $1::int) as n`,
    [ballastRoles],
  );
  await database.query(
    `insert into rules (role_id, method, path)
     select roles.id, 'GET', '/api/v1/reports/' || n || '/:month'
     from roles, generate_series(1, $1::int) as n where role_key like 'ballast%'`,
    [Math.floor(rules / ballastRoles)],
  );
  await database.query(
    `insert into rules (role_id, method, path) values (2, 'GET', '/api/v1/orders'), (3, 'GET', '/api/v1/orders'), (2, 'POST', '/api/v1/orders')`,
  );
  for (const { id, roleKey, dataScope } of Array.from({ length: lanes }, (_, lane) => roleOfLane(lane))) {
    await database.query('insert into roles (id, role_key, name, data_scope) values ($1, $2, $2, $3)', [
      id,
      roleKey,
      dataScope,
    ]);
    await database.query(`insert into rules (role_id, method, path) values ($1, 'GET', '/api/v1/orders')`, [
      id,
    ]);
  }
  await database.query(
    `insert into users (id, username, canonical_username, department_id, role_id, password_hash)
     select n, 'user' || n, 'user' || n, departments.id, case when n = 1 then 1 else 2 end, 'none'
     from departments, generate_series(1, $1::int) as n`,
    [userCount + 1],
  );
}

/** Tokens without a user, which expire over the next day. */
async function endTokens(database: Database, count: number): Promise<void> {
  await database.query(
    `insert into revocations (jti, user_id, expires_at)
     select translate(rtrim(encode(uuid_send(gen_random_uuid()), 'base64'), '='), '+/', '-_'), 1, now() + random() * interval '1 day'
     from generate_series(1, $1::int)`,
    [count],
  );
}
