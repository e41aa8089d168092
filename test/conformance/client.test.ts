// The front end's client against the running service: refusals become the event that they mean, and every endpoint is
// reached by its call. packages/client/test has the answers that the service never gives.
import { type CallName, type Client, type ClientError, createClient } from '@portcullis/client';
import { dataReply, defineEndpoint } from '@portcullis/contract';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { hiddenName } from '../rig/hidden-name.ts';
import { rulesInForce } from '../rig/rules-in-force.ts';
import { password, type Username } from '../rig/seed.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { expiredClaims, signToken } from '../rig/tokens.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { modes } from './modes.ts';

const unknownRoute = defineEndpoint({
  method: 'GET',
  path: '/api/v1/refresh_token',
  access: 'public',
  title: 'Does not exist',
  reply: dataReply(Type.Null()),
});
const faultyRoute = defineEndpoint({
  method: 'POST',
  path: '/api/v1/faults',
  access: 'permission',
  title: 'Fails',
  body: Type.Unknown(),
  reply: dataReply(Type.Null()),
});

interface Page {
  readonly client: Client;
  /** The events that the application received, in order. */
  readonly events: string[];
  /** Resolves with the first response, before its body is read. */
  readonly answered: Promise<void>;
}

function openPage({ server }: Service, token?: string): Page {
  const events: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const client = createClient({
    baseUrl: `http://127.0.0.1:${server.port}`,
    onSignedOut: ({ reason }) => events.push(`signed out: ${reason}`),
    onNotAllowed: ({ reason }) => events.push(`not allowed: ${reason}`),
    fetch: async (...request) => {
      const response = await fetch(...request);
      resolve();
      return response;
    },
  });
  client.tokenStore.set(token);
  return { client, events, answered: promise };
}

const openPageOf = async (service: Service, username: Username) =>
  openPage(service, await service.tokenOf(username));

const freshToken = async (service: Service, username: Username) =>
  String((await service.logIn(username)).body.token);

function failureOf(call: Promise<unknown>): Promise<ClientError> {
  return call.then(
    () => Promise.reject(new Error('This was no failure.')),
    (error: ClientError) => error,
  );
}

const noPasskey = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'AAAA', attestationObject: 'AAAA' },
} as const;

const noProvider = {
  issuer: 'https://sso.example.com',
  clientId: 'none',
  redirectUri: 'https://admin.example.com/console/callback/none',
};

/** The answer to a role without any rule: from the right route, since an unknown route is not found. */
function callAll(client: Client): Readonly<Record<CallName, () => unknown>> {
  const params = { id: 1 };
  const kid = { params: { kid: 'none' } };
  return {
    captcha: () => client.captcha(),
    goAdminCaptcha: () => client.goAdminCaptcha(),
    jwks: () => client.jwks(),
    loginMethods: () => client.loginMethods(),
    beginLogin: () => client.beginLogin({ body: { uuid: '', code: '' } }),
    enrolAtLogin: () => client.enrolAtLogin({ body: { flowId: 'A'.repeat(43), kind: 'totp' } }),
    listOwnFactors: () => client.listOwnFactors(),
    addTotp: () => client.addTotp({ body: { oldPassword: 'wrong' } }),
    confirmTotp: () => client.confirmTotp({ params, body: { otp: '000000' } }),
    beginPasskey: () => client.beginPasskey({ body: { oldPassword: 'wrong' } }),
    addPasskey: () => client.addPasskey({ body: { response: noPasskey, name: 'Mine' } }),
    renameOwnFactor: () => client.renameOwnFactor({ params, body: { name: 'Mine' } }),
    endOwnFactor: () => client.endOwnFactor({ params, body: { oldPassword: 'wrong' } }),
    createRecoveryCodes: () => client.createRecoveryCodes({ body: { oldPassword: 'wrong' } }),
    listUserFactors: () => client.listUserFactors({ params }),
    resetUserFactors: () => client.resetUserFactors({ params }),
    getRequiredFactor: () => client.getRequiredFactor({ params, query: { requiredFactor: 2 } }),
    setRequiredFactor: () => client.setRequiredFactor({ params, body: { requiredFactor: 2 } }),
    listOwnLinks: () => client.listOwnLinks(),
    beginLink: () => client.beginLink({ body: { provider: 'none', oldPassword: 'wrong' } }),
    addLink: () => client.addLink({ body: { flowId: 'A'.repeat(43), answer: 'code=none' } }),
    addDirectoryLink: () =>
      client.addDirectoryLink({
        body: { provider: 'none', oldPassword: 'wrong', username: 'none', password: 'wrong' },
      }),
    endOwnLink: () => client.endOwnLink({ params, body: { oldPassword: 'wrong' } }),
    listUserLinks: () => client.listUserLinks({ params }),
    endUserLink: () => client.endUserLink({ params: { id: 1, linkId: 1 } }),
    inviteToLink: () => client.inviteToLink({ params, body: { providerId: 1 } }),
    withdrawInvitation: () => client.withdrawInvitation({ params: { id: 1, providerId: 1 } }),
    listProviders: () => client.listProviders(),
    getProvider: () => client.getProvider({ params }),
    createProvider: () =>
      client.createProvider({ body: { key: 'none', kind: 'oidc', name: 'None', settings: noProvider } }),
    changeProvider: () => client.changeProvider({ params, body: { name: 'Other' } }),
    checkProvider: () => client.checkProvider({ params }),
    setProviderEnabled: () => client.setProviderEnabled({ params, body: { enabled: true } }),
    recheckProvider: () => client.recheckProvider({ params }),
    deleteProvider: () => client.deleteProvider({ params }),
    listMappings: () => client.listMappings({ params }),
    planMappings: () => client.planMappings({ params, body: { roleSource: 'local', mappings: [] } }),
    applyMappings: () =>
      client.applyMappings({ params, body: { roleSource: 'local', mappings: [], digest: '0'.repeat(64) } }),
    endAtProvider: () => client.endAtProvider({ params: { key: 'none' }, body: { logout_token: 'none' } }),
    login: () => client.login({ body: { username: 'nobody', password: 'wrong' } }),
    profile: () => client.profile(),
    getInfo: () => client.getInfo(),
    listSessions: () => client.listSessions({ query: { userId: 1 } }),
    getSession: () => client.getSession({ params: { jti: 'A'.repeat(22) } }),
    endSession: () => client.endSession({ params: { jti: 'A'.repeat(22) } }),
    endUserSessions: () => client.endUserSessions({ params }),
    endAllSessions: () => client.endAllSessions(),
    listKeys: () => client.listKeys(),
    createKey: () => client.createKey(),
    activateKey: () => client.activateKey(kid),
    retireKey: () => client.retireKey(kid),
    emergencyRetireKey: () => client.emergencyRetireKey(kid),
    setOwnPassword: () =>
      client.setOwnPassword({ body: { oldPassword: 'wrong', newPassword: 'five unrelated words' } }),
    listUsers: () => client.listUsers({ query: { username: 'a' } }),
    getUser: () => client.getUser({ params }),
    createUser: () =>
      client.createUser({ body: { username: 'new', name: 'New', departmentId: 1, roleId: 1 } }),
    changeUser: () => client.changeUser({ params, body: { name: 'Other', departmentId: 1 } }),
    setUserEnabled: () => client.setUserEnabled({ params, body: { enabled: false } }),
    setUserPassword: () => client.setUserPassword({ params, body: { password } }),
    setUserRole: () => client.setUserRole({ params, body: { roleId: 1 } }),
    deleteUser: () => client.deleteUser({ params }),
    listUserKeys: () => client.listUserKeys({ params }),
    addUserKey: () =>
      client.addUserKey({
        params,
        body: { name: 'Mine', publicKey: { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) } },
      }),
    endUserKey: () => client.endUserKey({ params: { id: 1, keyId: 1 } }),
    forgotPassword: () => client.forgotPassword({ body: { mail: 'mei@example.com' } }),
    resetPassword: () =>
      client.resetPassword({ body: { code: 'A'.repeat(65), newPassword: 'five unrelated words' } }),
    createPasswordLink: () => client.createPasswordLink({ params }),
    setUserMail: () => client.setUserMail({ params, body: { mail: null } }),
    listMails: () => client.listMails(),
    retryMail: () => client.retryMail({ params: { id: '00000000-0000-4000-8000-000000000000' } }),
    listRoles: () => client.listRoles(),
    getRole: () => client.getRole({ params }),
    createRole: () => client.createRole({ body: { roleKey: 'new', name: 'New', dataScope: '5' } }),
    changeRole: () => client.changeRole({ params, body: { name: 'Other', dataScope: '5' } }),
    deleteRole: () => client.deleteRole({ params }),
    setRoleEnabled: () => client.setRoleEnabled({ params, body: { enabled: false } }),
    setRoleDataScope: () => client.setRoleDataScope({ params, body: { dataScope: '1' } }),
    listDepartments: () => client.listDepartments({ query: { parentId: 0 } }),
    getDepartment: () => client.getDepartment({ params }),
    createDepartment: () => client.createDepartment({ body: { name: 'New', parentId: null } }),
    changeDepartment: () => client.changeDepartment({ params, body: { name: 'Other', parentId: null } }),
    deleteDepartment: () => client.deleteDepartment({ params }),
    listRules: () => client.listRules({ params }),
    changeRules: () => client.changeRules({ params, body: {} }),
    compareRules: () => client.compareRules({ params, body: {} }),
    listRuleHistory: () => client.listRuleHistory({ params }),
    listTemporaryRules: () => client.listTemporaryRules({ params }),
    changeTemporaryRules: () => client.changeTemporaryRules({ params, body: {} }),
    rollbackRules: () => client.rollbackRules({ params, body: { revision: 1 } }),
    createAccessRequest: () =>
      client.createAccessRequest({
        body: { method: 'GET', path: '/api/v1/nothing', reason: 'Why not', seconds: 60 },
      }),
    listOwnAccessRequests: () => client.listOwnAccessRequests(),
    withdrawAccessRequest: () => client.withdrawAccessRequest({ params }),
    listAccessRequests: () => client.listAccessRequests(),
    decideAccessRequest: () => client.decideAccessRequest({ params, body: { decision: 'deny' } }),
    listInstances: () => client.listInstances(),
    listLoginLogs: () => client.listLoginLogs(),
    countLoginLogs: () => client.countLoginLogs(),
    topLoginFailures: () => client.topLoginFailures(),
    tailLoginLogs: () => client.tailLoginLogs().next(),
    exportLoginLogs: () => client.exportLoginLogs(),
    listRoutes: () => client.listRoutes(),
    reportRoutes: () => client.reportRoutes(),
    importRoutes: () => client.importRoutes({ params: { service: 'orders' }, body: {} }),
    deleteRoutes: () => client.deleteRoutes({ params: { service: 'orders' } }),
    listAudit: () => client.listAudit(),
    exportAudit: () => client.exportAudit(),
    eraseUser: () => client.eraseUser({ params }),
    exportUser: () => client.exportUser({ params }),
    listUserActivity: () => client.listUserActivity({ params }),
    listUserAccess: () => client.listUserAccess({ params }),
    matrix: () => client.matrix(),
    listCallers: () => client.listCallers({ query: { method: 'GET', path: '/api/v1/keys' } }),
    explain: () => client.explain({ query: { roleKey: 'guest', method: 'GET', path: '/api/v1/keys' } }),
    listExclusions: () => client.listExclusions(),
    listWebhooks: () => client.listWebhooks(),
    createWebhook: () => client.createWebhook({ body: { name: 'SIEM', url: 'https://siem.example.com' } }),
    changeWebhook: () => client.changeWebhook({ params, body: { enabled: false } }),
    endWebhook: () => client.endWebhook({ params }),
    testWebhook: () => client.testWebhook({ params }),
    listDeliveries: () => client.listDeliveries({ params }),
    replayDeliveries: () => client.replayDeliveries({ params, body: {} }),
    skipDeliveries: () => client.skipDeliveries({ params, body: { deliveryId: 1 } }),
    openApi: () => client.openApi(),
    logout: () => client.logout(),
  };
}
const served: readonly string[] = [
  'captcha',
  'goAdminCaptcha',
  'loginMethods',
  'jwks',
  'profile',
  'listOwnFactors',
  'listOwnLinks',
  'getInfo',
  'listOwnAccessRequests',
  'openApi',
  'logout',
] satisfies CallName[];
/** With a wrong password, or an unknown path: neither depends on the role. */
const invalid: readonly string[] = [
  'beginLogin',
  'login',
  'enrolAtLogin',
  'setOwnPassword',
  'addTotp',
  'endOwnFactor',
  'createRecoveryCodes',
  'beginLink',
  'addLink',
  'addDirectoryLink',
  'endOwnLink',
  'endAtProvider',
  'createAccessRequest',
  'resetPassword',
] satisfies CallName[];
/** Passkeys are off without `mfa.passkeyDomain`, and mail without `mail.host`. */
const conflicting: readonly string[] = ['beginPasskey', 'addPasskey', 'forgotPassword'] satisfies CallName[];
/** Every user manages their own requests and factors, and these examples name none of them. */
const notFound: readonly string[] = [
  'withdrawAccessRequest',
  'confirmTotp',
  'renameOwnFactor',
] satisfies CallName[];

describe.each(modes)('the client, in mode %s', (mode) => {
  const service = useService({ mode });

  it('reports a missing, an expired and an ended token as signed out [errors-2] [authentication-3]', async () => {
    const expired = signToken(expiredClaims(await service().claimsOf('carl')), await service().signingKey());
    const ended = await freshToken(service(), 'carl');
    await openPage(service(), ended).client.logout();
    for (const [token, reason] of [
      [undefined, 'token_missing'],
      ['x.y.z', 'token_malformed'],
      [expired, 'token_expired'],
      [ended, 'token_revoked'],
    ] as const) {
      const { client, events } = openPage(service(), token);
      const failure = await failureOf(client.getInfo());
      expect(failure).toMatchObject({ kind: 'signed_out', code: 401, status: 200, reason });
      expect(failure).toMatchObject({
        msg: expect.stringMatching(/\S/),
        requestId: expect.stringMatching(/\S/),
      });
      expect(events).toEqual([`signed out: ${reason}`]);
      expect(client.tokenStore.get()).toBeUndefined();
    }
  });

  it('reports a role without the permission as not allowed, and stays signed in [errors-2]', async () => {
    const { client, events } = await openPageOf(service(), 'gina');
    expect(await failureOf(client.listKeys())).toMatchObject({ kind: 'not_allowed', code: 401 });
    expect(await failureOf(client.exportLoginLogs())).toMatchObject({ kind: 'not_allowed' });
    expect(await failureOf(client.tailLoginLogs().next())).toMatchObject({ kind: 'not_allowed' });
    expect(events).toEqual(Array(3).fill('not allowed: permission_denied'));
    expect((await client.getInfo()).data.userName).toBe('gina');
  });

  it('reports a wrong password as neither signed out nor not allowed [errors-2]', async () => {
    const { client, events } = openPage(service());
    const captcha = await service().solvedCaptcha();
    const failure = await failureOf(
      client.login({ body: { username: 'carl', password: 'wrong', ...captcha } }),
    );
    expect(failure).toMatchObject({ kind: 'invalid', code: 400, reason: 'credentials_wrong' });
    expect(events).toEqual([]);
    expect(client.tokenStore.get()).toBeUndefined();
  });

  it('reports every other answer by its kind [errors-2]', async () => {
    const { client, events } = await openPageOf(service(), 'ada');
    const params = { id: 4711 };
    const calls = [
      client.listLoginLogs({ query: { ip: '10.0.0.0/33' } }),
      client.setUserRole({ params, body: { roleId: 1 } }),
      client.endUserSessions({ params: { id: '..' as unknown as number } }),
      client.call<typeof unknownRoute>(['GET', '/api/v1/refresh_token']),
      client.call<typeof faultyRoute>(['POST', '/api/v1/faults'], { body: {} }),
    ];
    const kinds = await Promise.all(calls.map(async (call) => (await failureOf(call)).kind));
    expect(kinds).toEqual(['invalid', 'not_found', 'invalid', 'not_found', 'fault']);
    expect(events).toEqual([]);
    expect((await client.listSessions()).data.items).not.toEqual([]);
  });

  it('has a call that reaches each endpoint [endpoints-login] [endpoints-getcaptcha] [endpoints-s1]', async () => {
    const { client } = openPage(service(), await freshToken(service(), 'gina'));
    for (const [name, call] of Object.entries(callAll(client))) {
      const outcome = await Promise.resolve(call()).then(
        () => 'served',
        ({ kind }: ClientError) => kind,
      );
      const missing = notFound.includes(name) ? 'not_found' : 'not_allowed';
      const refusal = conflicting.includes(name) ? 'conflict' : missing;
      const expected = served.includes(name) ? 'served' : invalid.includes(name) ? 'invalid' : refusal;
      expect([name, outcome]).toEqual([name, expected]);
    }
  });

  it('logs in, reads, changes and logs out [endpoints-login] [endpoints-s1]', async () => {
    const { client, events } = openPage(service());
    const captcha = await service().solvedCaptcha();
    const { token } = await client.login({ body: { username: 'ada', password, ...captcha } });
    expect(client.tokenStore.get()).toBe(token);
    expect((await client.profile()).data.user.username).toBe('ada');
    const rule = { method: 'GET', path: '/api/v1/keys' };
    await client.changeRules({ params: { id: 4 }, body: rulesInForce([rule]) });
    expect((await client.listRules({ params: { id: 4 } })).data.items).toContainEqual(rule);
    expect((await (await openPageOf(service(), 'bela')).client.listKeys()).data.items).not.toEqual([]);
    await client.changeRules({ params: { id: 4 }, body: { remove: [rule] } });
    await client.logout();
    expect(client.tokenStore.get()).toBeUndefined();
    expect(await failureOf(openPage(service(), token).client.getInfo())).toMatchObject({
      reason: 'token_revoked',
    });
    expect(events).toEqual([]);
  });

  it('follows the login log until the session ends, and then reports the end [events-s1] [errors-2]', async () => {
    const { client, events, answered } = openPage(service(), await freshToken(service(), 'ada'));
    // A name that no other test tries: a record of an earlier attempt can be stored only now.
    const username = 'follower';
    const tail = client.tailLoginLogs({ query: { username } });
    // After a slow read of the log, the stream says first that records can be missing.
    const nextRecord = async () => {
      for (;;) {
        const event = await tail.next();
        if (event.value?.name !== 'gap') return event;
      }
    };
    const next = nextRecord();
    await answered;
    const attempt = await service().logIn(username, 'wrong');
    expect((await next).value).toMatchObject({
      name: 'message',
      data: {
        username: hiddenName(username),
        outcome: 'failure',
        requestId: attempt.headers['x-request-id'],
      },
    });
    const cut = failureOf(nextRecord());
    await openPage(service(), client.tokenStore.get() ?? '').client.logout();
    expect(await cut).toMatchObject({ kind: 'network' });
    expect(events).toEqual([]);
    expect(await failureOf(client.tailLoginLogs().next())).toMatchObject({ kind: 'signed_out' });
    expect(events).toEqual(['signed out: token_revoked']);
  });

  it('stops following the login log when the application asks for it [events-s1]', async () => {
    const { client, answered } = await openPageOf(service(), 'ada');
    const stop = new AbortController();
    const next = client.tailLoginLogs({ signal: stop.signal }).next();
    await answered;
    stop.abort();
    expect(await failureOf(next)).toMatchObject({ kind: 'aborted' });
  });

  it('downloads the login log [events-s1]', async () => {
    const { client } = await openPageOf(service(), 'ada');
    const attempt = await service().logIn('a & b', 'wrong');
    // The log has a hash of the name, which a search by the name finds.
    const query = { username: 'a & b', from: '2026-01-01T00:00:00+01:00' };
    const download = async () => await (await client.exportLoginLogs({ query })).text();
    await eventually(download).toContain(String(attempt.headers['x-request-id']));
    const response = await client.exportLoginLogs();
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    await response.body?.cancel();
  });

  it('shows messages in the language that it asks for [unauthenticated-unauthorized-body-msg]', async () => {
    const baseUrl = `http://127.0.0.1:${service().server.port}`;
    const failure = await failureOf(createClient({ baseUrl, language: 'zh' }).getInfo());
    expect(failure.msg).toMatch(/登录/);
  });
});

it('reports a rate limit with the time to wait [errors-3]', async () => {
  const settings = { LIMIT_REQUESTS_PER_SECOND: '1', LIMIT_BURST: '5' };
  const service = await startService({ mode: 'prod', settings });
  try {
    const { client, events } = openPage(service, 'x.y.z');
    const calls = Array.from({ length: 40 }, () => failureOf(client.getInfo()));
    const limited = (await Promise.all(calls)).find(({ kind }) => kind === 'rate_limited');
    expect(limited).toMatchObject({
      code: 429,
      reason: 'rate_limited',
      retryAfterSeconds: expect.any(Number),
    });
    expect(limited?.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(events).toEqual(['signed out: token_malformed']);
  } finally {
    await service.stop();
  }
});

it('reports an unreachable service as a network failure, and keeps the user signed in [errors-2]', async () => {
  const service = await startService({ mode: 'prod' });
  try {
    const { client, events, answered } = await openPageOf(service, 'ada');
    const tail = failureOf(client.tailLoginLogs().next());
    await answered;
    await client.getInfo();
    await service.server.stop();
    expect(await tail).toMatchObject({ kind: 'network' });
    expect(await failureOf(client.getInfo())).toMatchObject({ kind: 'network' });
    expect(events).toEqual([]);
    expect(client.tokenStore.get()).toBeDefined();
  } finally {
    await service.stop();
  }
});
