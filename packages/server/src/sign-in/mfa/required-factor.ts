// The required factor of a role (MFA policy). A higher requirement is stored first, under a lock that excludes the storing of
// sessions. Then the sessions below it end, batch by batch, and the call returns when no instance accepts any of them. If a
// call is interrupted, the same call completes it.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Call, type Caller, type setRequiredFactorEndpoint } from '@portcullis/contract';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { RecordChange } from '../../logs/audit/record-change.ts';
import type { CanManageCheck } from '../../people/roles/can-manage/can-manage-check.ts';
import { findRole, lockRole } from '../../people/roles/role-store.ts';
import {
  countSessionsWithoutFactorOfRole,
  endSessions,
  listSessionsWithoutFactorOfRole,
} from '../sessions/end-sessions-store.ts';
import { countUsersBelow, findRequiredFactor, lockFactorOfRole, setRoleFactor } from './credential-store.ts';

interface RequiredFactorOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofRole'>;
  readonly passkeysEnabled: boolean;
}

/** How many sessions one query lists, and how many of them one transaction ends. */
const sessionsInList = 10_000;
const sessionsInBatch = 500;

export function createSetRoleFactor(options: RequiredFactorOptions) {
  const { store, access, recordChange, canManage, passkeysEnabled } = options;

  async function storeRequiredFactor(
    call: Call<typeof setRequiredFactorEndpoint>,
  ): Promise<{ roleKey: string; revision: number }> {
    const { id } = call.params;
    const { requiredFactor } = call.body;
    let roleKey = '';
    const revision = await access.give(call, async (transaction) => {
      const role = await lockRole(transaction, id, 'for no key update');
      if (role === undefined) throw new AppError('record_not_found');
      await canManage.ofRole(transaction, call.caller, id);
      roleKey = role.roleKey;
      const previous = await findRequiredFactor(transaction, id);
      if (previous === requiredFactor) return [];
      await lockFactorOfRole(transaction, roleKey);
      await setRoleFactor(transaction, id, requiredFactor);
      const entry = { before: { requiredFactor: previous }, after: { requiredFactor } };
      await recordChange(transaction, call, { action: 'role.factor', target: `role ${id}`, ...entry });
      return [];
    });
    return { roleKey, revision };
  }

  /** Resolves with the revision when no instance accepts a session below the required factor. */
  return async (call: Call<typeof setRequiredFactorEndpoint>): Promise<number> => {
    const { requiredFactor } = call.body;
    // No user could have a passkey, so no user of the role could log in.
    if (requiredFactor === 3 && !passkeysEnabled) throw new AppError('passkeys_disabled');
    const { roleKey, revision } = await storeRequiredFactor(call);
    if (requiredFactor === 1) return revision;
    // The requirement is stored. Ending the sessions needs no caller check: the caller's own session can be one of them.
    const service = { confirmedAt: 'unchecked' } as const;
    for (;;) {
      const jtis = await listSessionsWithoutFactorOfRole(store, roleKey, requiredFactor, sessionsInList);
      if (jtis.length === 0) break;
      for (let from = 0; from < jtis.length; from += sessionsInBatch) {
        const startedAt = performance.now();
        const batch = jtis.slice(from, from + sessionsInBatch);
        await access.give(service, (transaction) => endSessions(transaction, batch));
        // Pauses as long as the batch took, so that logins get half of the time.
        await sleep(performance.now() - startedAt);
      }
    }
    return await access.takeAway(service, async () => []);
  };
}

/** Counts stop at this number. */
const mostCounted = 10_000;

/** The required factor of a role. For a caller who sees all users, also how many sessions and users another one would affect. */
export async function describeRequiredFactor(
  store: Store,
  { dataScope }: Pick<Caller, 'dataScope'>,
  roleId: number,
  asked?: number,
) {
  const role = await findRole(store, roleId);
  if (role === undefined) throw new AppError('record_not_found');
  const requiredFactor = await findRequiredFactor(store, role.id);
  if (dataScope !== '1') return { requiredFactor, sessions: null, users: null };
  const required = asked ?? requiredFactor;
  const sessions = await countSessionsWithoutFactorOfRole(store, role.roleKey, required, mostCounted);
  const users = required === 1 ? 0 : await countUsersBelow(store, role.id, required, mostCounted);
  return { requiredFactor, sessions, users };
}
