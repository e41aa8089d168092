// Access token of a program: obtains it by a login, caches it, and logs in again before it expires. Calls that wait at the same
// time share one login.
import { ClientError, type ClientErrorKind } from '../client-error.ts';
import { type ClientOptions, createClient } from '../create-client.ts';
import { createBackoff } from './backoff.ts';
import type { MachineKey } from './machine-key.ts';
import { signAssertion } from './sign-assertion.ts';

export interface MachineTokens {
  /** A valid token. Rejects with a `ClientError` if the service refuses the key, or stays unavailable for too long. */
  get(): Promise<string>;
  /** Discards a token that the service has refused. */
  drop(token: string): void;
}

export interface MachineTokensOptions extends Pick<ClientOptions, 'baseUrl' | 'fetch'> {
  /**
   * The key. A function is called at every login, so that a key file that is replaced while the program runs is read
   * again.
   */
  readonly key: MachineKey | (() => MachineKey | Promise<MachineKey>);
  readonly patienceSeconds: number;
}

/** The fraction of a token's lifetime after which the next token is requested in the background. */
const renewAfter = 0.7;
/** The fraction of a token's lifetime after which calls wait for the next token. */
const waitAfter = 0.95;
/** The timeout of each call of a login. */
const loginSeconds = 10;

/** The temporary errors: a retry, or another instance, can succeed. */
const temporary: ReadonlySet<ClientErrorKind> = new Set([
  'network',
  'timed_out',
  'unavailable',
  'fault',
  'rate_limited',
  'not_understood',
]);

interface Held {
  readonly token: string;
  readonly renewAt: number;
  readonly waitAt: number;
}

export function createMachineTokens(options: MachineTokensOptions): MachineTokens {
  const { key, patienceSeconds, baseUrl, fetch } = options;
  const client = createClient({
    baseUrl,
    fetch,
    limitSeconds: loginSeconds,
    tokenStore: { get: () => undefined, set() {} },
  });
  let held: Held | undefined;
  let login: Promise<string> | undefined;

  async function logInOnce(): Promise<string> {
    const { id, data: text } = await client.captcha({ query: { for: 'key' } });
    const current = typeof key === 'function' ? await key() : key;
    const assertion = await signAssertion(current, { id, text });
    const startedAt = performance.now();
    const { token } = await client.login({ body: { uuid: id, code: text, assertion } });
    const milliseconds = lifetimeOf(token);
    held = {
      token,
      renewAt: startedAt + renewAfter * milliseconds,
      waitAt: startedAt + waitAfter * milliseconds,
    };
    return token;
  }

  async function logInWithRetry(): Promise<string> {
    const backoff = createBackoff(patienceSeconds);
    let mayBeOld = true;
    for (;;) {
      try {
        return await logInOnce();
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        // Retry once: the key can have been replaced, or the captcha lost, during the login.
        const isOnceMore = error.kind === 'invalid' && mayBeOld;
        if (!temporary.has(error.kind) && !isOnceMore) throw error;
        if (isOnceMore) mayBeOld = false;
        await backoff.wait(error);
      }
    }
  }

  function renew(): Promise<string> {
    login ??= logInWithRetry().finally(() => {
      login = undefined;
    });
    return login;
  }

  return {
    async get() {
      const now = performance.now();
      if (held === undefined || now >= held.waitAt) return await renew();
      // This call does not wait for the renewal. If the renewal fails, the next call retries it.
      if (now >= held.renewAt) renew().catch(() => {});
      return held.token;
    },
    drop(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

/** Both claims are times of the service's clock: the clock of this machine can be wrong. */
function lifetimeOf(token: string): number {
  const [, claims = ''] = token.split('.');
  const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
  const { iat, exp } = JSON.parse(text) as { iat: number; exp: number };
  return (exp - iat) * 1000;
}
