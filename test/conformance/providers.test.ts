// Signing in through a real OpenID provider, from adding it to ending the sessions of a leaver: the conditions of a login and the end of its session.
import { type Client, ClientError, createClient } from '@portcullis/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../rig/certificate-authority.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../rig/openid-provider.ts';
import { createProviderBrowser, type ProviderBrowser } from '../rig/provider-browser.ts';
import { password, type Username, users } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';

const authority = await createCertificateAuthority();
const service = useService({
  mode: 'prod',
  settings: { PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']", PROVIDER_CA_FILE: authority.file },
});
const redirectUri = 'https://admin.example.com/console/callback/sso';
const idOf = (username: Username) => users.findIndex((user) => user.username === username) + 1;
const provider = 'sso';

let openId: OpenIdProvider;
let admin: Client;
let providerId = 0;

beforeAll(async () => {
  const logoutUri = `http://127.0.0.1:${service().server.port}/api/v1/providers/${provider}/logout`;
  openId = await startOpenIdProvider({ authority, redirectUri, logoutUri });
  admin = await signedIn('ada');
});
afterAll(async () => {
  await openId?.stop();
  await authority[Symbol.asyncDispose]();
});

const clientOf = () => createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });
const newBrowser = () => createProviderBrowser(authority.certificate, redirectUri);

async function signedIn(username: Username): Promise<Client> {
  const client = clientOf();
  await client.login({ body: { username, password, ...(await service().solvedCaptcha()) } });
  return client;
}

/** Follows the redirect to the provider and back, and sends the provider's answer. */
async function signInAs(
  account: string,
  { browser = newBrowser(), invitation }: { browser?: ProviderBrowser; invitation?: string } = {},
): Promise<Client> {
  const client = clientOf();
  const captcha = await service().solvedCaptcha();
  const { data } = await client.beginLogin({ body: { ...captcha, provider } });
  const answer = await browser.signIn(String(data.url), account);
  const body = { flowId: data.flowId, ...captcha, provider, answer };
  await client.login({ body: { ...body, ...(invitation === undefined ? {} : { invitation }) } });
  return client;
}

async function linkAs(client: Client, account: string): Promise<number> {
  const { data } = await client.beginLink({ body: { provider, oldPassword: password } });
  const answer = await newBrowser().signIn(data.url, account);
  return (await client.addLink({ body: { flowId: data.flowId, answer } })).data.id;
}

async function failureOf(call: Promise<unknown>): Promise<ClientError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClientError)) throw new Error(`This was no refusal: ${error}`);
  return error;
}
const messageOf = async (call: Promise<unknown>) => (await failureOf(call)).msg;
const reasonOf = async (call: Promise<unknown>) => (await failureOf(call)).reason;

describe('a provider', () => {
  it('is added by a caller who can manage all users, and refused with an address without TLS [authentication-7.1]', async () => {
    const settings = { issuer: openId.issuer, clientId: openId.clientId, redirectUri, scopes: ['profile'] };
    const body = { key: provider, kind: 'oidc', name: 'Company account', settings } as const;
    const plain = { ...settings, issuer: settings.issuer.replace('https', 'http') };
    expect(await reasonOf(admin.createProvider({ body: { ...body, settings: plain } }))).toBe(
      'params_invalid',
    );
    const { data } = await admin.createProvider({ body: { ...body, secret: openId.secret } });
    providerId = data.id;
    expect((await admin.getProvider({ params: data })).data).toMatchObject({
      enabled: false,
      hasSecret: true,
    });
    expect(JSON.stringify(await admin.listProviders())).not.toContain(openId.secret);
  });

  it('is on no page and begins no login until it is enabled after its check [authentication-7.1]', async () => {
    expect((await clientOf().loginMethods()).data.providers).toEqual([]);
    const captcha = await service().solvedCaptcha();
    expect(await reasonOf(clientOf().beginLogin({ body: { ...captcha, provider } }))).toBe('params_invalid');
    const params = { id: providerId };
    const { data } = await admin.checkProvider({ params });
    expect(data, JSON.stringify(data)).toMatchObject({ ok: true });
    await admin.setProviderEnabled({ params, body: { enabled: true } });
    expect((await clientOf().loginMethods()).data).toMatchObject({
      methods: expect.arrayContaining(['oidc']),
      providers: [{ key: provider, kind: 'oidc', name: 'Company account' }],
    });
  });
});

describe('a person without a link', () => {
  it('is refused, also with the name and the address of an existing user [authentication-7.1]', async () => {
    expect(await messageOf(signInAs('carl'))).toMatch(/is not linked to an account of this service/);
    expect(await messageOf(signInAs('ada'))).toMatch(/is not linked to an account of this service/);
  });

  it('links with the password once more, and then signs in by the subject alone [authentication-7.1]', async () => {
    const carl = await signedIn('carl');
    const wrong = carl.beginLink({ body: { provider, oldPassword: 'wrong' } });
    expect(await reasonOf(wrong)).toBe('credentials_wrong');
    await linkAs(carl, 'subject-of-carl');
    const client = await signInAs('subject-of-carl');
    expect((await client.getInfo()).data.userName).toBe('carl');
    expect((await carl.listOwnLinks()).data.items).toMatchObject([{ providerKey: provider }]);
  });

  it('is linked to one user, who has one link at the provider [authentication-7.1]', async () => {
    const carl = await signedIn('carl');
    expect((await failureOf(linkAs(carl, 'another-subject'))).code).toBe(409);
    const gina = await signedIn('gina');
    expect((await failureOf(linkAs(gina, 'subject-of-carl'))).code).toBe(409);
  });

  it('signs in by an invitation once, where the provider admits invited people [authentication-7.1]', async () => {
    const params = { id: idOf('gina') };
    const invite = () => admin.inviteToLink({ params, body: { providerId } });
    expect((await failureOf(invite())).code).toBe(409);
    await admin.changeProvider({ params: { id: providerId }, body: { provisioning: 'invited' } });
    const { invitation } = (await invite()).data;
    expect(await messageOf(signInAs('subject-of-gina'))).toMatch(
      /is not linked to an account of this service/,
    );
    expect(await messageOf(signInAs('subject-of-gina', { invitation: 'AAAA-AAAA-AAAA-AAAA' }))).toMatch(
      /is not linked to an account of this service/,
    );
    const client = await signInAs('subject-of-gina', { invitation });
    expect((await client.getInfo()).data.userName).toBe('gina');
    expect(await messageOf(signInAs('subject-of-other', { invitation }))).toMatch(
      /is not linked to an account of this service/,
    );
  });

  it('is created where the provider admits everybody, with the role in its settings, and never under the name of an existing user [authentication-7.1]', async () => {
    const params = { id: providerId };
    const creating = { provisioning: 'created' } as const;
    expect(await reasonOf(admin.changeProvider({ params, body: creating }))).toBe('params_invalid');
    await admin.changeProvider({ params, body: { ...creating, roleId: 5, departmentId: 1 } });
    const client = await signInAs('ada');
    expect((await client.getInfo()).data).toMatchObject({ userName: 'ada@sso', roles: ['guest'] });
    expect((await (await signInAs('ada')).getInfo()).data.userName).toBe('ada@sso');
    await admin.changeProvider({ params, body: { provisioning: 'linked' } });
  });
});

describe('a session by a provider', () => {
  it('has the provider in the login log, with the refusals [authentication-7.1]', async () => {
    await expect
      .poll(async () => (await admin.listLoginLogs({ query: { limit: 100 } })).data.items)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ method: 'oidc', provider, reason: 'ok' }),
          expect.objectContaining({ method: 'oidc', provider, reason: 'credentials_wrong' }),
        ]),
      );
  });

  it('ends when its link ends, and a session by password stays [authentication-7.1]', async () => {
    const gina = await signedIn('gina');
    const client = await signInAs('subject-of-gina');
    const [link] = (await admin.listUserLinks({ params: { id: idOf('gina') } })).data.items;
    await admin.endUserLink({ params: { id: idOf('gina'), linkId: link?.id ?? 0 } });
    expect(await reasonOf(client.getInfo())).toBe('token_revoked');
    expect((await gina.getInfo()).data.userName).toBe('gina');
    expect(await messageOf(signInAs('subject-of-gina'))).toMatch(
      /is not linked to an account of this service/,
    );
  });

  it('ends by a logout token before the token is answered; other sessions stay [authentication-7.1]', async () => {
    const carl = await signedIn('carl');
    const first = await signInAs('subject-of-carl');
    const sid = openId.sessions.get('subject-of-carl');
    const second = await signInAs('subject-of-carl');
    expect(sid).toBeDefined();
    expect(await openId.sendLogout({ sub: 'subject-of-carl', sid })).toBe(200);
    expect(await reasonOf(first.getInfo())).toBe('token_revoked');
    expect((await second.getInfo()).data.userName).toBe('carl');
    expect((await carl.getInfo()).data.userName).toBe('carl');
  });

  it('is not ended by a used logout token or by text that is no token, and the answer has the real status [authentication-7.1]', async () => {
    await signInAs('subject-of-carl');
    const sid = openId.sessions.get('subject-of-carl');
    expect(await openId.sendLogout({ sub: 'subject-of-carl', sid })).toBe(200);
    const send = async (body: string, type = 'application/x-www-form-urlencoded') =>
      await fetch(`http://127.0.0.1:${service().server.port}/api/v1/providers/${provider}/logout`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      });
    const again = await send(`logout_token=${openId.lastLogoutToken()}`);
    expect([again.status, again.headers.get('cache-control')]).toEqual([400, 'no-store']);
    expect((await send('logout_token=a.b.c')).status).toBe(400);
    expect((await send('')).status).toBe(400);
    expect((await send('{}', 'application/json')).status).toBe(415);
  });

  it('ends when its provider is disabled, and no login begins at that provider [authentication-7.1]', async () => {
    const client = await signInAs('subject-of-carl');
    const params = { id: providerId };
    await admin.setProviderEnabled({ params, body: { enabled: false } });
    expect(await reasonOf(client.getInfo())).toBe('token_revoked');
    expect(await reasonOf(signInAs('subject-of-carl'))).toBe('params_invalid');
    await admin.setProviderEnabled({ params, body: { enabled: true } });
    expect((await (await signInAs('subject-of-carl')).getInfo()).data.userName).toBe('carl');
  });

  it('ends with the provider, and so do its links [authentication-7.1]', async () => {
    const client = await signInAs('subject-of-carl');
    await admin.deleteProvider({ params: { id: providerId } });
    expect(await reasonOf(client.getInfo())).toBe('token_revoked');
    expect((await admin.listUserLinks({ params: { id: idOf('carl') } })).data.items).toEqual([]);
  });
});
