// The composition root: with the compose-*.ts files beside it, the only one that knows every part. It builds the
// service in the order in which a start can be refused, so that nothing is bound, created or changed by a service that may not run.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpoints } from '@portcullis/contract';
import type { Logger } from 'pino';
import manifest from '../package.json' with { type: 'json' };
import { createAccessWriter } from './cluster/access-writer.ts';
import { createBarrier } from './cluster/barrier.ts';
import { createBarrierStore } from './cluster/barrier-store.ts';
import { createFollower } from './cluster/follower.ts';
import { createLease } from './cluster/lease.ts';
import { createLeaseCheck } from './cluster/lease-check.ts';
import { ClockWrong, createMember } from './cluster/member.ts';
import { createDoorbell, type MemberStore, openMemberStore } from './cluster/member-store.ts';
import { sweepRevisions } from './cluster/revision-store.ts';
import { composeLogin, type LoginParts } from './compose-login.ts';
import { composeLoginLog } from './compose-login-log.ts';
import { composeRoutes } from './compose-routes.ts';
import type { Config } from './config.ts';
import { type FirstAdministrator, prepareFirstStart } from './directory/first-start.ts';
import { lintAdministratorPasswords, publishedPasswordHashes } from './directory/published-passwords.ts';
import { createRoles } from './directory/roles.ts';
import { listAdministratorsWithHash } from './directory/user-store.ts';
import { type CurrentAccess, lintAccesses } from './http/access-guard.ts';
import { lintProxies } from './http/client-address.ts';
import { lintOrigins } from './http/cors.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { createLimitCheck } from './http/limit-check.ts';
import { mount, type Route } from './http/mount.ts';
import { createRequestIds } from './http/request-id.ts';
import { lintPaths } from './http/request-target.ts';
import { createIdentityCheck } from './identity/identity-check.ts';
import { createKeyRing, ensureSigningKey } from './identity/keys/key-ring.ts';
import { createRevocations } from './identity/revocations.ts';
import { sweepSessions } from './identity/sessions/session-store.ts';
import { createSiteCheck } from './identity/site-check.ts';
import { createTokenVerifier } from './identity/verify-token.ts';
import type { CredentialVerifier } from './login/credentials/credential-verifier.ts';
import { type LoginLog, noLoginLog } from './login-log/login-log.ts';
import { createOpsListener } from './ops/listener.ts';
import { createCurrentRules } from './permission/current-rules.ts';
import { lintExclusions } from './permission/exclusion-list.ts';
import { createPermissionCheck } from './permission/permission-check.ts';
import { createPipeline } from './pipeline.ts';
import { StartRefusal } from './start-refusal.ts';
import { listPendingMigrations, migrate } from './store/migrate.ts';
import { openStore, type Store } from './store/store.ts';

export interface PortcullisOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Lines that the logger could not write; for the metrics. */
  readonly countDroppedLines?: () => number;
  /** Endpoints of a business service, declared and checked just as ours are. */
  readonly routes?: readonly Route[];
  /** Another way to verify credentials than username and password. */
  readonly credentials?: CredentialVerifier;
}

export interface Portcullis {
  /** Set by the first start on an empty database; to be shown once. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  /** Resolves when it is ready, with the ports that it listens on. */
  listen(): Promise<{ port: number; opsPort: number }>;
  /** Says that it is not ready, answers on for the given time, finishes what is in flight and lets go of everything. */
  close(drainMilliseconds: number): Promise<void>;
}

const maxRenewMilliseconds = 1000;
/** A lease that misses some renewals must still outlive them. */
const renewalsPerLease = 5;
const sweepMilliseconds = 60_000;
/** How soon a connection is closed that has answered its last request after the stop. */
const closeIdleMilliseconds = 50;
/** Connections that may wait to be accepted: with Node's 511, a flood makes others try again after a second. */
const backlog = 4096;
const now = Date.now;
const monotonic = () => performance.now();

export async function createPortcullis(options: PortcullisOptions): Promise<Portcullis> {
  const { config, logger, routes = [] } = options;
  const declared = [...endpoints, ...routes.map(({ endpoint }) => endpoint)];
  refuseWhere([
    ...lintAccesses(declared),
    ...lintPaths(declared),
    ...lintExclusions(config.exclusions, declared),
    ...lintProxies(config.trustedProxies),
    ...lintOrigins(config.origins),
  ]);
  const onConnectionLost = (err: Error) => logger.warn({ err }, 'a connection to the database was lost');
  const store = openStore({ ...config.database, onConnectionLost });
  const registration = {
    id: randomUUID(),
    version: manifest.version,
    mode: config.mode,
    leaseMilliseconds: config.leaseMilliseconds,
  };
  const memberStore = openMemberStore({ url: config.database.url, onConnectionLost, registration });
  const login = composeLogin(store, config, options.credentials);
  let loginLog = noLoginLog;
  try {
    await prepareDatabase(store, config);
    loginLog = await composeLoginLog({ store, instance: registration.id, config, logger });
    // Last of what can be refused: the password is shown once.
    const firstAdministrator = await prepareFirstStart({
      store,
      hashPassword: login.hashPassword,
      randomBytes,
    });
    const connections = { store, memberStore, loginLog };
    const [service] = await Promise.all([createService(options, connections, login), login.refresh()]);
    return { firstAdministrator, ...service };
  } catch (error) {
    await loginLog.close();
    await login.close();
    await Promise.all([store.destroy(), memberStore.store.destroy()]);
    throw error;
  }
}

async function prepareDatabase(store: Store, config: Config): Promise<void> {
  if (config.migrateOnStart) await migrate(store);
  refuseWhere(lintMigrations(await listPendingMigrations(store)));
  if (!config.defaultPasswordsAllowed)
    refuseWhere(lintAdministratorPasswords(await listAdministratorsWithHash(store, publishedPasswordHashes)));
}

interface Connections {
  readonly store: Store;
  readonly memberStore: MemberStore;
  readonly loginLog: LoginLog;
}

async function createService(
  options: PortcullisOptions,
  connections: Connections,
  login: LoginParts,
): Promise<Omit<Portcullis, 'firstAdministrator'>> {
  const { config, logger, routes = [] } = options;
  const { store, memberStore, loginLog } = connections;
  const access = await startAccess(connections, config, logger);
  const { lease, member } = access;
  let isOpen = false;
  let isDraining = false;
  const app = createHttpApp({
    createRequestId: createRequestIds(randomBytes),
    reportFault: (err, requestId) => logger.error({ err, requestId }, 'a request failed'),
    isDraining: () => isDraining,
    trustedProxies: config.trustedProxies,
    origins: config.origins,
    connectionsPerNetwork: config.limit.connections,
  });
  const ours = composeRoutes({ ...options, ...access, store, loginLog, login, now });
  mount(app, [...ours, ...routes], createChecks(config, access), access.current);
  await app.ready();

  const ops = createOpsListener({
    isReady: () => isOpen && !isDraining && lease.isLive(),
    readFigures: () => ({ loginLog: loginLog.status(), droppedLines: options.countDroppedLines?.() ?? 0 }),
  });
  const reportSweep = (err: unknown) => logger.warn({ err }, 'what has expired was not swept');
  const sweep = () =>
    Promise.all([login.sweep(), login.refresh(), sweepSessions(store), sweepRevisions(store)]).catch(
      reportSweep,
    );
  const sweeper = setInterval(sweep, sweepMilliseconds);

  return {
    async listen() {
      await app.listen({ ...config.listen, backlog });
      ops.listen({ ...config.ops });
      await once(ops, 'listening');
      isOpen = true;
      return { port: portOf(app.server), opsPort: portOf(ops) };
    },
    async close(drainMilliseconds) {
      isDraining = true;
      clearInterval(sweeper);
      await sleep(drainMilliseconds);
      const closer = setInterval(() => app.server.closeIdleConnections(), closeIdleMilliseconds);
      await app.close();
      clearInterval(closer);
      await loginLog.close();
      await login.close();
      // Its row goes with its last answer: nobody waits for an instance that has ended.
      await member.leave().catch((err: unknown) => logger.warn({ err }, 'the instance is still registered'));
      await Promise.all([store.destroy(), memberStore.store.destroy()]);
      ops.close();
    },
  };
}

type AccessParts = Awaited<ReturnType<typeof startAccess>>;

/** Everything that decides a request, loaded into memory, kept up to date and held by a lease. */
async function startAccess({ store, memberStore }: Connections, config: Config, logger: Logger) {
  const keyRing = { store, sealingKeys: config.sealingKeys, dev: config.devKeys };
  await ensureSigningKey(keyRing);
  const keys = createKeyRing(keyRing);
  const revocations = createRevocations(config.maxTokenLifetimeSeconds, now);
  const roles = createRoles();
  const rules = createCurrentRules((rule, reason) =>
    logger.error({ rule, reason }, 'a stored rule is not in force'),
  );
  // The rules come first: theirs is the one step that could fail, and then nothing has changed yet.
  const follower = createFollower(memberStore.store, [rules, revocations, roles, keys], (revision) =>
    logger.error({ revision }, 'a stored change cannot be read; everything is loaded instead'),
  );
  const lease = createLease(config.leaseMilliseconds, () => ({ monotonic: monotonic(), wall: now() }));
  const member = createMember({
    transport: memberStore.transport,
    follower,
    lease,
    renewMilliseconds: Math.min(maxRenewMilliseconds, config.leaseMilliseconds / renewalsPerLease),
    random: Math.random,
    onFailure: (err) => logger.error({ err, leased: lease.isLive() }, 'cannot follow the changes of access'),
  });
  try {
    await member.join();
    await keys.getSigningKey();
  } catch (error) {
    // A row that stayed would make the next change wait for one lease.
    await member.leave().catch(() => {});
    throw error instanceof ClockWrong ? new StartRefusal([error.message]) : error;
  }
  const barrier = createBarrier({
    store: createBarrierStore(store),
    doorbell: createDoorbell(store),
    monotonic,
  });
  const current: CurrentAccess = {
    get generation() {
      return follower.generation;
    },
    isLive: lease.isLive,
  };
  return {
    keys,
    revocations,
    roles,
    rules,
    lease,
    member,
    current,
    access: createAccessWriter(store, barrier),
  };
}

function createChecks(config: Config, { keys, revocations, roles, rules, lease, current }: AccessParts) {
  const verify = createTokenVerifier({ keys, maxLifetimeSeconds: config.maxTokenLifetimeSeconds, now });
  return createPipeline({
    limit: createLimitCheck({ ...config.limit, now }),
    hold: createLeaseCheck(lease),
    identify: createIdentityCheck({ verify, keys, revocations, findRole: roles.find, changes: current, now }),
    site: createSiteCheck(config.origins),
    permit: createPermissionCheck(new Set(config.exclusions), rules),
  });
}

function refuseWhere(problems: readonly string[]): void {
  if (problems.length > 0) throw new StartRefusal(problems);
}

function lintMigrations(pending: readonly string[]): string[] {
  return pending.map((name) => `The database lacks the migration ${name}. Run \`portcullis migrate\` first.`);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
