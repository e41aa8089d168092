// Part of the composition root: the routes of every module, and what each module needs.
import { randomBytes } from 'node:crypto';
import {
  type Account,
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
import { traced } from '../base/ops/trace.ts';
import { createAllowedAddresses } from '../base/outbound/allowed-addresses.ts';
import { createSealedSecrets } from '../base/secrets/sealed-secrets.ts';
import type { Config } from '../base/settings/config.ts';
import { isWithin } from '../base/values/is-within.ts';
import { createYielding } from '../base/values/yielding.ts';
import type { AccessWriter } from '../cluster/access-writer.ts';
import { clusterRoutes } from '../cluster/routes.ts';
import type { Store } from '../cluster/store/store.ts';
import { createLimitCheck } from '../http/limits/limit-check.ts';
import { openApiRoute } from '../http/open-api.ts';
import { createRecordChange } from '../logs/audit/record-change.ts';
import { auditRoutes } from '../logs/audit/routes.ts';
import type { LoginLog } from '../logs/login-log/login-log.ts';
import { createPseudonymize } from '../logs/login-log/pseudonym.ts';
import { createFindLastLogin } from '../logs/login-log/reading/last-login.ts';
import { loginLogRoutes } from '../logs/login-log/reading/routes.ts';
import { activityRoutes } from '../people/activity/routes.ts';
import { listDepartmentsInScope } from '../people/departments/data-scope-store.ts';
import { departmentRoutes } from '../people/departments/routes.ts';
import { erasureRoutes } from '../people/erasure/routes.ts';
import { goAdminEndpoints } from '../people/go-admin/endpoints.ts';
import { listPermissionNames } from '../people/go-admin/menu-store.ts';
import { goAdminRoutes } from '../people/go-admin/routes.ts';
import { queueNewDeviceMail } from '../people/mail/new-device-store.ts';
import { mailRoutes } from '../people/mail/routes.ts';
import { passwordRoutes } from '../people/own/password-link-routes.ts';
import { ownRoutes } from '../people/own/routes.ts';
import { createPasswordRules } from '../people/passwords/password-rules.ts';
import { createCanManageCheck } from '../people/roles/can-manage/can-manage-check.ts';
import { adminRoleId, findRole, listRoles } from '../people/roles/role-store.ts';
import { roleRoutes } from '../people/roles/routes.ts';
import { countHolders } from '../people/users/holder-count-store.ts';
import { userRoutes } from '../people/users/routes.ts';
import { resolveUserScope } from '../people/users/user-scope.ts';
import { findAccountOf } from '../people/users/user-store.ts';
import { webhookRoutes } from '../people/webhooks/routes.ts';
import { listAllRoutes } from '../permissions/catalog/catalog-store.ts';
import { compareCallable } from '../permissions/catalog/compare-callable.ts';
import { matrixRoute } from '../permissions/catalog/matrix/matrix-route.ts';
import type { RuleMemory } from '../permissions/catalog/read-rules.ts';
import { catalogRoutes } from '../permissions/catalog/routes.ts';
import { listPermissions } from '../permissions/explain/list-permissions.ts';
import { permissionRoutes } from '../permissions/explain/routes.ts';
import { accessRequestRoutes } from '../permissions/requests/routes.ts';
import { createCoversRules } from '../permissions/rules/covers-rules.ts';
import { ruleRoutes } from '../permissions/rules/routes.ts';
import type { CanGrantRules } from '../permissions/rules/rule-changes.ts';
import type { KeyRing } from '../sign-in/keys/key-ring.ts';
import { keyRoutes } from '../sign-in/keys/routes.ts';
import { createTokenCookie } from '../sign-in/login/cookie.ts';
import type { Origin, ProvenBy } from '../sign-in/login/login-options.ts';
import { loginRoutes } from '../sign-in/login/routes.ts';
import type { Admission } from '../sign-in/login/throttle/throttle.ts';
import { listFactors } from '../sign-in/mfa/credential-store.ts';
import { factorRoutes } from '../sign-in/mfa/routes.ts';
import { mappingRoutes } from '../sign-in/providers/groups/routes.ts';
import type { Recheck } from '../sign-in/providers/ldap/recheck.ts';
import { directoryRoutes } from '../sign-in/providers/ldap/routes.ts';
import { providerRoutes } from '../sign-in/providers/routes.ts';
import { serviceAccountRoutes } from '../sign-in/service-accounts/routes.ts';
import { insertRevocation } from '../sign-in/sessions/revocation-store.ts';
import { sessionRoutes } from '../sign-in/sessions/routes.ts';
import { insertSession, type NewSession } from '../sign-in/sessions/session-store.ts';
import { createTokenIssuer } from '../sign-in/sessions/sign-token.ts';
import { composeErasure, nameSpellingsOf } from './erasure.ts';
import { composeFactors, type FactorParts } from './factors.ts';
import type { LoginParts } from './login.ts';
import { composeLinks, isMailSent } from './mail.ts';
import { composeProviders, type ProviderParts } from './providers.ts';
import { composeKeyMethods } from './service-accounts.ts';

/** Enough for a person who mistypes a few times. */
const captchasOfOwner = { requestsPerSecond: 10 / 60, burst: 10 };

interface RouteParts {
  readonly config: Config;
  readonly store: Store;
  readonly login: LoginParts;
  readonly loginLog: LoginLog;
  readonly keys: KeyRing;
  readonly rules: CurrentRules;
  /** Missing at the command line, where nothing follows the revisions. */
  readonly memory?: RuleMemory;
  readonly lease: Lease;
  readonly access: AccessWriter;
  /** Routes that a business service adds; its endpoints are declared like ours. */
  readonly routes?: readonly Route[];
  /** At the command line, which waits for an erasure: called with the number of records that each batch erased. */
  readonly onErased?: (records: number) => void;
  /** The process log; missing at the command line, where there are no logins. */
  readonly logger?: Pick<Logger, 'error' | 'warn'>;
  readonly now: () => number;
}

/** Every endpoint that this process serves. */
export function listDeclared({ config, routes = [] }: Pick<RouteParts, 'config' | 'routes'>): Endpoint[] {
  const compatible = config.goAdminCompatible ? goAdminEndpoints : [];
  return [...endpoints, ...compatible, ...routes.map(({ endpoint }) => endpoint)];
}

export function composeRoutes(parts: RouteParts): { readonly routes: Route[]; readonly recheck: Recheck } {
  const { config, store, login, rules, access, now } = parts;
  const declared = listDeclared(parts);
  const known = { store, endpoints: declared, exclusions: config.exclusions };
  const recordChange = createRecordChange(now);
  const monotonic = () => performance.now();
  const turns = createYielding({ monotonic });
  const calls = createCoversRules({ rules, turns });
  const canManage = createCanManageCheck(calls);
  const written = { store, access, recordChange, canManage };
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
  const providers = composeProviders({
    ...written,
    config,
    mayDoAll: createMayDoAll(store, calls),
    logger: parts.logger,
    now,
  });
  const links = composeLinks(config, now);
  const listDepartments = (caller: Caller) => listDepartmentsInScope(store, caller);
  const ofRules: CanGrantRules = {
    checkRules: (transaction, caller, roleId, changed) =>
      canManage.ofRole(transaction, caller, roleId, { rules: changed }),
  };

  const routes = [
    ...loginRoutes({ ...loginOptions(parts, factors, providers), isResetOffered: links.isResetOffered }),
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
    ...providerRoutes({
      ...written,
      ...providers,
      listDepartments,
      verifyPassword: login.verifyPassword,
      recordLogout: async ({ userId, ...logout }) => {
        const account = (await findAccountOf(store, userId))?.account;
        const { username, roleKey } = account ?? {};
        const attempt = { ...logout, userId, username, roleKey, jti: undefined, method: 'oidc' as const };
        await parts.loginLog.record({ ...attempt, outcome: 'success', reason: 'logout' });
      },
    }),
    ...mappingRoutes(providers),
    ...directoryRoutes({
      ...providers,
      verifyPassword: login.verifyPassword,
      attemptByCaller: login.throttle.attemptByCaller,
      attemptKeyOf: login.attemptKeyOf,
    }),
    ...sessionRoutes({ ...keyed, listDepartments }),
    ...keyRoutes(keyed),
    ...userRoutes({
      ...passwords,
      links,
      listDepartments,
      forgiveGuesses: login.throttle.forgive,
      findLastLogin: createFindLastLogin({ store, listDepartments, now, monotonic }),
    }),
    ...serviceAccountRoutes({ ...written, listDepartments, audience: config.serviceAccount.audience }),
    ...passwordRoutes({
      ...passwords,
      links,
      listDepartments,
      checkCaptcha: login.checkCaptcha,
      forgiveGuesses: login.throttle.forgive,
      hasFactor: async (userId) => (await listFactors(store, userId)).length > 0,
      countKey: config.masterKey.throttle,
      caps: config.mail,
    }),
    ...mailRoutes({ ...written, listDepartments }),
    ...roleRoutes(written),
    ...departmentRoutes(written),
    ...ruleRoutes({
      ...written,
      ...ofRules,
      turns,
      countUsers: async (caller, roleId) =>
        (await countHolders(store, await resolveUserScope(caller, listDepartments), [roleId])).users,
      compareRoutes: (before, after) =>
        compareCallable({ ...known, routes: listAllRoutes(store), before, after, limit: listedRulesLimit }),
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
      hideNames: config.nameKeys.map(createPseudonymize),
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
    ...erasureRoutes({
      ...written,
      listDepartments,
      keys: config.chainKeys,
      namesOf: nameSpellingsOf(config),
      work: composeErasure({ store, config, login }),
      onErased: parts.onErased,
      now,
      monotonic,
    }),
    ...permissionRoutes({ ...known, rules, listDepartments, turns }),
    ...webhookRoutes({
      ...written,
      secrets: createSealedSecrets('webhook', config.sealingKeys),
      addresses: createAllowedAddresses(config.webhook),
      loginEvents: config.loginLogEnabled,
      randomBytes,
    }),
    openApiRoute(declared, manifest.version),
  ];
  return { routes, recheck: providers.recheck };
}

/** Role `admin` includes every other role, and no other role includes `admin`. */
function createMayDoAll(store: Store, { mayDoAll }: ReturnType<typeof createCoversRules>) {
  return async (roleId: number, otherId: number): Promise<boolean> => {
    if (roleId === adminRoleId || roleId === otherId) return true;
    const role = otherId === adminRoleId ? undefined : await findRole(store, roleId);
    if (role === undefined) return false;
    return await store.transaction().execute((transaction) => mayDoAll(transaction, role.roleKey, otherId));
  };
}

function loginOptions(
  { config, store, login, loginLog, keys, lease, access, now }: RouteParts,
  factors: FactorParts,
  providers: ProviderParts,
) {
  const { captchasPerMinute } = config.limit;
  const createIssuer = (remember: (session: NewSession, admitted?: Admission) => Promise<void>) =>
    createTokenIssuer({
      keys,
      lease,
      remember,
      isOriginKept: config.loginLogEnabled,
      lifetimeSeconds: config.tokenLifetimeSeconds,
      now,
      randomBytes,
    });
  const issueQuietly = createIssuer((session, admitted) => insertSession(store, session, admitted));
  const issueAndTell = createIssuer((session) =>
    queueNewDeviceMail(store, session, (transaction) => insertSession(transaction, session)),
  );
  const issuerFor = (account: Account, { device }: Origin) =>
    !isMailSent(config) || login.deviceCookie.isOf(device, account.username) ? issueQuietly : issueAndTell;
  return {
    ...login,
    redirectFlow: providers.redirectFlow,
    directory: providers.directory,
    listProviders: providers.listButtons,
    methods: [
      login.passwordMethod,
      ...factors.methods,
      ...providers.methods,
      ...composeKeyMethods({ store, config, now }),
    ].map((method) => ({ ...method, verify: traced('login verify', method.verify) })),
    findAccount: (userId: number) => findAccountOf(store, userId),
    describeNext: factors.next.describe,
    enrol: factors.next.enrol,
    captchaLimit: createLimitCheck<Call<typeof captchaEndpoint>>({
      requestsPerSecond: captchasPerMinute / 60,
      burst: captchasPerMinute,
      now,
      findOwner: (call) => login.findDevice(call)?.owner,
      ofOwner: captchasOfOwner,
    }),
    textCaptchaLimit: createLimitCheck<Call<typeof captchaEndpoint>>({
      requestsPerSecond: captchasPerMinute / 60,
      burst: captchasPerMinute,
      now,
    }),
    issueToken: traced(
      'login token',
      async (account: Account, origin: Origin, proof: ProvenBy, admitted?: Admission) => {
        const lifetimeSeconds = proof.provider
          ? await providers.findLifetime(proof.provider.providerId)
          : proof.lifetimeSeconds;
        return await issuerFor(account, origin)(account, origin, { ...proof, lifetimeSeconds }, admitted);
      },
    ),
    cookie: createTokenCookie(config.cookie),
    // A caller who gives up their own access needs no recheck.
    revokeToken: (caller: Caller) =>
      access.takeAway({ caller, confirmedAt: 'unchecked' }, (transaction) =>
        insertRevocation(transaction, caller),
      ),
    record: loginLog.record,
    now,
  };
}
