// What ends sessions, each with its record, and only for callers whose data scope names the people whose they are.
import { AppError } from '@portcullis/contract';
import type { AuditedCall, RecordChange } from '../../audit/record-change.ts';
import { withRecord } from '../../audit/with-record.ts';
import type { AccessChange } from '../../cluster/access-writer.ts';
import { lockEpoch } from '../../directory/users/epoch-store.ts';
import { type ListDepartments, resolveUserScope } from '../../directory/users/user-scope.ts';
import { retireAllKeys } from '../keys/change-keys.ts';
import { readSigningKid } from '../keys/key-store.ts';
import { checkSessionInScope, checkUserInScope } from './session-scope-store.ts';
import { endSession, endUserSessions, readSession } from './session-store.ts';

export interface SessionChangesOptions {
  readonly recordChange: RecordChange;
  readonly listDepartments: ListDepartments;
  readonly sealingKey: Buffer;
  readonly dev: boolean;
}

export function createSessionChanges({ recordChange, listDepartments, ...keys }: SessionChangesOptions) {
  return {
    async endOne(call: AuditedCall, jti: string): Promise<AccessChange> {
      const scope = await resolveUserScope(call.caller, listDepartments);
      const look: Look = (transaction) => readSession(transaction, jti);
      const watched = { action: 'session.end', target: `session ${jti}`, look };
      return withRecord(recordChange, call, watched, async (transaction) => {
        await checkSessionInScope(transaction, scope, jti);
        return await endSession(transaction, jti);
      });
    },
    async endOfUser(call: AuditedCall, id: number): Promise<AccessChange> {
      const scope = await resolveUserScope(call.caller, listDepartments);
      const look: Look = (transaction) => lockEpoch(transaction, id);
      const watched = { action: 'user.end_sessions', target: `user ${id}`, look };
      return withRecord(recordChange, call, watched, async (transaction) => {
        await checkUserInScope(transaction, scope, id);
        return await endUserSessions(transaction, id);
      });
    },
    /** One change for all, however many there are: every token dies with the key that signed it. */
    endAll(call: AuditedCall): AccessChange {
      if (call.caller.dataScope !== '1') throw new AppError('permission_denied');
      const look: Look = (transaction) => readSigningKid(transaction, keys.dev);
      const watched = { action: 'session.end_all', target: 'every session', look };
      return withRecord(recordChange, call, watched, (transaction) => retireAllKeys(transaction, keys));
    },
  };
}

type Look = Parameters<typeof withRecord>[2]['look'];
