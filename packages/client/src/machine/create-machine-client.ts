// API client for programs (service accounts): the calls of every client, with automatic login, token renewal and retry.
import { type Client, type ClientOptions, createClient } from '../create-client.ts';
import { createBackoff } from './backoff.ts';
import { createMachineTokens, type MachineTokensOptions } from './machine-tokens.ts';

export interface MachineOptions extends Pick<ClientOptions, 'fetch' | 'language' | 'limitSeconds'> {
  /** Scheme, host, port, and the path if the service is below one. */
  readonly baseUrl: string;
  /**
   * The key. A function is called at every login, so that a key file that is replaced while the program runs is read
   * again.
   */
  readonly key: MachineTokensOptions['key'];
  /** How long a login or a reading call is retried while no instance answers; 30 by default. */
  readonly patienceSeconds?: number | undefined;
}

export type MachineClient = Client & {
  /** A valid token for a service behind a guard: `Authorization: Bearer`. */
  token(): Promise<string>;
};

const deadReasons = new Set(['token_missing', 'token_malformed', 'token_expired', 'token_revoked']);
/** The statuses that a load balancer, or an instance that shuts down, sends temporarily. */
const temporaryStatuses = new Set([502, 503, 504]);

/**
 * Creates a client that logs in automatically, and again before the token expires. It sends a call whose token was
 * revoked meanwhile once more with a new token. It retries reading calls while no instance answers. It does not retry
 * writing calls, because the service can have executed them.
 *
 * @example
 * const client = createMachineClient({
 *   baseUrl: 'https://admin.example.com',
 *   key: async () => parseMachineKey(await readFile('/run/secrets/portcullis-key.json', 'utf8')),
 * });
 * const { data } = await client.listSessions();
 */
export function createMachineClient(options: MachineOptions): MachineClient {
  const { baseUrl, key, fetch = globalThis.fetch, patienceSeconds = 30, language, limitSeconds } = options;
  const tokens = createMachineTokens({ baseUrl, key, fetch, patienceSeconds });

  async function send(url: string, request: RequestInit, token: string): Promise<Response> {
    const headers = { ...(request.headers as Record<string, string>), authorization: `Bearer ${token}` };
    return await fetch(url, { ...request, headers });
  }

  /** `response` is undefined if the request failed without an answer. */
  async function trySend(url: string, request: RequestInit, token: string) {
    const response = await send(url, request, token).catch((error: unknown) => ({ error }));
    if ('error' in response) return { error: response.error, response: undefined };
    return { error: undefined, response };
  }

  const fetchWithToken = async (url: string, request: RequestInit): Promise<Response> => {
    const backoff = createBackoff(patienceSeconds, request.signal);
    const isReading = request.method === 'GET';
    for (let renewed = false; ; ) {
      const token = await tokens.get();
      const { response, error } = await trySend(url, request, token);
      if (response !== undefined && !renewed && isDead(response)) {
        renewed = true;
        tokens.drop(token);
        continue;
      }
      if (isReading && (response === undefined || temporaryStatuses.has(response.status))) {
        try {
          await backoff.wait(error);
          continue;
        } catch {}
      }
      if (response === undefined) throw error;
      return response;
    }
  };

  const client = createClient({
    baseUrl,
    fetch: fetchWithToken as typeof globalThis.fetch,
    tokenStore: { get: () => undefined, set() {} },
    language,
    limitSeconds,
  });
  return { ...client, token: () => tokens.get() };
}

function isDead({ headers }: Response): boolean {
  return deadReasons.has(headers.get('x-auth-reason') ?? '');
}
