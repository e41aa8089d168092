// What is known of an OpenID provider: its discovery document and its keys, fetched once and kept for a while. Two who ask at
// once wait for one answer.
import { isDeepStrictEqual } from 'node:util';
import type { OidcSettings } from '@portcullis/contract';
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, customFetch as joseFetch } from 'jose';
import type { Configuration } from 'openid-client';
import type { BoundedFetch } from '../bounded-fetch.ts';
import type { OpenProvider } from '../provider-kind.ts';

type OpenId = typeof import('openid-client');

export interface OidcClient {
  /** The library, which no start waits for. */
  readonly openId: OpenId;
  readonly configuration: Configuration;
  readonly keys: RemoteKeys;
}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/** The keys that were read last, without a request to the provider. */
export interface KnownKeys {
  readonly keys: JWTVerifyGetKey;
  /** Whether they need not be read again yet. */
  readonly isFresh: boolean;
}

export interface OidcClients {
  get(provider: OpenProvider): Promise<OidcClient>;
  /** Undefined where none were read with these settings. */
  knownKeys(provider: OpenProvider): KnownKeys | undefined;
  /** Asks anew, whatever is known. */
  load(provider: OpenProvider): Promise<OidcClient>;
}

interface OidcClientsOptions {
  readonly fetch: BoundedFetch;
  readonly now: () => number;
}

const keptMilliseconds = 300_000;
/** A provider that changed its keys is asked for them at once, and one that is sent made-up ids not all the time. */
const keyCooldownMilliseconds = 1000;
/** What a signature is made with that only the provider can make. */
export const signatures = [
  'RS256',
  'PS256',
  'ES256',
  'ES384',
  'EdDSA',
  'Ed25519',
  'RS384',
  'RS512',
  'PS384',
  'PS512',
];

export function createOidcClients({ fetch, now }: OidcClientsOptions): OidcClients {
  const known = new Map<number, Known>();

  async function load({ settings, secret }: OpenProvider): Promise<OidcClient> {
    const { issuer, clientId } = settings as OidcSettings;
    const openId = await import('openid-client');
    const ask = (url: string, asked: { method?: string; headers?: Record<string, string>; body?: unknown }) =>
      fetch(url, {
        ...asked,
        body: asked.body === undefined || asked.body === null ? undefined : String(asked.body),
      });
    const configuration = await openId.discovery(
      new URL(issuer),
      clientId,
      {},
      (server, ...rest) => authOf(openId, secret, server)(server, ...rest),
      { [openId.customFetch]: ask },
    );
    const { jwks_uri } = configuration.serverMetadata();
    if (configuration.serverMetadata().issuer !== issuer || jwks_uri === undefined)
      throw new Error(`The provider calls itself ${configuration.serverMetadata().issuer}.`);
    const keys = createRemoteJWKSet(new URL(jwks_uri), {
      cooldownDuration: keyCooldownMilliseconds,
      cacheMaxAge: keptMilliseconds,
      [joseFetch]: (url, { method, headers }) => fetch(url, { method, headers: Object.fromEntries(headers) }),
    });
    return { openId, configuration, keys };
  }

  return {
    load,
    async get(provider) {
      const before = known.get(provider.id);
      if (before !== undefined && before.until > now() && isSame(before, provider))
        return await before.client;
      const client = load(provider);
      const { settings, secret } = provider;
      const previous = before !== undefined && isSame(before, provider) ? before : undefined;
      const entry: Known = {
        settings,
        secret,
        until: now() + keptMilliseconds,
        client,
        keys: undefined,
        previousKeys: previous && lastKeysOf(previous),
      };
      known.set(provider.id, entry);
      client.then(
        ({ keys }) => {
          entry.keys = keys;
        },
        () => {
          // A read that failed is repeated at the next use. The keys of the read before are kept.
          if (known.get(provider.id) !== entry) return;
          if (previous === undefined) known.delete(provider.id);
          else known.set(provider.id, previous);
        },
      );
      return await client;
    },
    knownKeys(provider) {
      const entry = known.get(provider.id);
      const last = entry !== undefined && isSame(entry, provider) ? lastKeysOf(entry) : undefined;
      const published = last?.jwks();
      if (entry === undefined || last === undefined || published === undefined) return undefined;
      const isFresh = last === entry.keys && last.fresh && entry.until > now();
      return { keys: createLocalJWKSet(published), isFresh };
    },
  };
}

interface Known extends Pick<OpenProvider, 'settings' | 'secret'> {
  readonly until: number;
  readonly client: Promise<OidcClient>;
  /** Undefined until the client is there. */
  keys: RemoteKeys | undefined;
  readonly previousKeys: RemoteKeys | undefined;
}

/** The keys that were read. A client that has read none yet has those of the client before it. */
function lastKeysOf({ keys, previousKeys }: Known): RemoteKeys | undefined {
  return keys?.jwks() === undefined ? previousKeys : keys;
}

function isSame(known: Known, { settings, secret }: OpenProvider): boolean {
  return known.secret === secret && isDeepStrictEqual(known.settings, settings);
}

/** As the provider takes it; without a secret, PKCE alone says that who redeems is who asked. */
function authOf(
  { None, ClientSecretBasic, ClientSecretPost }: OpenId,
  secret: string | undefined,
  { token_endpoint_auth_methods_supported: ways }: { token_endpoint_auth_methods_supported?: string[] },
) {
  if (secret === undefined) return None();
  return ways === undefined || ways.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret);
}
