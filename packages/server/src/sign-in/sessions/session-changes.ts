// Session revocation by administrators: each change has its audit record. A caller can end a session only if the owner is in the
// caller's data scope and the caller is allowed to manage the owner.

import type { AccessChange } from '../../cluster/access-writer.ts';
import type { StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { withRecord } from '../../logs/audit/with-record.ts';
import type { CanManageCheck } from '../../people/roles/can-manage/can-manage-check.ts';
import { lockEpoch } from '../../people/users/epoch-store.ts';
import { type ListDepartments, resolveUserScope } from '../../people/users/user-scope.ts';
import { retireAllKeys } from '../keys/change-keys.ts';
import { readSigningKid } from '../keys/key-store.ts';
import { findSessionOwner, findUserInScope, type SessionOwner } from './session-scope-store.ts';
import { endSession, endUserSessions, readSession } from './session-store.ts';

export interface SessionChangesOptions {
  readonly recordChange: RecordChange;
  readonly listDepartments: ListDepartments;
  readonly canManage: Pick<CanManageCheck, 'ofUser' | 'ofEverybody'>;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
}

export function createSessionChanges({
  recordChange,
  listDepartments,
  canManage,
  ...keys
}: SessionChangesOptions) {
  /** A deleted user needs no check, because the sessions have already ended. */
  async function checkOwner(
    transaction: StoreTransaction,
    { caller }: AuditedCall,
    owner: SessionOwner | undefined,
  ): Promise<void> {
    if (owner !== undefined) await canManage.ofUser(transaction, caller, owner.id, [owner]);
  }

  return {
    async endOne(call: AuditedCall, jti: string): Promise<AccessChange> {
      const scope = await resolveUserScope(call.caller, listDepartments);
      const readState: ReadState = (transaction) => readSession(transaction, jti);
      const watched = { action: 'session.end', target: `session ${jti}`, readState };
      return withRecord(recordChange, call, watched, async (transaction) => {
        await checkOwner(transaction, call, await findSessionOwner(transaction, scope, jti));
        return await endSession(transaction, jti);
      });
    },
    async endOfUser(call: AuditedCall, id: number): Promise<AccessChange> {
      const scope = await resolveUserScope(call.caller, listDepartments);
      const readState: ReadState = (transaction) => lockEpoch(transaction, id);
      const watched = { action: 'user.end_sessions', target: `user ${id}`, readState };
      return withRecord(recordChange, call, watched, async (transaction) => {
        await checkOwner(transaction, call, await findUserInScope(transaction, scope, id));
        return await endUserSessions(transaction, id);
      });
    },
    /** One change for any number of sessions: a token becomes invalid with the key that signed it. */
    endAll(call: AuditedCall): AccessChange {
      canManage.ofEverybody(call.caller);
      const readState: ReadState = (transaction) => readSigningKid(transaction, keys.dev);
      const watched = { action: 'session.end_all', target: 'every session', readState };
      return withRecord(recordChange, call, watched, (transaction) => retireAllKeys(transaction, keys));
    },
  };
}

type ReadState = Parameters<typeof withRecord>[2]['readState'];
