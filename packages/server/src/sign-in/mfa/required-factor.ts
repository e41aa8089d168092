// What a role demands. A higher demand is stored first, under the lock that no session is stored beside; then the weaker
// sessions end, batch by batch, and the call returns when no member takes any of them. A call that was cut off is finished
// by the same call once more.
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, type Call, type Caller, type setRoleFactorEndpoint } from '@portcullis/contract';
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

interface RoleDemandOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly reach: Pick<CanManageCheck, 'ofRole'>;
  readonly passkeysEnabled: boolean;
}

/** How many are looked up at once, and how many of them one transaction ends. */
const sessionsInList = 10_000;
const sessionsInBatch = 500;

export function createSetRoleFactor(options: RoleDemandOptions) {
  const { store, access, recordChange, reach, passkeysEnabled } = options;

  async function storeDemand(
    call: Call<typeof setRoleFactorEndpoint>,
  ): Promise<{ roleKey: string; revision: number }> {
    const { id } = call.params;
    const { factor } = call.body;
    let roleKey = '';
    const revision = await access.give(call, async (transaction) => {
      const role = await lockRole(transaction, id, 'for no key update');
      if (role === undefined) throw new AppError('record_not_found');
      await reach.ofRole(transaction, call.caller, id);
      roleKey = role.roleKey;
      const demanded = await findRequiredFactor(transaction, id);
      if (demanded === factor) return [];
      await lockFactorOfRole(transaction, roleKey);
      await setRoleFactor(transaction, id, factor);
      const entry = { before: { factor: demanded }, after: { factor } };
      await recordChange(transaction, call, { action: 'role.factor', target: `role ${id}`, ...entry });
      return [];
    });
    return { roleKey, revision };
  }

  /** Resolves with the revision when no weaker session is taken anywhere. */
  return async (call: Call<typeof setRoleFactorEndpoint>): Promise<number> => {
    const { factor } = call.body;
    // Nobody could have one, so nobody of the role could log in.
    if (factor === 3 && !passkeysEnabled) throw new AppError('passkeys_off');
    const { roleKey, revision } = await storeDemand(call);
    if (factor === 1) return revision;
    // What follows from a demand that is stored asks nobody: the caller's own session may be among what ends.
    const service = { confirmedAt: 'unchecked' } as const;
    for (;;) {
      const weaker = await listSessionsWithoutFactorOfRole(store, roleKey, factor, sessionsInList);
      if (weaker.length === 0) break;
      for (let from = 0; from < weaker.length; from += sessionsInBatch) {
        const startedAt = performance.now();
        const batch = weaker.slice(from, from + sessionsInBatch);
        await access.give(service, (transaction) => endSessions(transaction, batch));
        // Half of the time belongs to those who log in meanwhile.
        await sleep(performance.now() - startedAt);
      }
    }
    return await access.takeAway(service, async () => []);
  };
}

/** No count goes further. */
const mostCounted = 10_000;

/** What a role demands, and, for who sees everybody, whom another demand would meet. */
export async function describeRequiredFactor(
  store: Store,
  { dataScope }: Pick<Caller, 'dataScope'>,
  roleId: number,
  asked?: number,
) {
  const role = await findRole(store, roleId);
  if (role === undefined) throw new AppError('record_not_found');
  const factor = await findRequiredFactor(store, role.id);
  if (dataScope !== '1') return { factor, sessions: null, users: null };
  const demand = asked ?? factor;
  const sessions = await countSessionsWithoutFactorOfRole(store, role.roleKey, demand, mostCounted);
  const users = demand === 1 ? 0 : await countUsersBelow(store, role.id, demand, mostCounted);
  return { factor, sessions, users };
}
