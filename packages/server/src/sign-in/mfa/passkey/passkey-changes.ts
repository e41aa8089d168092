// Passkey registration (WebAuthn): returns creation options with a challenge that is stored in an unconfirmed credential, then
// adds the passkey, which counts at once. One challenge registers one passkey, for the person who requested it.
import { AppError, type Caller, type NewPasskey, type PasskeyCreation } from '@portcullis/contract';
import type { AccessWriter } from '../../../cluster/access-writer.ts';
import type { Store } from '../../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../../logs/audit/record-change.ts';
import { insertUnconfirmed, listFactors } from '../credential-store.ts';
import { type Confirmation, createFinishFactor } from '../finish-factor.ts';
import { type Enroller, lockForChange } from '../lock-for-change.ts';
import { callOf, type LoginCaller } from '../login-caller.ts';
import { confirmPasskey, findPendingPasskey, findUserHandle, listSubjects } from './passkey-store.ts';
import { algorithms, type WebAuthn } from './web-authn.ts';

interface PasskeyChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly webAuthn: WebAuthn;
  readonly domain: string;
  /** The name of this service in an authenticator. */
  readonly issuer: string;
  readonly randomBytes: (size: number) => Buffer;
}

export type PasskeyChanges = ReturnType<typeof createPasskeyChanges>;

export const passkeyTimeoutMilliseconds = 300_000;
const mostPasskeys = 20;
const challengeBytes = 32;
const handleBytes = 32;

export function createPasskeyChanges(options: PasskeyChangesOptions) {
  const { store, access, recordChange, webAuthn, domain, issuer, randomBytes } = options;
  const finish = createFinishFactor(options);

  async function begin(
    call: AuditedCall,
    { userId, username }: Pick<Caller, 'userId' | 'username'>,
    enroller?: Enroller,
  ): Promise<{ id: number; passkey: PasskeyCreation }> {
    const challenge = randomBytes(challengeBytes).toString('base64url');
    const subjects = await listSubjects(store, userId);
    if (subjects.length >= mostPasskeys) throw new AppError('conflict');
    const userHandle =
      (await findUserHandle(store, userId)) ?? randomBytes(handleBytes).toString('base64url');
    let id = 0;
    await access.give(call, async (transaction) => {
      await lockForChange(transaction, userId, enroller);
      const publicPart = { challenge, userHandle };
      id = await insertUnconfirmed(transaction, { userId, kind: 'passkey', factor: 3, publicPart });
      return [];
    });
    const passkey: PasskeyCreation = {
      rp: { id: domain, name: issuer },
      user: { id: userHandle, name: username, displayName: username },
      challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: passkeyTimeoutMilliseconds,
      excludeCredentials: subjects.map((subject) => ({ id: subject, type: 'public-key' })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    };
    return { id, passkey };
  }

  /** Undefined if the registration is not accepted. */
  async function add(
    call: AuditedCall,
    { response, name }: NewPasskey,
    { pendingId, enroller }: { pendingId?: number; enroller?: Enroller } = {},
  ): Promise<Confirmation | undefined> {
    const { userId } = call.caller;
    const pending = await findPendingPasskey(store, userId, pendingId);
    if (pending === undefined) return undefined;
    const made = await webAuthn.verifyRegistration(response, pending.challenge);
    if (made === undefined) return undefined;
    let added: Confirmation | undefined;
    await access.takeAway(call, async (transaction) => {
      added = undefined;
      await lockForChange(transaction, userId, enroller);
      const factors = await listFactors(transaction, userId);
      const passkeys = factors.filter(({ kind }) => kind === 'passkey');
      if (passkeys.length >= mostPasskeys) throw new AppError('conflict');
      if (!(await confirmPasskey(transaction, pending, { ...made, name }))) return [];
      const { confirmation, changes } = await finish(transaction, call, { id: pending.id, kind: 'passkey' });
      added = confirmation;
      return changes;
    });
    return added;
  }

  return {
    begin,
    add,
    /** For a caller during a login, before a token exists. */
    beginAtLogin: (call: LoginCaller, isSecondProven: boolean) =>
      begin(callOf(call), call.account, enrollerOf(call, isSecondProven)),
    /** Without a second factor proven in the same login, the passkey must be the first factor of the account. */
    addAtLogin: (call: LoginCaller, made: NewPasskey, pendingId: number, isSecondProven: boolean) =>
      add(callOf(call), made, { pendingId, enroller: enrollerOf(call, isSecondProven) }),
    /** Audits a signature counter that went back: the passkey is possibly a copy. */
    async recordCounter(
      call: LoginCaller,
      { id, counter }: { readonly id: number; readonly counter: number },
      sent: number,
    ): Promise<void> {
      await access.give(callOf(call), async (transaction) => {
        await recordChange(transaction, callOf(call), {
          action: 'user.passkey_counter',
          target: `user ${call.account.userId}`,
          before: { factor: 'passkey', id, counter },
          after: { factor: 'passkey', id, counter: sent },
        });
        return [];
      });
    },
  };
}

function enrollerOf({ account, provider }: LoginCaller, isSecondProven: boolean): Enroller {
  return { account, isSecondProven, provider };
}
