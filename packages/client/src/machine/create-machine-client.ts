// The client of a program: the calls of every client, with a token that is always there.
import { type Client, type ClientOptions, createClient } from '../create-client.ts';
import { createMachineTokens, type MachineTokensOptions } from './machine-tokens.ts';
import { createPatience } from './patience.ts';

export interface MachineOptions extends Pick<ClientOptions, 'fetch' | 'language' | 'limitSeconds'> {
  /** Scheme, host and port, and a path where the service stands below one. */
  readonly baseUrl: string;
  /** As a function it is asked for at every login: a file that is replaced while the program runs is read again. */
  readonly key: MachineTokensOptions['key'];
  /** How long a login, and a call that only reads, is tried again while no instance answers; 30 unless given. */
  readonly patienceSeconds?: number | undefined;
}

export type MachineClient = Client & {
  /** A token that lives, for a service behind a guard: `Authorization: Bearer`. */
  token(): Promise<string>;
};

const deadReasons = new Set(['token_missing', 'token_malformed', 'token_expired', 'token_revoked']);
/** What a balancer, or an instance that goes, answers for a while. */
const awayStatus = new Set([502, 503, 504]);

/**
 * Logs in by itself, and again before the token ends. A call whose token was ended meanwhile is sent once more with a new
 * one. What only reads is sent again while no instance answers; what writes is not, because it may have been done.
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

  /** Undefined where nobody answered who could. */
  async function trySend(url: string, request: RequestInit, token: string) {
    const response = await send(url, request, token).catch((error: unknown) => ({ error }));
    if ('error' in response) return { error: response.error, response: undefined };
    return { error: undefined, response };
  }

  const fetchWithToken = async (url: string, request: RequestInit): Promise<Response> => {
    const patience = createPatience(patienceSeconds, request.signal);
    const isReading = request.method === 'GET';
    for (let renewed = false; ; ) {
      const token = await tokens.get();
      const { response, error } = await trySend(url, request, token);
      if (response !== undefined && !renewed && isDead(response)) {
        renewed = true;
        tokens.drop(token);
        continue;
      }
      if (isReading && (response === undefined || awayStatus.has(response.status))) {
        try {
          await patience.wait(error);
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
