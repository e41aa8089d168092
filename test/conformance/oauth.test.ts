// Signing in through a real OAuth 2 server, npm `oidc-provider`, by its three addresses alone: the test uses none of its OpenID
// features.
import { type Client, ClientError, createClient } from '@portcullis/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCertificateAuthority } from '../rig/certificate-authority.ts';
import { type OpenIdProvider, startOpenIdProvider } from '../rig/openid-provider.ts';
import { createProviderBrowser } from '../rig/provider-browser.ts';
import { password } from '../rig/seed.ts';
import { useService } from '../rig/use-service.ts';

const authority = await createCertificateAuthority();
const service = useService({
  mode: 'prod',
  settings: { PROVIDER_ALLOWED_NETWORKS: "['127.0.0.0/8', '::1']", PROVIDER_CA_FILE: authority.file },
});
const provider = 'plain';
const redirectUri = `https://admin.example.com/console/callback/${provider}`;

let server: OpenIdProvider;
let admin: Client;
let providerId = 0;

beforeAll(async () => {
  server = await startOpenIdProvider({ authority, redirectUri, logoutUri: 'https://unused.example.com/' });
  admin = await signedIn('ada');
});
afterAll(async () => {
  await server?.stop();
  await authority[Symbol.asyncDispose]();
});

const clientOf = () => createClient({ baseUrl: `http://127.0.0.1:${service().server.port}` });

async function signedIn(username: string): Promise<Client> {
  const client = clientOf();
  await client.login({ body: { username, password, ...(await service().solvedCaptcha()) } });
  return client;
}

const signInAtProvider = (url: string, account: string) =>
  createProviderBrowser(authority.certificate, redirectUri).signIn(url, account);

async function signInAs(account: string, change = (answer: string) => answer): Promise<Client> {
  const client = clientOf();
  const captcha = await service().solvedCaptcha();
  const { data } = await client.beginLogin({ body: { ...captcha, provider } });
  const answer = change(await signInAtProvider(String(data.url), account));
  await client.login({ body: { flowId: data.flowId, ...captcha, provider, answer } });
  return client;
}

async function messageOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ClientError)) throw new Error(`This was no refusal: ${error}`);
  return String(error.msg);
}

describe('a provider that speaks OAuth 2', () => {
  it('is added by its addresses and the path of the subject, and enabled by its check [authentication-7.1]', async () => {
    const settings = {
      authorizationUrl: `${server.issuer}/auth`,
      tokenUrl: `${server.issuer}/token`,
      userInfoUrl: `${server.issuer}/me`,
      scopes: ['openid', 'profile'],
      clientId: server.clientId,
      redirectUri,
      namePath: '/preferred_username',
    };
    const body = { key: provider, kind: 'oauth', name: 'Plain', secret: server.secret } as const;
    expect(await messageOf(admin.createProvider({ body: { ...body, settings } }))).toMatch(
      /field of the subject/,
    );
    const { data } = await admin.createProvider({
      body: { ...body, settings: { ...settings, subjectPath: '/sub' } },
    });
    providerId = data.id;
    const params = { id: providerId };
    const checked = (await admin.checkProvider({ params })).data;
    expect(checked, JSON.stringify(checked)).toMatchObject({ ok: true });
    expect(JSON.stringify(checked)).toMatch(/first sign-in[\s\S]*never says that a person left/);
    await admin.setProviderEnabled({ params, body: { enabled: true } });
    expect((await clientOf().loginMethods()).data.providers).toEqual([
      { key: provider, kind: 'oauth', name: 'Plain' },
    ]);
  });

  it('lets only linked people in, by the subject that the provider returns [authentication-7.1]', async () => {
    expect(await messageOf(signInAs('carl'))).toMatch(/is not linked to an account of this service/);
    const carl = await signedIn('carl');
    const { data } = await carl.beginLink({ body: { provider, oldPassword: password } });
    const answer = await signInAtProvider(data.url, 'subject-of-carl');
    await carl.addLink({ body: { flowId: data.flowId, answer } });
    expect((await (await signInAs('subject-of-carl')).getInfo()).data.userName).toBe('carl');
    expect((await carl.listOwnLinks()).data.items).toMatchObject([
      { providerKey: provider, name: 'subject-of-carl' },
    ]);
    expect(await messageOf(signInAs('subject-of-gina'))).toMatch(
      /is not linked to an account of this service/,
    );
  });

  it('rejects another code, another state, and the same code a second time [authentication-7.1]', async () => {
    const other = (name: string) => (answer: string) => {
      const query = new URLSearchParams(answer);
      query.set(name, 'another');
      return query.toString();
    };
    for (const name of ['code', 'state'])
      expect(await messageOf(signInAs('subject-of-carl', other(name)))).not.toMatch(
        /is not linked to an account of this service/,
      );
    let used = '';
    await signInAs('subject-of-carl', (answer) => {
      used = new URLSearchParams(answer).get('code') ?? '';
      return answer;
    });
    const again = (answer: string) => {
      const query = new URLSearchParams(answer);
      query.set('code', used);
      return query.toString();
    };
    expect(await messageOf(signInAs('subject-of-carl', again))).not.toMatch(
      /is not linked to an account of this service/,
    );
    expect((await (await signInAs('subject-of-carl')).getInfo()).data.userName).toBe('carl');
  });

  it('has its kind in the login log, and its sessions end with the link [authentication-7.1]', async () => {
    const client = await signInAs('subject-of-carl');
    await expect
      .poll(async () => (await admin.listLoginLogs({ query: { limit: 100 } })).data.items)
      .toEqual(
        expect.arrayContaining([
          expect.objectContaining({ method: 'oauth', provider, reason: 'ok' }),
          expect.objectContaining({ method: 'oauth', provider, reason: 'credentials_wrong' }),
        ]),
      );
    const carl = await signedIn('carl');
    const [link] = (await carl.listOwnLinks()).data.items;
    await carl.endOwnLink({ params: { id: link?.id ?? 0 }, body: { oldPassword: password } });
    expect(await messageOf(client.getInfo())).toBeDefined();
    expect(await messageOf(signInAs('subject-of-carl'))).toMatch(
      /is not linked to an account of this service/,
    );
  });
});
