// Part of the composition root: what the handlers of every room are made of.
import { randomBytes } from 'node:crypto';
import { type Caller, type Endpoint, listedRulesLimit } from '@portcullis/contract';
import type { CurrentRules, Lease } from '@portcullis/gate';
import { createRecordChange } from '../audit/record-change.ts';
import { createAuditRoutes } from '../audit/routes.ts';
import { listAllRoutes } from '../catalog/catalog-store.ts';
import { compareReach } from '../catalog/compare-reach.ts';
import { createMatrixHandler } from '../catalog/matrix/matrix-route.ts';
import { createCatalogRoutes } from '../catalog/routes.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { createClusterRoutes } from '../cluster/routes.ts';
import type { Config } from '../config.ts';
import { listDepartmentsInScope } from '../directory/departments/department-store.ts';
import { createDepartmentRoutes } from '../directory/departments/routes.ts';
import { createOwnRoutes } from '../directory/own/own-password.ts';
import { createDirectoryRoutes } from '../directory/own/routes.ts';
import { createPasswordRules } from '../directory/passwords/password-rules.ts';
import { createMayGive, mayTouchRole } from '../directory/roles/may-give.ts';
import { listEnabledRoles, listRoles } from '../directory/roles/role-store.ts';
import { createRoleRoutes } from '../directory/roles/routes.ts';
import { createUserRoutes } from '../directory/users/routes.ts';
import { createLimitCheck } from '../http/limit-check.ts';
import type { KeyRing } from '../identity/keys/key-ring.ts';
import { createKeyRoutes } from '../identity/keys/routes.ts';
import { insertRevocation } from '../identity/revocation-store.ts';
import { createSessionRoutes } from '../identity/sessions/routes.ts';
import { insertSession } from '../identity/sessions/session-store.ts';
import { createTokenIssuer } from '../identity/sign-token.ts';
import { createTokenCookie } from '../login/cookie.ts';
import { createLoginRoutes } from '../login/routes.ts';
import type { LoginLog } from '../login-log/login-log.ts';
import { createLoginLogRoutes } from '../login-log/reading/routes.ts';
import { traced } from '../ops/trace.ts';
import { listPermissions } from '../permission/list-permissions.ts';
import { createPermissionRoutes } from '../permission/routes.ts';
import { createRuleRoutes } from '../rules/routes.ts';
import { listAllRules, type RuleOfRole } from '../rules/rule-store.ts';
import type { Store } from '../store/store.ts';
import { isWithin, mayDoAll } from '../values/is-within.ts';
import type { LoginParts } from './login.ts';

export interface HandlerParts {
  readonly config: Config;
  readonly store: Store;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly keys: KeyRing;
  readonly rules: CurrentRules;
  readonly lease: Lease;
  readonly access: AccessWriter;
  /** Every endpoint that this process serves. */
  readonly endpoints: readonly Endpoint[];
  readonly now: () => number;
}

export function composeHandlers(parts: HandlerParts) {
  const { config, store, rules, access, endpoints } = parts;
  const recordChange = createRecordChange(parts.now);
  const written = { store, access, recordChange };
  const { exclusions } = config;
  const listDepartments = (caller: Caller) => listDepartmentsInScope(store, caller);
  const mayDo = {
    all: (giverKey: string, roleKey: string) => mayDoAll(rules.snapshot, giverKey, roleKey),
    rule: (roleKey: string, rule: RuleOfRole) => isWithin(rules.snapshot, roleKey, rule),
  };
  const own = createDirectoryRoutes({
    store,
    listPermissions: (roleKey) => listPermissions(rules.snapshot, roleKey),
  });
  const keyOptions = {
    ...written,
    sealingKey: config.masterKey.sealing,
    dev: config.devKeys,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
  };
  const sessions = createSessionRoutes({ ...keyOptions, listDepartments });
  const signingKeys = createKeyRoutes(keyOptions);
  const mayGive = createMayGive({ store, mayDoAll: mayDo.all });
  const passwords = {
    rules: createPasswordRules(config.password),
    hashPassword: parts.login.hashPassword,
    randomBytes,
  };
  const ownUser = createOwnRoutes({
    ...passwords,
    ...written,
    verifyPassword: parts.login.verifyPassword,
    clearCookie: createTokenCookie(config.cookie).clear,
  });
  const users = createUserRoutes({
    ...passwords,
    ...written,
    listDepartments,
    mayGive,
    forgiveGuesses: parts.login.throttle.forgive,
  });
  const roles = createRoleRoutes({ ...written, mayDoAll: mayDo.all });
  const departments = createDepartmentRoutes({ store, recordChange });
  const ruleRoutes = createRuleRoutes({
    ...written,
    mayTouchRole,
    mayDo: mayDo.rule,
    compareRoutes: (before, after) =>
      compareReach({
        routes: listAllRoutes(store),
        endpoints,
        exclusions,
        before,
        after,
        limit: listedRulesLimit,
      }),
  });
  const catalog = createCatalogRoutes({
    store,
    recordChange,
    endpoints,
    exclusions,
    listRules: () => listAllRules(store),
    listEnabledRoles: () => listEnabledRoles(store),
  });
  const matrix = createMatrixHandler({
    store,
    endpoints,
    exclusions,
    listRoles: (query) => listRoles(store, query),
  });
  const cluster = createClusterRoutes({ store });
  const audit = createAuditRoutes({ store, listDepartments });
  const permission = createPermissionRoutes({
    store,
    endpoints,
    exclusions,
    rules,
    listDepartments,
  });
  const log = createLoginLogRoutes({
    store,
    listDepartments,
    now: parts.now,
    monotonic: () => performance.now(),
  });
  return {
    login: createLogin(parts),
    own,
    ownUser,
    sessions,
    signingKeys,
    users,
    roles,
    departments,
    rules: ruleRoutes,
    catalog,
    matrix,
    cluster,
    audit,
    permission,
    log,
  };
}

function createLogin({ config, store, login, loginLog, keys, lease, access, now }: HandlerParts) {
  const { captchasPerMinute } = config.limit;
  return createLoginRoutes({
    ...login,
    captchaLimit: createLimitCheck({
      requestsPerSecond: captchasPerMinute / 60,
      burst: captchasPerMinute,
      now,
    }),
    issueToken: traced(
      'login token',
      createTokenIssuer({
        keys,
        lease,
        remember: (session) => insertSession(store, session),
        isOriginKept: config.loginLogEnabled,
        lifetimeSeconds: config.tokenLifetimeSeconds,
        now,
        randomBytes,
      }),
    ),
    cookie: createTokenCookie(config.cookie),
    revokeToken: (caller) => access.takeAway((transaction) => insertRevocation(transaction, caller)),
    record: loginLog.record,
    now,
  });
}
