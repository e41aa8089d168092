// Creates, changes, checks, enables, disables and deletes providers. Only callers who manage everybody can do this, because a
// provider decides who gets access. A change that takes access away is stored first, under the lock that excludes new sessions by
// the provider. Then the sessions end in batches, and the call returns when every instance rejects them. After a call that was cut
// off, the same call completes it.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  type Call,
  type changeProviderEndpoint,
  type createProviderEndpoint,
  type ProviderFinding,
} from '@portcullis/contract';
import type { SealedSecrets } from '../../base/secrets/sealed-secrets.ts';
import type { AccessWriter } from '../../cluster/access-writer.ts';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import type { AuditedCall, RecordChange } from '../../logs/audit/record-change.ts';
import { checkName } from '../../people/check-name.ts';
import { checkRevision } from '../../people/check-revision.ts';
import type { CanManageCheck } from '../../people/roles/can-manage/can-manage-check.ts';
import { adminRoleId } from '../../people/roles/role-store.ts';
import { isStorable } from '../../people/users/user-store.ts';
import { endSessions } from '../sessions/end-sessions-store.ts';
import type { OpenProvider, ProviderKind } from './provider-kind.ts';
import {
  countOfProvider,
  deleteProvider,
  findProvider,
  insertProvider,
  listSessionsByOtherSettings,
  listSessionsByProvider,
  lockProvider,
  lockProviderRow,
  type ProviderFields,
  raiseProviderEpoch,
  type StoredProvider,
  setProviderSecret,
  updateProvider,
} from './provider-store.ts';

export interface ProviderChangesOptions {
  readonly store: Store;
  readonly access: AccessWriter;
  readonly recordChange: RecordChange;
  readonly canManage: Pick<CanManageCheck, 'ofEverybody'>;
  readonly secrets: SealedSecrets;
  readonly kinds: readonly ProviderKind[];
}

export type ProviderChanges = ReturnType<typeof createProviderChanges>;

/** Sessions per lookup, and sessions that one transaction ends. */
const sessionsInList = 10_000;
const sessionsInBatch = 500;
/** Changes that follow from a stored change run without a caller check: they may end the caller's own session. */
const service = { confirmedAt: 'unchecked' } as const;

export function createProviderChanges(options: ProviderChangesOptions) {
  const { store, access, recordChange, canManage, secrets, kinds } = options;

  function kindOf({ kind }: Pick<StoredProvider, 'kind'>): ProviderKind {
    const found = kinds.find((each) => each.kind === kind);
    if (found === undefined) throw new AppError('provider_settings_wrong');
    return found;
  }

  function checkFields(
    kind: ProviderKind,
    { name, settings, provisioning, ...fields }: ProviderFields,
  ): void {
    checkName(name);
    const isCreating = provisioning === 'created';
    const isPlaced = fields.roleId !== null && fields.roleId !== adminRoleId && fields.departmentId !== null;
    if (!isStorableText(settings) || !kind.accepts(settings) || (isCreating && !isPlaced))
      throw new AppError('provider_settings_wrong');
  }

  async function getProvider(id: number): Promise<StoredProvider> {
    const provider = await findProvider(store, { id });
    if (provider === undefined) throw new AppError('record_not_found');
    return provider;
  }

  async function lockRow(transaction: StoreTransaction, id: number): Promise<StoredProvider> {
    const provider = await lockProviderRow(transaction, id);
    if (provider === undefined) throw new AppError('record_not_found');
    return provider;
  }

  /** Resolves with the revision when every instance rejects these sessions, except the one to keep. */
  async function endSessionsBy(
    id: number,
    { list = listSessionsByProvider, kept }: { list?: typeof listSessionsByProvider; kept?: string } = {},
  ): Promise<number> {
    for (;;) {
      const listed = await list(store, id, sessionsInList);
      const left = listed.filter((jti) => jti !== kept);
      if (left.length === 0) break;
      for (let from = 0; from < left.length; from += sessionsInBatch) {
        const startedAt = performance.now();
        const batch = left.slice(from, from + sessionsInBatch);
        await access.give(service, (transaction) => endSessions(transaction, batch));
        // Pauses as long as the batch took, so that logins get half of the time.
        if (left.length > sessionsInBatch) await sleep(performance.now() - startedAt);
      }
    }
    return await access.takeAway(service, async () => []);
  }

  async function check(provider: StoredProvider): Promise<readonly ProviderFinding[]> {
    return await kindOf(provider).check(openProvider(provider, secrets));
  }

  async function storeDisabled(call: AuditedCall, id: number): Promise<void> {
    await access.give(call, async (transaction) => {
      canManage.ofEverybody(call.caller);
      await lockProvider(transaction, id);
      const provider = await lockRow(transaction, id);
      if (!provider.enabled) return [];
      await raiseProviderEpoch(transaction, id, false);
      const entry = { before: { enabled: true }, after: { enabled: false } };
      await recordChange(transaction, call, {
        action: 'provider.disable',
        target: `provider ${id}`,
        ...entry,
      });
      return [];
    });
  }

  /** With a caller check: a caller who has lost the right meanwhile deletes nothing. A session of the caller by the provider ends too. */
  async function deleteDisabled(call: AuditedCall, id: number): Promise<number> {
    return await access.takeAway(call, async (transaction) => {
      canManage.ofEverybody(call.caller);
      await lockProvider(transaction, id);
      const provider = await lockProviderRow(transaction, id);
      if (provider === undefined) return [];
      // Another administrator enabled it meanwhile.
      if (provider.enabled) throw new AppError('conflict');
      const left = await listSessionsByProvider(transaction, id, sessionsInBatch);
      // While the provider stays disabled, at most the caller's session is left.
      if (left.length === sessionsInBatch) throw new AppError('conflict');
      const changes = await endSessions(transaction, left);
      const before = { key: provider.key, kind: provider.kind, ...fieldsOf(provider) };
      await deleteProvider(transaction, id);
      const entry = { action: 'provider.delete', target: `provider ${id}`, before, after: null };
      await recordChange(transaction, call, entry);
      return changes;
    });
  }

  return {
    async check(call: AuditedCall, id: number): Promise<readonly ProviderFinding[]> {
      canManage.ofEverybody(call.caller);
      return await check(await getProvider(id));
    },

    async create(call: Call<typeof createProviderEndpoint>): Promise<number> {
      const { key, kind, secret, ...given } = call.body;
      const fields: ProviderFields = { ...defaults, ...given };
      canManage.ofEverybody(call.caller);
      checkFields(kindOf({ kind }), fields);
      let id = 0;
      await access.give(call, async (transaction) => {
        id = await insertProvider(transaction, { key, kind, ...fields });
        if (secret !== undefined)
          await setProviderSecret(transaction, id, secrets.seal(id, Buffer.from(secret)));
        const after = { key, kind, ...fields, hasSecret: secret !== undefined };
        const entry = { action: 'provider.create', target: `provider ${id}`, before: null, after };
        await recordChange(transaction, call, entry);
        return [];
      });
      return id;
    },

    async change(call: Call<typeof changeProviderEndpoint>): Promise<number> {
      const { id } = call.params;
      const { ifRevision, secret, ...given } = call.body;
      const revision = await access.give(call, async (transaction) => {
        canManage.ofEverybody(call.caller);
        await lockProvider(transaction, id);
        const provider = await lockRow(transaction, id);
        const before = fieldsOf(provider);
        checkRevision(ifRevision, { revision: provider.revision, current: { ...before } });
        const after: ProviderFields = { ...before, ...withoutUndefined(given) };
        const kind = kindOf(provider);
        checkFields(kind, after);
        const isOthers = kind.identityOf(before.settings) !== kind.identityOf(after.settings);
        if (isOthers && (await countOfProvider(transaction, id)).links > 0) throw new AppError('conflict');
        // A stored secret is sent only to the address that it was given with.
        const isElsewhere = kind.addressOf(before.settings) !== kind.addressOf(after.settings);
        if (isElsewhere && provider.sealedSecret !== null && secret === undefined)
          throw new AppError('provider_secret_missing');
        if (isDeepStrictEqual(before, after) && secret === undefined) return [];
        await updateProvider(transaction, id, after);
        if (secret !== undefined)
          await setProviderSecret(transaction, id, secrets.seal(id, Buffer.from(secret)));
        // Refuses logins and links under way: they used the earlier settings.
        if (!isDeepStrictEqual({ ...before, name: '' }, { ...after, name: '' }))
          await raiseProviderEpoch(transaction, id, provider.enabled && !isElsewhere);
        const isDisabled = provider.enabled && isElsewhere;
        const entry = {
          before: { ...before, ...(isDisabled && { enabled: true }) },
          after: {
            ...after,
            ...(isDisabled && { enabled: false }),
            ...(secret !== undefined && { secret: 'replaced' }),
          },
        };
        await recordChange(transaction, call, {
          action: 'provider.update',
          target: `provider ${id}`,
          ...entry,
        });
        return [];
      });
      // Also when these settings were stored before: the earlier call may have been cut off before it ended the sessions.
      return given.settings === undefined
        ? revision
        : await endSessionsBy(id, { list: listSessionsByOtherSettings });
    },

    async setEnabled(call: AuditedCall, id: number, enabled: boolean): Promise<number> {
      if (!enabled) {
        await storeDisabled(call, id);
        return await endSessionsBy(id);
      }
      canManage.ofEverybody(call.caller);
      const checked = await getProvider(id);
      if ((await check(checked)).some(({ ok }) => !ok)) throw new AppError('provider_check_failed');
      return await access.give(call, async (transaction) => {
        const provider = await lockRow(transaction, id);
        // Only the revision that passed the check is enabled.
        if (provider.revision !== checked.revision) throw new AppError('conflict');
        if (provider.enabled) return [];
        await raiseProviderEpoch(transaction, id, true);
        const entry = { before: { enabled: false }, after: { enabled: true } };
        await recordChange(transaction, call, {
          action: 'provider.enable',
          target: `provider ${id}`,
          ...entry,
        });
        return [];
      });
    },

    async delete(call: AuditedCall, id: number): Promise<number> {
      await storeDisabled(call, id);
      await endSessionsBy(id, { kept: call.caller.jti });
      try {
        return await deleteDisabled(call, id);
      } catch (error) {
        // The provider stays disabled, so the session that was kept must not outlive it.
        await endSessionsBy(id);
        throw error;
      }
    },
  };
}

const defaults = {
  provisioning: 'linked',
  roleId: null,
  departmentId: null,
  isDefault: false,
  lifetimeSeconds: null,
} as const;

export function openProvider(
  { sealedSecret, ...provider }: StoredProvider,
  secrets: SealedSecrets,
): OpenProvider {
  return { ...provider, secret: secrets.open(provider.id, sealedSecret)?.toString() };
}

function fieldsOf(provider: StoredProvider): ProviderFields {
  const { name, settings, provisioning, roleId, departmentId, isDefault, lifetimeSeconds } = provider;
  return { name, settings, provisioning, roleId, departmentId, isDefault, lifetimeSeconds };
}

/** Whether Postgres can store every text in the value. */
function isStorableText(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.values(value).every(isStorableText);
}

function withoutUndefined<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
