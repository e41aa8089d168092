// Completes the enrolment of a factor, in the transaction that confirms it: the user's other sessions of one factor end, all
// other enrolments in progress are deleted, and an account without recovery codes gets new ones.
import type { FactorKind } from '@portcullis/contract';
import type { Change } from '@portcullis/gate';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { endSessionsProvenBy, endSessionsWithoutFactorOfUser } from '../sessions/end-sessions-store.ts';
import { removeUnconfirmed } from './credential-store.ts';
import { closeEnrolment, countCodes } from './recovery/code-store.ts';
import { generateRecoveryCodes } from './recovery/generate-recovery-codes.ts';

export interface Confirmation {
  readonly credentialId: number;
  /** Undefined if the account has unused codes. */
  readonly recoveryCodes: readonly string[] | undefined;
}

interface FinishOptions {
  readonly recordChange: RecordChange;
  readonly randomBytes: (size: number) => Buffer;
}

export type FinishFactor = ReturnType<typeof createFinishFactor>;

export function createFinishFactor({ recordChange, randomBytes }: FinishOptions) {
  /** `replaced`: the earlier factor that the new factor replaces. */
  return async (
    transaction: StoreTransaction,
    call: AuditedCall,
    { id, kind }: { readonly id: number; readonly kind: FactorKind },
    replaced?: { readonly id: number } | undefined,
  ): Promise<{ confirmation: Confirmation; changes: Change[] }> => {
    const { userId, jti } = call.caller;
    const ended = replaced === undefined ? [] : [replaced.id];
    await removeUnconfirmed(transaction, userId);
    await closeEnrolment(transaction, userId);
    const hasCodes = (await countCodes(transaction, userId)) > 0;
    const recoveryCodes = hasCodes
      ? undefined
      : await generateRecoveryCodes(transaction, userId, randomBytes);
    await recordChange(transaction, call, {
      action: 'user.factor_add',
      target: `user ${userId}`,
      before: replaced === undefined ? null : { factor: kind, id: replaced.id },
      after: { factor: kind, id },
    });
    const changes = [
      ...(await endSessionsProvenBy(transaction, ended)),
      ...(await endSessionsWithoutFactorOfUser(transaction, userId, 2, jti)),
    ];
    return { confirmation: { credentialId: id, recoveryCodes }, changes };
  };
}
