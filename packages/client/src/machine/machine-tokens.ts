// The tokens of a program, one after the other: each is another login, made before the last one ends, and once however many
// calls wait for it.
import { ClientError, type ClientErrorKind } from '../client-error.ts';
import { type ClientOptions, createClient } from '../create-client.ts';
import type { MachineKey } from './machine-key.ts';
import { createPatience } from './patience.ts';
import { signAssertion } from './sign-assertion.ts';

export interface MachineTokens {
  /** One that lives. Rejects with a `ClientError` where the service refuses the key, or cannot be reached for too long. */
  get(): Promise<string>;
  /** One that was refused is not given any more. */
  drop(token: string): void;
}

export interface MachineTokensOptions extends Pick<ClientOptions, 'baseUrl' | 'fetch'> {
  /** As a function it is asked for at every login: a file that is replaced while the program runs is read again. */
  readonly key: MachineKey | (() => MachineKey | Promise<MachineKey>);
  readonly patienceSeconds: number;
}

/** Of the life of a token, after which the next one is fetched. */
const renewAfter = 0.7;
/** Of the life of a token, after which a call waits for the next one. */
const waitAfter = 0.95;
/** One login does not take so long. */
const loginSeconds = 10;

/** What another instance, or the same one in a moment, may answer otherwise. */
const passing: ReadonlySet<ClientErrorKind> = new Set([
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

  async function logInPatiently(): Promise<string> {
    const patience = createPatience(patienceSeconds);
    let mayBeOld = true;
    for (;;) {
      try {
        return await logInOnce();
      } catch (error) {
        if (!(error instanceof ClientError)) throw error;
        // The key may have been replaced, or the captcha may have been lost, between one step and the next.
        const isOnceMore = error.kind === 'invalid' && mayBeOld;
        if (!passing.has(error.kind) && !isOnceMore) throw error;
        if (isOnceMore) mayBeOld = false;
        await patience.wait(error);
      }
    }
  }

  function renew(): Promise<string> {
    login ??= logInPatiently().finally(() => {
      login = undefined;
    });
    return login;
  }

  return {
    async get() {
      const now = performance.now();
      if (held === undefined || now >= held.waitAt) return await renew();
      // Whoever calls now does not wait; what fails is tried again by the next call.
      if (now >= held.renewAt) renew().catch(() => {});
      return held.token;
    },
    drop(token) {
      if (held?.token === token) held = undefined;
    },
  };
}

/** By the service's own clock at both ends: that of this machine may be wrong. */
function lifetimeOf(token: string): number {
  const [, claims = ''] = token.split('.');
  const text = atob(claims.replaceAll('-', '+').replaceAll('_', '/'));
  const { iat, exp } = JSON.parse(text) as { iat: number; exp: number };
  return (exp - iat) * 1000;
}
