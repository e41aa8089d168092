// Part of the composition root: the routes of every room, and what each room is made of.
import { randomBytes } from 'node:crypto';
import {
  type Call,
  type Caller,
  type captchaEndpoint,
  type Endpoint,
  endpoints,
  listedRulesLimit,
  type Route,
} from '@portcullis/contract';
import type { CurrentRules, Lease } from '@portcullis/gate';
import type { Logger } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import { accessRequestRoutes } from '../access-requests/routes.ts';
import { activityRoutes } from '../activity/routes.ts';
import { createRecordChange } from '../audit/record-change.ts';
import { auditRoutes } from '../audit/routes.ts';
import { listAllRoutes } from '../catalog/catalog-store.ts';
import { compareReach } from '../catalog/compare-reach.ts';
import { matrixRoute } from '../catalog/matrix/matrix-route.ts';
import type { RuleMemory } from '../catalog/read-rules.ts';
import { catalogRoutes } from '../catalog/routes.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { clusterRoutes } from '../cluster/routes.ts';
import type { Config } from '../config.ts';
import { listDepartmentsInScope } from '../directory/departments/department-store.ts';
import { departmentRoutes } from '../directory/departments/routes.ts';
import { ownRoutes } from '../directory/own/routes.ts';
import { createPasswordRules } from '../directory/passwords/password-rules.ts';
import { createReachCheck } from '../directory/reach/reach-check.ts';
import { listRoles } from '../directory/roles/role-store.ts';
import { roleRoutes } from '../directory/roles/routes.ts';
import { countHolders } from '../directory/users/holder-count-store.ts';
import { userRoutes } from '../directory/users/routes.ts';
import { resolveUserScope } from '../directory/users/user-scope.ts';
import { findAccountOf } from '../directory/users/user-store.ts';
import { factorRoutes } from '../factors/routes.ts';
import { goAdminEndpoints } from '../go-admin/endpoints.ts';
import { listPermissionNames } from '../go-admin/menu-store.ts';
import { goAdminRoutes } from '../go-admin/routes.ts';
import { Exchange } from '../http/exchange.ts';
import { createLimitCheck } from '../http/limits/limit-check.ts';
import { openApiRoute } from '../http/open-api.ts';
import type { KeyRing } from '../identity/keys/key-ring.ts';
import { keyRoutes } from '../identity/keys/routes.ts';
import { insertRevocation } from '../identity/revocation-store.ts';
import { sessionRoutes } from '../identity/sessions/routes.ts';
import { insertSession } from '../identity/sessions/session-store.ts';
import { createTokenIssuer } from '../identity/sign-token.ts';
import { createTokenCookie } from '../login/cookie.ts';
import { loginRoutes } from '../login/routes.ts';
import { createHideName } from '../login-log/hidden-name.ts';
import type { LoginLog } from '../login-log/login-log.ts';
import { createFindLastLogin } from '../login-log/reading/last-login.ts';
import { loginLogRoutes } from '../login-log/reading/routes.ts';
import { traced } from '../ops/trace.ts';
import { listPermissions } from '../permission/list-permissions.ts';
import { permissionRoutes } from '../permission/routes.ts';
import { createCallReach } from '../rules/call-reach.ts';
import { ruleRoutes } from '../rules/routes.ts';
import type { RuleReach } from '../rules/rule-changes.ts';
import type { Store } from '../store/store.ts';
import { isWithin } from '../values/is-within.ts';
import { createTurns } from '../values/turns.ts';
import { composeFactors, type FactorParts } from './factors.ts';
import type { LoginParts } from './login.ts';

/** What somebody needs who mistypes a few times. */
const captchasOfOwner = { requestsPerSecond: 10 / 60, burst: 10 };

interface RouteParts {
  readonly config: Config;
  readonly store: Store;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly keys: KeyRing;
  readonly rules: CurrentRules;
  /** None at the command line, where nothing follows the revisions. */
  readonly memory?: RuleMemory;
  readonly lease: Lease;
  readonly access: AccessWriter;
  /** What a business service adds; its endpoints are routes like ours. */
  readonly routes?: readonly Route[];
  /** The process log; none at the command line, where nobody logs in. */
  readonly logger?: Pick<Logger, 'error'>;
  readonly now: () => number;
}

/** Every endpoint that this process serves. */
export function listDeclared({ config, routes = [] }: Pick<RouteParts, 'config' | 'routes'>): Endpoint[] {
  const compatible = config.goAdminCompatible ? goAdminEndpoints : [];
  return [...endpoints, ...compatible, ...routes.map(({ endpoint }) => endpoint)];
}

export function composeRoutes(parts: RouteParts): Route[] {
  const { config, store, login, rules, access, now } = parts;
  const declared = listDeclared(parts);
  const known = { store, endpoints: declared, exclusions: config.exclusions };
  const recordChange = createRecordChange(now);
  const monotonic = () => performance.now();
  const turns = createTurns({ monotonic });
  const reach = createReachCheck(createCallReach({ rules, turns }));
  const written = { store, access, recordChange, reach };
  const keyed = {
    ...written,
    sealingKey: config.masterKey.sealing,
    dev: config.devKeys,
    maxTokenLifetimeSeconds: config.maxTokenLifetimeSeconds,
  };
  const passwords = {
    ...written,
    rules: createPasswordRules(config.password),
    hashes: login.hashes,
    randomBytes,
  };
  const ownPassword = {
    ...passwords,
    verifyPassword: login.verifyPassword,
    clearCookie: createTokenCookie(config.cookie).clear,
  };
  const factors = composeFactors({ ...written, config, logger: parts.logger, now });
  const listDepartments = (caller: Caller) => listDepartmentsInScope(store, caller);
  const ofRules: RuleReach = {
    checkRules: (transaction, caller, roleId, changed) =>
      reach.ofRole(transaction, caller, roleId, { rules: changed }),
  };

  return [
    ...loginRoutes(loginOptions(parts, factors)),
    ...ownRoutes({
      ...ownPassword,
      listPermissions: ({ roleKey, roleId }) => {
        const permissions = listPermissions(rules.snapshot, roleKey);
        return config.goAdminCompatible && roleKey !== 'admin'
          ? listPermissionNames(store, roleId).then((names) => [...permissions, ...names])
          : permissions;
      },
    }),
    ...(config.goAdminCompatible ? goAdminRoutes(ownPassword) : []),
    ...factorRoutes({
      ...written,
      listDepartments,
      changes: factors.changes,
      passkeys: factors.passkeys,
      verifyPassword: login.verifyPassword,
      attemptOwn: login.throttle.attemptOwn,
    }),
    ...sessionRoutes({ ...keyed, listDepartments }),
    ...keyRoutes(keyed),
    ...userRoutes({
      ...passwords,
      listDepartments,
      forgiveGuesses: login.throttle.forgive,
      findLastLogin: createFindLastLogin({ store, listDepartments, now, monotonic }),
    }),
    ...roleRoutes(written),
    ...departmentRoutes(written),
    ...ruleRoutes({
      ...written,
      ...ofRules,
      turns,
      countUsers: async (caller, roleId) =>
        (await countHolders(store, await resolveUserScope(caller, listDepartments), [roleId])).users,
      compareRoutes: (before, after) =>
        compareReach({ ...known, routes: listAllRoutes(store), before, after, limit: listedRulesLimit }),
    }),
    ...accessRequestRoutes({
      ...known,
      ...ofRules,
      access,
      recordChange,
      listDepartments,
      may: {
        now: (roleKey, asked) => turns.every([asked], (rule) => isWithin(rules.snapshot, roleKey, rule)),
        forGood: (roleKey, asked) => turns.every([asked], (rule) => isWithin(rules.lasting, roleKey, rule)),
      },
      now,
    }),
    ...clusterRoutes({ store }),
    ...loginLogRoutes({
      store,
      listDepartments,
      hideNames: config.nameKeys.map(createHideName),
      now,
      monotonic,
    }),
    ...catalogRoutes({
      ...known,
      access,
      recordChange,
      memory: parts.memory,
    }),
    matrixRoute({ ...known, memory: parts.memory, listRoles: (query) => listRoles(store, query) }),
    ...auditRoutes({ store, listDepartments }),
    ...activityRoutes({ store, listDepartments, now, monotonic }),
    ...permissionRoutes({ ...known, rules, listDepartments, turns }),
    openApiRoute(declared, manifest.version),
  ];
}

function loginOptions(
  { config, store, login, loginLog, keys, lease, access, now }: RouteParts,
  factors: FactorParts,
) {
  const { captchasPerMinute } = config.limit;
  const findDevice = (call: object) =>
    call instanceof Exchange ? login.deviceCookie.read(call.headers.cookie) : undefined;
  return {
    ...login,
    methods: [login.passwordMethod, ...factors.methods].map((method) => ({
      ...method,
      verify: traced('login verify', method.verify),
    })),
    findAccount: (userId: number) => findAccountOf(store, userId),
    describeNext: factors.next.describe,
    enrol: factors.next.enrol,
    findDevice,
    captchaLimit: createLimitCheck<Call<typeof captchaEndpoint>>({
      requestsPerSecond: captchasPerMinute / 60,
      burst: captchasPerMinute,
      now,
      findOwner: (call) => findDevice(call)?.owner,
      ofOwner: captchasOfOwner,
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
    // Whoever takes access away from oneself needs none.
    revokeToken: (caller: Caller) =>
      access.takeAway({ caller, confirmedAt: 'unchecked' }, (transaction) =>
        insertRevocation(transaction, caller),
      ),
    record: loginLog.record,
    now,
  };
}
