// Login flows: logins of more than one step (multi-factor login, passkeys, providers). Only the page has the handle. The
// database keeps its hash, the passed steps and the tries left. The handle opens the next step only: no check takes it as a token.
import { createHash, createHmac } from 'node:crypto';
import type { LoginMethod } from '@portcullis/contract';
import type { LoginFlowProvider, LoginFlowRow, LoginFlowStep, LoginFlowStore } from './login-flow-store.ts';

/** A login flow of which this request has taken one try. */
export interface LoginFlow extends LoginFlowRow {
  /** Records the passed step, if the proof is not enough yet. */
  note(
    account: { readonly userId: number; readonly epoch: number },
    method: LoginMethod,
    provider?: LoginFlowProvider,
  ): Promise<void>;
  /** Records the factor that is being enrolled. */
  enrol(credentialId: number): Promise<void>;
  /** Whether the flow had not ended yet. If several callers end it, exactly one gets true. */
  end(): Promise<boolean>;
}

interface Captcha {
  readonly uuid?: string | undefined;
  readonly code?: string | undefined;
}

export interface LoginFlows {
  /** With a provider, only that provider can continue the flow. */
  begin(captcha: Captcha, providerId?: number): Promise<{ handle: string; expiresAt: Date }>;
  /** Takes a try. Undefined if the flow does not exist, has expired, began with another captcha or has no try left. */
  take(handle: string, captcha: Captcha, step: LoginFlowStep): Promise<LoginFlow | undefined>;
}

interface LoginFlowsOptions {
  readonly store: LoginFlowStore;
  readonly randomBytes: (size: number) => Buffer;
}

export function createLoginFlows({ store, randomBytes }: LoginFlowsOptions): LoginFlows {
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

/** The handle has 256 random bits, so the hash does not reveal it. */
function hashOf(handle: string): Buffer {
  return createHash('sha256').update(handle).digest();
}

/** The captcha has few characters, so a plain hash would reveal it. The key is the handle, which is in no database. */
function macOf(handle: string, { uuid = '', code = '' }: Captcha): Buffer {
  return createHmac('sha256', handle)
    .update(JSON.stringify([uuid, code.toUpperCase()]))
    .digest();
}
