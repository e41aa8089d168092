// In which slots a logout token waits: in none while the keys are fresh, and in those of known tokens where the provider signed it
// with a key that was read before.
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readLogoutToken } from '../../../../src/sign-in/providers/oidc/logout-token.ts';
import { createOidcClients, type OidcClients } from '../../../../src/sign-in/providers/oidc/oidc-client.ts';
import type { ProviderFetch } from '../../../../src/sign-in/providers/provider-fetch.ts';
import type { OpenProvider, WithinLimit } from '../../../../src/sign-in/providers/provider-kind.ts';

const issuer = 'https://sso.example.com';
const settings = { issuer, clientId: 'c', redirectUri: 'https://admin.example.com/return' };
const provider = { id: 1, key: 'p', settings, secret: undefined } as OpenProvider;

let sign: (kid: string) => Promise<string>;
let published: JWK;
beforeAll(async () => {
  const [own, other] = [await generateKeyPair('ES256'), await generateKeyPair('ES256')];
  published = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'ES256', use: 'sig' };
  let count = 0;
  sign = (kid) => {
    count += 1;
    const claims = { sub: 'mei', jti: `j${count}`, events: {} as Record<string, object> };
    claims.events['http://schemas.openid.net/event/backchannel-logout'] = {};
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid })
      .setIssuer(issuer)
      .setAudience('c')
      .setIssuedAt()
      .sign(kid === 'own' ? own.privateKey : other.privateKey);
  };
});

let clients: OidcClients;
let now = 0;
let isAway = false;
beforeEach(() => {
  now = 0;
  isAway = false;
  const fetch = Object.assign(
    async (url: string) => {
      if (isAway) throw new Error('It is away.');
      if (url.endsWith('/keys')) return Response.json({ keys: [published] });
      return Response.json({ issuer, jwks_uri: `${issuer}/keys`, token_endpoint: `${issuer}/token` });
    },
    { close: () => {} },
  ) as unknown as ProviderFetch;
  clients = createOidcClients({ fetch, now: () => now });
});

/** In which slots it waited, and whether it was believed. */
async function read(token: string): Promise<{ slots: string[]; isRead: boolean }> {
  const slots: string[] = [];
  const inSlot: WithinLimit = (isKnown, work) => {
    slots.push(isKnown ? 'known' : 'unknown');
    return work();
  };
  const isRead = await readLogoutToken(clients, provider, token, inSlot).then(
    () => true,
    () => false,
  );
  return { slots, isRead };
}

const expireKeys = () => {
  now += 300_001;
};

describe('a logout token', () => {
  it('waits in a slot of unknown tokens before any key was read', async () => {
    expect(await read(await sign('own'))).toEqual({ slots: ['unknown'], isRead: true });
  });

  it('takes no slot while the keys are fresh, whether its signature is right or wrong', async () => {
    await read(await sign('own'));
    expect(await read(await sign('own'))).toEqual({ slots: [], isRead: true });
    const [header, payload] = (await sign('own')).split('.');
    const signature = (await sign('other')).split('.')[2];
    expect(await read(`${header}.${payload}.${signature}`)).toEqual({ slots: [], isRead: false });
  });

  it('waits in a slot of unknown tokens where its key id is unknown', async () => {
    await read(await sign('own'));
    expect(await read(await sign('other'))).toEqual({ slots: ['unknown'], isRead: false });
  });

  it('waits in a slot of known tokens while the keys are read again, and only by a known key', async () => {
    await read(await sign('own'));
    expireKeys();
    expect(await read(await sign('other'))).toEqual({ slots: ['unknown'], isRead: false });
    expireKeys();
    expect(await read(await sign('own'))).toEqual({ slots: ['known'], isRead: true });
  });

  it('waits in a slot of known tokens also after the keys could not be read, and is not believed meanwhile', async () => {
    await read(await sign('own'));
    expireKeys();
    isAway = true;
    expect(await read(await sign('own'))).toEqual({ slots: ['known'], isRead: false });
    isAway = false;
    expect(await read(await sign('own'))).toEqual({ slots: ['known'], isRead: true });
  });

  it('waits in a slot of unknown tokens after a change of the settings', async () => {
    await read(await sign('own'));
    const changed = { ...provider, settings: { ...settings, scopes: ['profile'] } };
    expect(clients.knownKeys(changed)).toBeUndefined();
  });
});
