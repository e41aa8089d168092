// The other half of the composition root: which handler serves which endpoint, and with what.
import { randomBytes } from 'node:crypto';
import {
  activateKeyEndpoint,
  captchaEndpoint,
  changeRulesEndpoint,
  countLoginLogsEndpoint,
  createKeyEndpoint,
  deleteUserEndpoint,
  emergencyRetireKeyEndpoint,
  endAllSessionsEndpoint,
  endSessionEndpoint,
  endUserSessionsEndpoint,
  exportLoginLogsEndpoint,
  getInfoEndpoint,
  goAdminCaptchaEndpoint,
  jwksEndpoint,
  listInstancesEndpoint,
  listKeysEndpoint,
  listLoginLogsEndpoint,
  listRulesEndpoint,
  listSessionsEndpoint,
  loginEndpoint,
  logoutEndpoint,
  profileEndpoint,
  retireKeyEndpoint,
  setRoleDataScopeEndpoint,
  setRoleEnabledEndpoint,
  setUserEnabledEndpoint,
  setUserPasswordEndpoint,
  setUserRoleEndpoint,
  tailLoginLogsEndpoint,
  topLoginFailuresEndpoint,
} from '@portcullis/contract';
import type { AccessWriter } from './cluster/access-writer.ts';
import type { Lease } from './cluster/lease.ts';
import { createClusterRoutes } from './cluster/routes.ts';
import type { LoginParts } from './compose-login.ts';
import type { Config } from './config.ts';
import { createRoleRoutes } from './directory/role-routes.ts';
import { createDirectoryRoutes } from './directory/routes.ts';
import { createUserRoutes } from './directory/user-routes.ts';
import { createLimitCheck } from './http/limit-check.ts';
import { type Route, route } from './http/mount.ts';
import type { KeyRing } from './identity/keys/key-ring.ts';
import { createKeyRoutes } from './identity/keys/routes.ts';
import { insertRevocation } from './identity/revocation-store.ts';
import { createSessionRoutes } from './identity/sessions/routes.ts';
import { insertSession } from './identity/sessions/session-store.ts';
import { createTokenIssuer } from './identity/sign-token.ts';
import { createTokenCookie } from './login/cookie.ts';
import { createLoginRoutes } from './login/routes.ts';
import type { LoginLog } from './login-log/login-log.ts';
import { createLoginLogRoutes } from './login-log/reading/routes.ts';
import type { CurrentRules } from './permission/current-rules.ts';
import { listPermissions } from './permission/list-permissions.ts';
import { createRuleRoutes } from './rules/routes.ts';
import type { Store } from './store/store.ts';

interface Parts {
  readonly config: Config;
  readonly store: Store;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly keys: KeyRing;
  readonly rules: CurrentRules;
  readonly lease: Lease;
  readonly access: AccessWriter;
  readonly now: () => number;
}

export function composeRoutes(parts: Parts): Route[] {
  const { config, store, rules, access } = parts;
  const login = createLogin(parts);
  const own = createDirectoryRoutes({
    store,
    listPermissions: (roleKey) => listPermissions(rules.snapshot, roleKey),
  });
  const keyOptions = {
    store,
    access,
    sealingKey: config.masterKey.sealing,
    dev: config.devKeys,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
  };
  const sessions = createSessionRoutes(keyOptions);
  const signingKeys = createKeyRoutes(keyOptions);
  const users = createUserRoutes({
    access,
    hashPassword: parts.login.hashPassword,
    forgiveGuesses: parts.login.throttle.forgive,
  });
  const roles = createRoleRoutes({ access });
  const ruleRoutes = createRuleRoutes({ store, access });
  const cluster = createClusterRoutes({ store });
  const log = createLoginLogRoutes({ store, now: parts.now, monotonic: () => performance.now() });
  return [
    route(captchaEndpoint, login.fetchCaptcha),
    route(goAdminCaptchaEndpoint, login.fetchCaptcha),
    route(loginEndpoint, login.login, login.loginAnswered),
    route(logoutEndpoint, login.logout),
    route(profileEndpoint, own.profile),
    route(getInfoEndpoint, own.getInfo),
    route(listSessionsEndpoint, sessions.listSessions),
    route(endSessionEndpoint, sessions.endSession),
    route(endUserSessionsEndpoint, sessions.endUserSessions),
    route(endAllSessionsEndpoint, sessions.endAllSessions),
    route(jwksEndpoint, signingKeys.jwks),
    route(listKeysEndpoint, signingKeys.listKeys),
    route(createKeyEndpoint, signingKeys.createKey),
    route(activateKeyEndpoint, signingKeys.activateKey),
    route(retireKeyEndpoint, signingKeys.retireKey),
    route(emergencyRetireKeyEndpoint, signingKeys.emergencyRetireKey),
    route(setUserEnabledEndpoint, users.setEnabled),
    route(setUserPasswordEndpoint, users.setPassword),
    route(setUserRoleEndpoint, users.setRole),
    route(deleteUserEndpoint, users.deleteUser),
    route(setRoleEnabledEndpoint, roles.setEnabled),
    route(setRoleDataScopeEndpoint, roles.setDataScope),
    route(listRulesEndpoint, ruleRoutes.listRules),
    route(changeRulesEndpoint, ruleRoutes.changeRules),
    route(listInstancesEndpoint, cluster.listInstances),
    route(listLoginLogsEndpoint, log.list),
    route(countLoginLogsEndpoint, log.count),
    route(topLoginFailuresEndpoint, log.top),
    route(tailLoginLogsEndpoint, log.tail),
    route(exportLoginLogsEndpoint, log.export),
  ];
}

function createLogin({ config, store, login, loginLog, keys, lease, access, now }: Parts) {
  const { captchasPerMinute } = config.limit;
  return createLoginRoutes({
    ...login,
    captchaLimit: createLimitCheck({
      requestsPerSecond: captchasPerMinute / 60,
      burst: captchasPerMinute,
      now,
    }),
    issueToken: createTokenIssuer({
      keys,
      lease,
      remember: (session) => insertSession(store, session),
      isOriginKept: config.loginLogEnabled,
      lifetimeSeconds: config.tokenLifetimeSeconds,
      now,
      randomBytes,
    }),
    cookie: createTokenCookie(config.cookie),
    revokeToken: (caller) => access.takeAway((transaction) => insertRevocation(transaction, caller)),
    record: loginLog.record,
    now,
  });
}
