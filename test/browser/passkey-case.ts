// Passkeys with the authenticator of a real Chromium, on http://localhost in dev: what browsers really say is accepted, and
// what they would say on a false site is not. The page has nothing but `navigator.credentials`.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, ClientError, createClient } from '@portcullis/client';
import type {
  PasskeyAssertion,
  PasskeyCreation,
  PasskeyRegistration,
  PasskeyRequest,
} from '@portcullis/contract';
import type { CDPSession, Page } from 'playwright-core';
import { password } from '../rig/seed.ts';
import { type Service, startService } from '../rig/start-service.ts';
import { launchChromium } from './launch-chromium.ts';

interface Site {
  readonly origin: string;
  close(): void;
}

export async function usePasskeys(): Promise<number> {
  const [site, falseSite] = await Promise.all([serveEmptyPage(), serveEmptyPage()]);
  const browser = await launchChromium();
  const service = await startService({
    mode: 'dev',
    settings: { MFA_PASSKEY_DOMAIN: 'localhost', MFA_PASSKEY_ORIGINS: JSON.stringify([site.origin]) },
  });
  try {
    const page = await browser.newPage();
    await page.goto(site.origin);
    const cdp = await page.context().newCDPSession(page);
    return await logInAndOut({ page, cdp, service, site, falseSite });
  } finally {
    await browser.close();
    await service.stop();
    site.close();
    falseSite.close();
  }
}

interface Place {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly service: Service;
  readonly site: Site;
  readonly falseSite: Site;
}

async function logInAndOut({ page, cdp, service, site, falseSite }: Place): Promise<number> {
  const authenticatorId = await plugIn(cdp);
  const clientOf = () => createClient({ baseUrl: `http://127.0.0.1:${service.server.port}` });

  async function register(client: Client): Promise<number> {
    const { data } = await client.beginPasskey({ body: { oldPassword: password } });
    const response = await create(page, data.passkey);
    return (await client.addPasskey({ body: { response, name: 'Chromium' } })).data.id;
  }
  /** Undefined where it is refused. */
  async function logIn(asked: Partial<Asked> = {}): Promise<Client | undefined> {
    const client = clientOf();
    const { data } = await client.beginLogin({ body: {} });
    assert.ok(data.passkey !== undefined, 'there is a challenge');
    const passkey = await get(page, { ...data.passkey, ...asked });
    return await client.login({ body: { flowId: data.flowId, passkey } }).then(
      () => client,
      (error: unknown) => {
        assert.ok(error instanceof ClientError && error.reason === 'credentials_wrong', String(error));
        return undefined;
      },
    );
  }
  const isLoggedIn = async () => {
    const client = await logIn();
    assert.equal((await client?.getInfo())?.data.userName, 'carl', 'the passkey logs in without a name');
    return client as Client;
  };

  const first = clientOf();
  await first.login({ body: { username: 'carl', password } });
  const id = await register(first);
  await isLoggedIn();

  // The browser refuses what is required; a page that asks for less is refused by the service.
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await assert.rejects(logIn(), /NotAllowedError/);
  assert.equal(await logIn({ userVerification: 'discouraged' }), undefined, 'no user was verified');
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await isLoggedIn();

  // Another origin of the same domain has the passkey, and is not listed.
  await page.goto(falseSite.origin);
  assert.equal(await logIn(), undefined, 'the origin is not listed');
  // One of another domain does not even have it.
  await page.goto(falseSite.origin.replace('localhost', 'other.localhost'));
  await assert.rejects(logIn({ rpId: 'other.localhost' }), /NotAllowedError/);
  await page.goto(site.origin);
  await isLoggedIn();

  await turnBackCounter(cdp, authenticatorId);
  assert.equal(await logIn(), undefined, 'the counter goes back');
  const records = await service.database.query(
    `select before from audit_log where action = 'user.passkey_counter'`,
  );
  assert.equal(records.length, 1, 'that is recorded');

  // The authenticator gets the list of passkeys, and makes no second one for the same person.
  const proven = await registerAnew(cdp, authenticatorId, first, id, register);
  await assert.rejects(register(proven), /InvalidStateError/);
  const client = await isLoggedIn();
  const { items } = (await client.listOwnFactors()).data;
  for (const factor of items)
    await client.endOwnFactor({ params: { id: factor.id }, body: { oldPassword: password } });
  assert.equal(await logIn(), undefined, 'the passkey was removed');
  return 9;
}

/** On a fresh authenticator, once the old passkey is removed. */
async function registerAnew(
  cdp: CDPSession,
  authenticatorId: string,
  client: Client,
  id: number,
  register: (client: Client) => Promise<number>,
): Promise<Client> {
  await client.endOwnFactor({ params: { id }, body: { oldPassword: password } });
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  await register(client);
  return client;
}

/** An authenticator that lives as long as the page. */
export async function plugIn(cdp: CDPSession): Promise<string> {
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

/** As a copy of the key that was made long ago would have it. */
async function turnBackCounter(cdp: CDPSession, authenticatorId: string): Promise<void> {
  const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId });
  await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
  for (const credential of credentials) {
    assert.ok(credential.signCount > 1, 'the authenticator counts');
    await cdp.send('WebAuthn.addCredential', {
      authenticatorId,
      credential: { ...credential, signCount: 0 },
    });
  }
}

type Asked = Omit<PasskeyRequest, 'userVerification'> & { readonly userVerification: string };

async function create(page: Page, options: PasskeyCreation): Promise<PasskeyRegistration> {
  return (await page.evaluate(
    `navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}) })
       .then((made) => made.toJSON())`,
  )) as PasskeyRegistration;
}

async function get(page: Page, options: Asked): Promise<PasskeyAssertion> {
  return (await page.evaluate(
    `navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}) })
       .then((signed) => signed.toJSON())`,
  )) as PasskeyAssertion;
}

async function serveEmptyPage(): Promise<Site> {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Passkeys</title>'),
  );
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://localhost:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
