// Passkey login method (WebAuthn): the first step of a login without a username, or the second step after a password. The
// challenge is derived from the handle of the login flow, so that no challenge is stored. A verified assertion ends the flow, so
// that each signature is accepted once (replay protection).
import { createHmac } from 'node:crypto';
import type { NewPasskey, PasskeyAssertion, PasskeyRequest } from '@portcullis/contract';
import type { Store } from '../../../cluster/store/store.ts';
import { findAccountOf } from '../../../people/users/user-store.ts';
import { firstStepProvider } from '../../login/first-step-provider.ts';
import type { LoginContext, LoginMethod, Proof } from '../../login/method.ts';
import { isSecondProven } from '../lock-for-change.ts';
import { type PasskeyChanges, passkeyTimeoutMilliseconds } from './passkey-changes.ts';
import { findPasskey, raiseCounter } from './passkey-store.ts';
import type { WebAuthn } from './web-authn.ts';

interface PasskeyMethodOptions {
  readonly store: Store;
  readonly webAuthn: WebAuthn;
  readonly changes: Pick<PasskeyChanges, 'addAtLogin' | 'recordCounter'>;
  readonly domain: string;
}

export function createPasskeyMethod({ store, webAuthn, changes, domain }: PasskeyMethodOptions): LoginMethod {
  async function verify(
    assertion: PasskeyAssertion,
    handle: string,
    { began, flow, ip, requestId }: LoginContext,
  ): Promise<Proof> {
    const passkey = await findPasskey(store, assertion.id);
    const isOthers = began !== undefined && passkey?.userId !== began.userId;
    if (flow === undefined || passkey === undefined || isOthers)
      return { refused: 'credentials_wrong', account: began };
    const found = await findAccountOf(store, passkey.userId);
    if (found === undefined) return { refused: 'credentials_wrong' };
    const { account } = found;
    const isOwners = assertion.response.userHandle === passkey.userHandle;
    const { publicKey } = passkey;
    const counter = await webAuthn.verifyAssertion(assertion, { challenge: challengeOf(handle), publicKey });
    if (!isOwners || counter === undefined) return { refused: 'credentials_wrong', account };
    // If a provider decides about the account, the provider verifies the first step, and the passkey is the second factor.
    if (found.isDecidedByProvider && firstStepProvider(flow) === undefined)
      return { refused: 'provider_login_required', account };
    if (!found.userEnabled) return { refused: 'user_disabled', account };
    if (!found.roleEnabled) return { refused: 'role_disabled', account };
    if (!(await flow.end())) return { refused: 'credentials_wrong', account };
    if (!(await raiseCounter(store, passkey.id, counter))) {
      const current = await findPasskey(store, assertion.id);
      if (current !== undefined) await changes.recordCounter({ account, ip, requestId }, current, counter);
      return { refused: 'credentials_wrong', account };
    }
    return { account, credentialId: passkey.id };
  }

  async function register(
    made: NewPasskey,
    { began: account, flow, ip, requestId }: LoginContext,
  ): Promise<Proof> {
    const pendingId = flow?.credentialId ?? undefined;
    if (flow === undefined || account === undefined || pendingId === undefined)
      return { refused: 'credentials_wrong', account };
    const isSecond = isSecondProven(flow.passed);
    const call = { account, ip, requestId, provider: firstStepProvider(flow) };
    const added = await changes.addAtLogin(call, made, pendingId, isSecond);
    return added === undefined ? { refused: 'credentials_wrong', account } : { account, ...added };
  }

  return {
    name: 'passkey',
    factor: 3,
    begins: true,
    follows: true,
    wrong: 'passkey_wrong',
    reads: ({ passkey, registration }) => passkey !== undefined || registration !== undefined,
    prepare: (handle) => ({ passkey: requestFor(handle) }),
    verify: ({ passkey, registration, flowId }, context) =>
      passkey === undefined
        ? register(registration as NewPasskey, context)
        : verify(passkey as PasskeyAssertion, String(flowId), context),
  };

  function requestFor(handle: string): PasskeyRequest {
    return {
      challenge: challengeOf(handle),
      rpId: domain,
      userVerification: 'required',
      timeout: passkeyTimeoutMilliseconds,
    };
  }
}

/** Derived from 256 random bits that only the page has: no challenge can be computed ahead, and each flow has a different one. */
function challengeOf(handle: string): string {
  return createHmac('sha256', handle).update('passkey').digest('base64url');
}
