// The composition root: the only file that knows every part. It builds the service in the order in which a start
// can be refused, so that nothing is bound, created or changed by a service that may not run.
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';
import {
  captchaEndpoint,
  endpoints,
  getInfoEndpoint,
  goAdminCaptchaEndpoint,
  loginEndpoint,
  logoutEndpoint,
  profileEndpoint,
} from '@portcullis/contract';
import type { Logger } from 'pino';
import { startFollower } from './cluster/follower.ts';
import type { Config } from './config.ts';
import { type FirstAdministrator, prepareFirstStart } from './directory/first-start.ts';
import { lintAdministratorPasswords, publishedPasswordHashes } from './directory/published-passwords.ts';
import { createRoles } from './directory/roles.ts';
import { createDirectoryRoutes } from './directory/routes.ts';
import { findAccount, listAdministratorsWithHash } from './directory/user-store.ts';
import { lintAccesses } from './http/access-guard.ts';
import { createHttpApp } from './http/create-http-app.ts';
import { createLimitCheck } from './http/limit-check.ts';
import { mount, type Route, route } from './http/mount.ts';
import { createRequestIds } from './http/request-id.ts';
import { lintPaths } from './http/request-target.ts';
import { createIdentityCheck } from './identity/identity-check.ts';
import { openKeyRing } from './identity/keys/key-ring.ts';
import { insertRevocation } from './identity/revocation-store.ts';
import { createRevocations } from './identity/revocations.ts';
import { createTokenSigner } from './identity/sign-token.ts';
import { createTokenVerifier } from './identity/verify-token.ts';
import { createCaptcha } from './login/captcha/captcha.ts';
import { type CaptchaStore, createCaptchaStore } from './login/captcha/captcha-store.ts';
import { createTokenCookie } from './login/cookie.ts';
import type { CredentialVerifier } from './login/credentials/credential-verifier.ts';
import { hashPassword } from './login/credentials/hash-password.ts';
import { createPasswordVerifier } from './login/credentials/password-verifier.ts';
import { createLoginRoutes } from './login/routes.ts';
import { createLoginLog, type LoginLog, noLoginLog } from './login-log/login-log.ts';
import { insertLoginRecords } from './login-log/login-log-store.ts';
import { createOpsListener } from './ops/listener.ts';
import { createCurrentRules } from './permission/current-rules.ts';
import { lintExclusions } from './permission/exclusion-list.ts';
import { listPermissions } from './permission/list-permissions.ts';
import { createPermissionCheck } from './permission/permission-check.ts';
import { createPipeline } from './pipeline.ts';
import { StartRefusal } from './start-refusal.ts';
import { listPendingMigrations, migrate } from './store/migrate.ts';
import { openStore, type Store } from './store/store.ts';

export interface PortcullisOptions {
  readonly config: Config;
  readonly logger: Logger;
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
  /** Finishes what is in flight, stores what is recorded, and lets go of everything. */
  close(): Promise<void>;
}

const followMilliseconds = 1000;
const sweepMilliseconds = 60_000;
/** How soon a connection is closed that has answered its last request after the stop. */
const closeIdleMilliseconds = 50;
const now = Date.now;

export async function createPortcullis(options: PortcullisOptions): Promise<Portcullis> {
  const { config, logger, routes = [] } = options;
  const declared = [...endpoints, ...routes.map(({ endpoint }) => endpoint)];
  refuseWhere([
    ...lintAccesses(declared),
    ...lintPaths(declared),
    ...lintExclusions(config.exclusions, declared),
  ]);
  const onConnectionLost = (err: Error) => logger.warn({ err }, 'a connection to the database was lost');
  const store = openStore({ ...config.database, onConnectionLost });
  try {
    const firstAdministrator = await prepareDatabase(store, config);
    return { firstAdministrator, ...(await createService(options, store)) };
  } catch (error) {
    await store.destroy();
    throw error;
  }
}

async function prepareDatabase(store: Store, config: Config): Promise<FirstAdministrator | undefined> {
  if (config.migrateOnStart) await migrate(store);
  refuseWhere(lintMigrations(await listPendingMigrations(store)));
  if (!config.defaultPasswordsAllowed)
    refuseWhere(lintAdministratorPasswords(await listAdministratorsWithHash(store, publishedPasswordHashes)));
  return await prepareFirstStart({ store, hashPassword, randomBytes });
}

async function createService(
  options: PortcullisOptions,
  store: Store,
): Promise<Omit<Portcullis, 'firstAdministrator'>> {
  const { config, logger, routes = [] } = options;
  const access = await startAccess(store, config, logger);
  const loginLog = openLoginLog(store, config, logger);
  const captchas = createCaptchaStore(store);
  const app = createHttpApp({
    createRequestId: createRequestIds(randomBytes),
    reportFault: (err, requestId) => logger.error({ err, requestId }, 'a request failed'),
  });
  const ours = createRoutes(options, store, access, loginLog, captchas);
  mount(app, [...ours, ...routes], createChecks(config, access));
  await app.ready();

  let isReady = false;
  const ops = createOpsListener(() => isReady);
  const reportSweep = (err: unknown) => logger.warn({ err }, 'expired captchas were not swept');
  const sweeper = setInterval(() => captchas.sweep().catch(reportSweep), sweepMilliseconds);

  return {
    async listen() {
      await app.listen({ ...config.listen });
      ops.listen({ ...config.ops });
      await once(ops, 'listening');
      isReady = true;
      return { port: portOf(app.server), opsPort: portOf(ops) };
    },
    async close() {
      isReady = false;
      clearInterval(sweeper);
      const closer = setInterval(() => app.server.closeIdleConnections(), closeIdleMilliseconds);
      await app.close();
      clearInterval(closer);
      access.follower.stop();
      await loginLog.close();
      await store.destroy();
      ops.close();
    },
  };
}

type AccessParts = Awaited<ReturnType<typeof startAccess>>;

/** Everything that decides a request, loaded into memory and kept up to date. */
async function startAccess(store: Store, config: Config, logger: Logger) {
  const keys = await openKeyRing({ store, sealingKey: config.masterKey.sealing, dev: config.devKeys });
  const revocations = createRevocations(config.maxTokenLifetimeSeconds);
  const roles = createRoles();
  const rules = createCurrentRules((rule, reason) =>
    logger.error({ rule, reason }, 'a stored rule is not in force'),
  );
  const follower = await startFollower({
    store,
    replicas: [revocations, roles, rules],
    intervalMilliseconds: followMilliseconds,
    onFailure: (err) => logger.error({ err }, 'cannot follow the changes of access'),
  });
  return { keys, revocations, roles, rules, follower };
}

function createChecks(config: Config, { keys, revocations, roles, rules, follower }: AccessParts) {
  const verify = createTokenVerifier({ keys, maxLifetimeSeconds: config.maxTokenLifetimeSeconds, now });
  return createPipeline({
    limit: createLimitCheck({ ...config.limit, now }),
    identify: createIdentityCheck({
      verify,
      keys,
      revocations,
      findRole: roles.find,
      changes: follower,
      now,
    }),
    permit: createPermissionCheck(new Set(config.exclusions), rules),
  });
}

function createRoutes(
  { config, credentials }: PortcullisOptions,
  store: Store,
  { keys, rules, follower }: AccessParts,
  loginLog: LoginLog,
  captchas: CaptchaStore,
): Route[] {
  const login = createLoginRoutes({
    captchaRequired: config.captchaRequired,
    captcha: createCaptcha({ store: captchas, key: config.masterKey.captcha, randomBytes }),
    credentials:
      credentials ??
      createPasswordVerifier({ findAccount: (username) => findAccount(store, username), randomBytes }),
    signToken: createTokenSigner({ keys, lifetimeSeconds: config.tokenLifetimeSeconds, now, randomBytes }),
    cookie: createTokenCookie(config.cookie),
    revokeToken: async (caller) => {
      await insertRevocation(store, caller);
      await follower.catchUp();
    },
    record: loginLog.record,
    now,
  });
  const directory = createDirectoryRoutes({
    store,
    listPermissions: (roleKey) => listPermissions(rules.snapshot, roleKey),
  });
  return [
    route(captchaEndpoint, login.fetchCaptcha),
    route(goAdminCaptchaEndpoint, login.fetchCaptcha),
    route(loginEndpoint, login.login, login.loginAnswered),
    route(logoutEndpoint, login.logout),
    route(profileEndpoint, directory.profile),
    route(getInfoEndpoint, directory.getInfo),
  ];
}

function openLoginLog(store: Store, config: Config, logger: Logger): LoginLog {
  if (!config.loginLogEnabled) return noLoginLog;
  return createLoginLog({
    insert: (records) => insertLoginRecords(store, records),
    instance: randomUUID(),
    now,
    randomBytes,
    onFailure: (err, waiting) => logger.error({ err, waiting }, 'cannot write the login log'),
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
