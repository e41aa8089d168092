// The composition root: only the files of this folder know every part. It builds the service in the order in which a start can be
// refused, so that a service that must not run binds, creates and changes nothing.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Caller, type Endpoint, type Route, routeName } from '@portcullis/contract';
import { type AccessMemory, createAccessChecks, createPipeline, type OwnChecks } from '@portcullis/gate';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import type { Wait } from '../base/jobs/jobs.ts';
import { createOpsListener } from '../base/ops/listener.ts';
import { createRequestCounts } from '../base/ops/request-counts.ts';
import { lintNetworks } from '../base/outbound/allowed-addresses.ts';
import { createHostResolver } from '../base/outbound/host-resolver.ts';
import type { Config } from '../base/settings/config.ts';
import { StartRefusal } from '../base/values/start-refusal.ts';
import { type MemberStore, openMemberStore } from '../cluster/member-store.ts';
import { lintSessions } from '../cluster/store/lint-sessions.ts';
import { listPendingMigrations, migrate } from '../cluster/store/migrate.ts';
import { openStore, type PoolSize, type Store } from '../cluster/store/store.ts';
import { type StandbyWatch, watchStandbys } from '../cluster/store/watch-standbys.ts';
import { lintProxies } from '../http/client-address.ts';
import { mountConsole, readConsoleFiles } from '../http/console.ts';
import { lintOrigins } from '../http/cors.ts';
import { createHttpApp } from '../http/create-http-app.ts';
import { lintAccesses } from '../http/declared-access.ts';
import { createCallerLimitCheck } from '../http/limits/caller-limit-check.ts';
import { createLimitCheck } from '../http/limits/limit-check.ts';
import { createUnauthenticatedLimit } from '../http/limits/unauthenticated-limit.ts';
import { lintPaths } from '../http/lint-paths.ts';
import { lintSchemas } from '../http/lint-schemas.ts';
import { mount } from '../http/mount.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createRequestIds } from '../http/request-id.ts';
import type { LoginLog } from '../logs/login-log/login-log.ts';
import { listDepartmentsInScope } from '../people/departments/data-scope-store.ts';
import {
  lintAdministratorPasswords,
  publishedPasswordHashes,
} from '../people/passwords/published-passwords.ts';
import { type FirstAdministrator, prepareFirstStart } from '../people/users/first-start.ts';
import { findUserRole, listAdministratorsWithHash } from '../people/users/user-store.ts';
import type { DeliveryWorker } from '../people/webhooks/delivery-worker.ts';
import { createResolveScope, type ResolvedScope } from '../permissions/decision-api/resolve-scope.ts';
import { lintExclusions } from '../permissions/exclusions/exclusion-list.ts';
import { addUses } from '../permissions/exclusions/exclusion-use-store.ts';
import { createExclusionUses } from '../permissions/exclusions/exclusion-uses.ts';
import type { CredentialVerifier } from '../sign-in/login/credentials/credential-verifier.ts';
import { startAccess } from './access.ts';
import { type ComposedAnchors, composeAnchors } from './anchors.ts';
import { countLogins } from './count-logins.ts';
import { composeDecision } from './decision.ts';
import { composeErasure } from './erasure.ts';
import { composeEvents } from './events.ts';
import { composeFigures } from './figures.ts';
import { startBackgroundJobs } from './jobs.ts';
import { composeLogin, type LoginParts } from './login.ts';
import { composeLoginLog } from './login-log.ts';
import { composeMail } from './mail.ts';
import { observeRoutes } from './observe-routes.ts';
import { composeRoutes, listDeclared } from './routes.ts';

export interface ComposeOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Counts the lines that the logger could not write, for the metrics. */
  readonly countDroppedLines?: () => number;
  /** Endpoints of a business service, declared and checked like ours. */
  readonly routes?: readonly Route[];
  /** Verifies credentials instead of username and password. */
  readonly credentials?: CredentialVerifier;
  /** The pauses between the passes of background jobs. */
  readonly wait?: Wait;
}

interface Ports {
  readonly port: number;
  readonly opsPort: number;
  /** 0 without a decision listener. */
  readonly decisionPort: number;
}

export interface Portcullis {
  /** Set by the first start on an empty database; must be shown once. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  /** Resolves when the service is ready, with the ports that it listens on. */
  listen(): Promise<Ports>;
  /** The current data scope of a caller, for the rows that a handler selects. */
  resolveScope(caller: Pick<Caller, 'userId'>): Promise<ResolvedScope>;
  /**
   * Graceful shutdown: reports that it is not ready, continues to answer for the given time (or the setting's), finishes the
   * requests in flight and releases everything.
   */
  close(drainMilliseconds?: number): Promise<void>;
}

/** How soon a connection is closed after its last response, once the service stops. */
const closeIdleMilliseconds = 50;
/** Connections that can wait to be accepted: with Node's 511, clients in a flood would retry after a second. */
const backlog = 4096;
const now = Date.now;
const monotonic = () => performance.now();

export async function composePortcullis(options: ComposeOptions): Promise<Portcullis> {
  const { config, routes = [] } = options;
  const added = routes.map(({ endpoint }) => endpoint);
  const declared = listDeclared(options);
  refuseWhere([
    ...lintAccesses(declared),
    ...lintPaths(declared),
    ...lintSchemas(added),
    ...lintExclusions(config.exclusions, declared),
    ...lintProxies(config.trustedProxies),
    ...lintOrigins(config.origins),
    ...lintNetworks('webhook.allowedNetworks', config.webhook.allowedNetworks),
  ]);
  // Closed in the opposite order, by `close` or by a start that fails half-way.
  const opened = new AsyncDisposableStack();
  try {
    const parts = await openParts(options, opened);
    // The last step that can refuse the start, because the password is shown once.
    const firstAdministrator = await prepareFirstStart({
      store: parts.store,
      hashPassword: parts.login.hashPassword,
      passwordDue: config.firstPasswordDue,
      randomBytes,
    });
    const [service] = await Promise.all([
      createService(options, declared, parts, opened),
      parts.login.refresh(),
    ]);
    return { firstAdministrator, ...service };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

interface Parts {
  readonly store: Store;
  readonly pool: PoolSize;
  readonly standbys: StandbyWatch;
  readonly memberStore: MemberStore;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly anchors: ComposedAnchors;
  readonly events: DeliveryWorker;
}

async function openParts(
  { config, logger, credentials }: ComposeOptions,
  opened: AsyncDisposableStack,
): Promise<Parts> {
  const onConnectionLost = (err: Error) => logger.warn({ err }, 'a connection to the database was lost');
  let pool: PoolSize = { totalCount: 0, idleCount: 0, waitingCount: 0 };
  const onPool = (made: PoolSize) => {
    pool = made;
  };
  const store = openStore({ ...config.database, onConnectionLost, onPool });
  opened.defer(() => store.destroy());
  const registration = {
    id: randomUUID(),
    version: manifest.version,
    mode: config.mode,
    leaseMilliseconds: config.leaseMilliseconds,
  };
  const memberStore = openMemberStore({ url: config.database.url, onConnectionLost, registration });
  opened.defer(() => memberStore.store.destroy());
  const login = composeLogin(store, config, credentials);
  opened.defer(login.close);
  await prepareDatabase(store, config, onConnectionLost);
  const standbys = await watchStandbys({ store, isExpected: config.standbyExpected, logger });
  // The background jobs share one DNS lookup at a time.
  const resolve = createHostResolver();
  const anchors = await composeAnchors({ store, config, logger, resolve });
  // Closed after the login log has written its last heads.
  opened.defer(anchors.close);
  const loginLog = await composeLoginLog({ store, instance: registration.id, config, logger });
  opened.defer(loginLog.close);
  const events = composeEvents({ config, instance: registration.id, logger, resolve, onConnectionLost });
  opened.defer(events.close);
  return { store, pool, standbys, memberStore, login, loginLog, anchors, events };
}

async function prepareDatabase(
  store: Store,
  config: Config,
  onConnectionLost: (cause: Error) => void,
): Promise<void> {
  refuseWhere(await lintSessions({ url: config.database.url, store }));
  if (config.migrateOnStart) await migrateDatabase(config, onConnectionLost);
  refuseWhere(lintMigrations(await listPendingMigrations(store)));
  if (!config.defaultPasswordsAllowed)
    refuseWhere(lintAdministratorPasswords(await listAdministratorsWithHash(store, publishedPasswordHashes)));
}

/** Uses a separate connection, because a migration can take longer than a statement of a request. */
async function migrateDatabase(
  { database }: Config,
  onConnectionLost: (cause: Error) => void,
): Promise<void> {
  const store = openStore({ ...database, statementTimeoutMilliseconds: 0, onConnectionLost });
  await migrate(store).finally(() => store.destroy());
}

async function createService(
  options: ComposeOptions,
  declared: readonly Endpoint[],
  parts: Parts,
  opened: AsyncDisposableStack,
): Promise<Omit<Portcullis, 'firstAdministrator'>> {
  const { config, logger, routes = [] } = options;
  const { store, pool, standbys, memberStore, login } = parts;
  const counts = createRequestCounts();
  const { decisions } = counts;
  const loginLog = countLogins(parts.loginLog, counts.logins, counts.providers);
  const access = await startAccess({ store, memberStore, config, logger, now, monotonic });
  // Its row is removed after its last answer, so that no revocation waits for an instance that has ended.
  opened.defer(() =>
    access.member.leave().catch((err: unknown) => logger.warn({ err }, 'the instance is still registered')),
  );
  let isOpen = false;
  let isDraining = false;
  const app = createHttpApp({
    createRequestId: createRequestIds(randomBytes),
    reportFault: (err, requestId) => logger.error({ err, requestId }, 'a request failed'),
    isDraining: () => isDraining,
    trustedProxies: config.trustedProxies,
    origins: config.origins,
    connectionsPerNetwork: config.limit.connectionsPerNetwork,
    permissionDeniedCode: config.permissionDeniedCode,
  });
  const composed = composeRoutes({ ...options, ...access, store, loginLog, login, now });
  const ours = observeRoutes(composed.routes, { ...counts, noteLogin: loginLog.noteLogin, monotonic });
  const exclusionUses = createExclusionUses((uses) => addUses(store, uses));
  const reportUses = (err: unknown) => logger.warn({ err }, 'the uses of exclusions are not stored');
  opened.defer(() => exclusionUses.flush().catch(reportUses));
  const checks = createChecks(config, declared, access.memory, exclusionUses.count);
  const own = createOwnChecks(config, declared, checks, login);
  mount(app, [...ours, ...routes], createPipeline(own), access.current, decisions.public.count);
  if (config.consoleEnabled) await serveConsole(app, logger);
  await app.ready();
  const decision = composeDecision({
    config,
    store,
    logger,
    checks,
    current: access.current,
    relay: access.member.relay,
    readAll: access.memory.readAll,
    onDecided: decisions.decision.count,
    onMisuse: counts.countMisuse,
    isDraining: () => isDraining,
    now,
  });
  opened.defer(async () => void (await Promise.all([closeApp(app), decision?.close()])));
  const mail = composeMail({ store, config, now });
  const jobs = startBackgroundJobs({
    ...parts,
    config,
    logger,
    wait: options.wait,
    access: access.access,
    loginLog,
    recheck: composed.recheck,
    erasure: composeErasure({ store, config, login }),
    exclusionUses,
    mail,
  });
  opened.defer(jobs.close);
  const isReady = () => isOpen && !isDraining && access.lease.isLive();
  const readFigures = composeFigures({
    build: { version: manifest.version, mode: config.mode },
    isReady,
    pool,
    standbys,
    standbyExpected: config.standbyExpected,
    access,
    login,
    loginLog,
    anchors: parts.anchors,
    events: parts.events,
    mail,
    jobs,
    counts,
    countDroppedLines: options.countDroppedLines ?? (() => 0),
  });
  const ops = createOpsListener({
    isReady,
    whyNotReady: () => (access.lease.isLive() ? undefined : access.clusterCounts.whyNoLease()),
    readFigures,
  });
  const resolveScope = createResolveScope({
    findUserRole: (id) => findUserRole(store, id),
    listDepartments: (scoped) => listDepartmentsInScope(store, scoped),
  });

  return {
    async listen() {
      await app.listen({ ...config.listen, backlog });
      ops.listen({ ...config.ops });
      await once(ops, 'listening');
      const decisionPort = (await decision?.listen(backlog)) ?? 0;
      isOpen = true;
      return { port: portOf(app.server), opsPort: portOf(ops), decisionPort };
    },
    resolveScope: ({ userId }) => resolveScope(userId),
    async close(drainMilliseconds = config.drainMilliseconds) {
      isDraining = true;
      await sleep(drainMilliseconds);
      // Closed last: probes ask it whether the process is alive.
      await opened.disposeAsync().finally(() => ops.close());
    },
  };
}

async function closeApp(app: FastifyInstance): Promise<void> {
  const closer = setInterval(() => app.server.closeIdleConnections(), closeIdleMilliseconds);
  await app.close();
  clearInterval(closer);
}

async function serveConsole(app: FastifyInstance, logger: Logger): Promise<void> {
  const document = fileURLToPath(import.meta.resolve('@portcullis/console/dist/index.html'));
  const files = await readConsoleFiles(dirname(document));
  if (files === undefined) logger.warn('the console is not built: run `npm run console` and start again');
  else mountConsole(app, files);
}

function createChecks(
  config: Config,
  declared: readonly Endpoint[],
  memory: AccessMemory,
  countExclusion: (route: string) => void,
) {
  const forDuePassword = listNamesOf(declared, ({ forDuePassword }) => forDuePassword === true);
  return createAccessChecks({ ...config, forDuePassword, memory, countExclusion, now });
}

/** The limit of a known device before the login: some requests for the page and its captchas, and a few logins. */
const requestsOfOwner = { requestsPerSecond: 2, burst: 30 };

/** The checks of requests to this service, which have rate limits that those of gateways and guards do not have. */
function createOwnChecks(
  config: Config,
  declared: readonly Endpoint[],
  checks: ReturnType<typeof createAccessChecks>,
  { deviceCookie }: LoginParts,
): OwnChecks<RequestContext> {
  const limit = createLimitCheck<RequestContext>({
    ...config.limit,
    now,
    findOwner: ({ headers }) => deviceCookie.read(headers.cookie)?.owner,
    ofOwner: requestsOfOwner,
  });
  const unauthenticatedLimit = createUnauthenticatedLimit<RequestContext>({ ...config.limit, now, limit });
  const takingAway = listNamesOf(declared, ({ takesAway }) => takesAway === true);
  return {
    ...checks,
    limit,
    identify: (context) => checks.identify(context, unauthenticatedLimit),
    limitCaller: createCallerLimitCheck({ ...config.limit, now, takingAway }),
  };
}

function listNamesOf(declared: readonly Endpoint[], isMeant: (endpoint: Endpoint) => boolean): string[] {
  return declared.filter(isMeant).map(routeName);
}

function refuseWhere(problems: readonly string[]): void {
  if (problems.length > 0) throw new StartRefusal(problems);
}

function lintMigrations(pending: readonly string[]): string[] {
  return pending.map((name) => `The database lacks the migration ${name}. Run \`portcullis migrate\`.`);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
