// Logins of more than one step. The handle is the page's alone; here are its hash, what was proven so far, and how often one
// may still try. It opens nothing but the next step, and no check takes it for a token.
import { createHash, createHmac } from 'node:crypto';
import type { LoginMethod } from '@portcullis/contract';
import type { LoginFlowProvider, LoginFlowRow, LoginFlowStep, LoginFlowStore } from './login-flow-store.ts';

/** An attempt of which one try was taken. */
export interface LoginFlow extends LoginFlowRow {
  /** Keeps what was proven, where that is not enough yet. */
  note(
    account: { readonly userId: number; readonly epoch: number },
    method: LoginMethod,
    provider?: LoginFlowProvider,
  ): Promise<void>;
  /** Keeps what is being enrolled. */
  enrol(credentialId: number): Promise<void>;
  /** Whether it had not ended yet: of any number of callers, one ends it. */
  end(): Promise<boolean>;
}

interface Captcha {
  readonly uuid?: string | undefined;
  readonly code?: string | undefined;
}

export interface LoginFlows {
  /** With a provider, it can be gone on with by way of that one alone. */
  begin(captcha: Captcha, providerId?: number): Promise<{ handle: string; expiresAt: Date }>;
  /** Takes a try. Undefined where there is no such attempt, it began with another captcha, or it has no try left. */
  take(handle: string, captcha: Captcha, step: LoginFlowStep): Promise<LoginFlow | undefined>;
}

interface AttemptsOptions {
  readonly store: LoginFlowStore;
  readonly randomBytes: (size: number) => Buffer;
}

export function createLoginFlows({ store, randomBytes }: AttemptsOptions): LoginFlows {
  return {
    async begin(captcha, providerId) {
      const handle = randomBytes(32).toString('base64url');
      const expiresAt = await store.insert(hashOf(handle), macOf(handle, captcha), providerId);
      return { handle, expiresAt };
    },
    async take(handle, captcha, step) {
      const hash = hashOf(handle);
      const row = await store.take(hash, macOf(handle, captcha), step);
      return (
        row && {
          ...row,
          note: (account, method, provider) => store.note(hash, account, method, provider),
          enrol: (credentialId) => store.enrol(hash, credentialId),
          end: () => store.remove(hash),
        }
      );
    },
  };
}

/** Of 256 random bits: whoever reads it has no handle. */
function hashOf(handle: string): Buffer {
  return createHash('sha256').update(handle).digest();
}

/** The captcha is few letters, so that its hash would tell it; the key is in no database. */
function macOf(handle: string, { uuid = '', code = '' }: Captcha): Buffer {
  return createHmac('sha256', handle)
    .update(JSON.stringify([uuid, code.toUpperCase()]))
    .digest();
}
