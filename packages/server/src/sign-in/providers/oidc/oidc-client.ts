// OpenID Connect client of a provider: fetches and caches the discovery document and the keys (JWKS). Concurrent callers share
// one fetch.
import { isDeepStrictEqual } from 'node:util';
import type { OidcSettings } from '@portcullis/contract';
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, customFetch as joseFetch } from 'jose';
import type { Configuration } from 'openid-client';
import type { ProviderFetch } from '../provider-fetch.ts';
import type { OpenProvider } from '../provider-kind.ts';

type OpenId = typeof import('openid-client');

export interface OidcClient {
  /** The library, loaded at the first use: no start waits for it. */
  readonly openId: OpenId;
  readonly configuration: Configuration;
  readonly keys: RemoteKeys;
}

type RemoteKeys = ReturnType<typeof createRemoteJWKSet>;

/** The keys of the last fetch, without a request to the provider. */
export interface KnownKeys {
  readonly keys: JWTVerifyGetKey;
  /** Whether the keys need no new fetch yet. */
  readonly isFresh: boolean;
}

export interface OidcClients {
  get(provider: OpenProvider): Promise<OidcClient>;
  /** Undefined when no keys were fetched with these settings. */
  knownKeys(provider: OpenProvider): KnownKeys | undefined;
  /** Fetches again, without the cache. */
  load(provider: OpenProvider): Promise<OidcClient>;
}

interface OidcClientsOptions {
  readonly fetch: ProviderFetch;
  readonly now: () => number;
}

const keptMilliseconds = 300_000;
/** The shortest time between two fetches of keys: new keys are known within a second, and made-up key ids cause no flood of requests. */
const keyCooldownMilliseconds = 1000;
/** Asymmetric algorithms: only the provider can make such a signature. */
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
          // A failed fetch is repeated at the next use. The keys of the fetch before are kept.
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
  /** Undefined until discovery has succeeded. */
  keys: RemoteKeys | undefined;
  readonly previousKeys: RemoteKeys | undefined;
}

/** The keys of the last fetch. A client that has fetched none yet uses those of the client before it. */
function lastKeysOf({ keys, previousKeys }: Known): RemoteKeys | undefined {
  return keys?.jwks() === undefined ? previousKeys : keys;
}

function isSame(known: Known, { settings, secret }: OpenProvider): boolean {
  return known.secret === secret && isDeepStrictEqual(known.settings, settings);
}

/** Client authentication in the way that the provider supports. Without a secret, only PKCE proves that the client redeems its own code. */
function authOf(
  { None, ClientSecretBasic, ClientSecretPost }: OpenId,
  secret: string | undefined,
  { token_endpoint_auth_methods_supported: methods }: { token_endpoint_auth_methods_supported?: string[] },
) {
  if (secret === undefined) return None();
  return methods === undefined || methods.includes('client_secret_basic')
    ? ClientSecretBasic(secret)
    : ClientSecretPost(secret);
}
