// Part of the composition root: the routes of every room, and what each room is made of.
import { randomBytes } from 'node:crypto';
import { type Caller, endpoints, listedRulesLimit, type Route } from '@portcullis/contract';
import type { CurrentRules, Lease } from '@portcullis/gate';
import manifest from '../../package.json' with { type: 'json' };
import { createRecordChange } from '../audit/record-change.ts';
import { auditRoutes } from '../audit/routes.ts';
import { listAllRoutes } from '../catalog/catalog-store.ts';
import { compareReach } from '../catalog/compare-reach.ts';
import { matrixRoute } from '../catalog/matrix/matrix-route.ts';
import { catalogRoutes } from '../catalog/routes.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { clusterRoutes } from '../cluster/routes.ts';
import type { Config } from '../config.ts';
import { listDepartmentsInScope } from '../directory/departments/department-store.ts';
import { departmentRoutes } from '../directory/departments/routes.ts';
import { ownRoutes } from '../directory/own/routes.ts';
import { createPasswordRules } from '../directory/passwords/password-rules.ts';
import { createMayGive, mayTouchRole } from '../directory/roles/may-give.ts';
import { listEnabledRoles, listRoles } from '../directory/roles/role-store.ts';
import { roleRoutes } from '../directory/roles/routes.ts';
import { userRoutes } from '../directory/users/routes.ts';
import { createLimitCheck } from '../http/limit-check.ts';
import { openApiRoute } from '../http/open-api.ts';
import type { KeyRing } from '../identity/keys/key-ring.ts';
import { keyRoutes } from '../identity/keys/routes.ts';
import { insertRevocation } from '../identity/revocation-store.ts';
import { sessionRoutes } from '../identity/sessions/routes.ts';
import { insertSession } from '../identity/sessions/session-store.ts';
import { createTokenIssuer } from '../identity/sign-token.ts';
import { createTokenCookie } from '../login/cookie.ts';
import { loginRoutes } from '../login/routes.ts';
import type { LoginLog } from '../login-log/login-log.ts';
import { loginLogRoutes } from '../login-log/reading/routes.ts';
import { traced } from '../ops/trace.ts';
import { listPermissions } from '../permission/list-permissions.ts';
import { permissionRoutes } from '../permission/routes.ts';
import { ruleRoutes } from '../rules/routes.ts';
import { listAllRules } from '../rules/rule-store.ts';
import type { Store } from '../store/store.ts';
import { isWithin, mayDoAll } from '../values/is-within.ts';
import type { LoginParts } from './login.ts';

interface RouteParts {
  readonly config: Config;
  readonly store: Store;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly keys: KeyRing;
  readonly rules: CurrentRules;
  readonly lease: Lease;
  readonly access: AccessWriter;
  /** What a business service adds; its endpoints are routes like ours. */
  readonly routes?: readonly Route[];
  readonly now: () => number;
}

export function composeRoutes(parts: RouteParts): Route[] {
  const { config, store, login, rules, access, now } = parts;
  const declared = [...endpoints, ...(parts.routes ?? []).map(({ endpoint }) => endpoint)];
  const known = { store, endpoints: declared, exclusions: config.exclusions };
  const recordChange = createRecordChange(now);
  const written = { store, access, recordChange };
  const keyed = {
    ...written,
    sealingKey: config.masterKey.sealing,
    dev: config.devKeys,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
  };
  const passwords = {
    ...written,
    rules: createPasswordRules(config.password),
    hashPassword: login.hashPassword,
    randomBytes,
  };
  const listDepartments = (caller: Caller) => listDepartmentsInScope(store, caller);
  const mayDoAllOf = (giverKey: string, roleKey: string) => mayDoAll(rules.snapshot, giverKey, roleKey);

  return [
    ...loginRoutes(loginOptions(parts)),
    ...ownRoutes({
      ...passwords,
      listPermissions: (roleKey) => listPermissions(rules.snapshot, roleKey),
      verifyPassword: login.verifyPassword,
      clearCookie: createTokenCookie(config.cookie).clear,
    }),
    ...sessionRoutes({ ...keyed, listDepartments }),
    ...keyRoutes(keyed),
    ...userRoutes({
      ...passwords,
      listDepartments,
      mayGive: createMayGive({ store, mayDoAll: mayDoAllOf }),
      forgiveGuesses: login.throttle.forgive,
    }),
    ...roleRoutes({ ...written, mayDoAll: mayDoAllOf }),
    ...departmentRoutes({ store, recordChange }),
    ...ruleRoutes({
      ...written,
      mayTouchRole,
      mayDo: (roleKey, rule) => isWithin(rules.snapshot, roleKey, rule),
      compareRoutes: (before, after) =>
        compareReach({ ...known, routes: listAllRoutes(store), before, after, limit: listedRulesLimit }),
    }),
    ...clusterRoutes({ store }),
    ...loginLogRoutes({ store, listDepartments, now, monotonic: () => performance.now() }),
    ...catalogRoutes({
      ...known,
      recordChange,
      listRules: () => listAllRules(store),
      listEnabledRoles: () => listEnabledRoles(store),
    }),
    matrixRoute({ ...known, listRoles: (query) => listRoles(store, query) }),
    ...auditRoutes({ store, listDepartments }),
    ...permissionRoutes({ ...known, rules, listDepartments }),
    openApiRoute(declared, manifest.version),
  ];
}

function loginOptions({ config, store, login, loginLog, keys, lease, access, now }: RouteParts) {
  const { captchasPerMinute } = config.limit;
  return {
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
    revokeToken: (caller: Caller) => access.takeAway((transaction) => insertRevocation(transaction, caller)),
    record: loginLog.record,
    now,
  };
}
