// SQL of providers, and of the locks that exclude new sessions by a provider.
import type { ProviderKindName, ProviderSettings, ProvisioningMode, RoleSource } from '@portcullis/contract';
import { AppError } from '@portcullis/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Store, StoreTransaction } from '../../cluster/store/store.ts';
import { providerProofLocks } from '../sessions/provider-proof-store.ts';

const uniqueViolation = '23505';
const foreignKeyViolation = '23503';

/** Until the transaction ends, no session by the provider is stored. A session that waits for the lock sees the change. */
export async function lockProvider(transaction: StoreTransaction, id: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${providerProofLocks.provider}, hashtext(${id}::bigint::text))`.execute(
    transaction,
  );
}

/** The same lock for the sessions of one session at the provider. */
export async function lockProviderSession(
  transaction: StoreTransaction,
  id: number,
  session: string,
): Promise<void> {
  const name = sql`${id}::bigint || ' ' || ${session}::text`;
  await sql`select pg_advisory_xact_lock(${providerProofLocks.session}, hashtext(${name}))`.execute(
    transaction,
  );
}

/** The same lock for the sessions of one subject. */
export async function lockProviderSubject(
  transaction: StoreTransaction,
  id: number,
  subject: string,
): Promise<void> {
  const name = sql`${id}::bigint || ' ' || ${subject}::text`;
  await sql`select pg_advisory_xact_lock(${providerProofLocks.subject}, hashtext(${name}))`.execute(
    transaction,
  );
}

export interface StoredProvider {
  readonly id: number;
  readonly key: string;
  readonly kind: ProviderKindName;
  readonly name: string;
  readonly enabled: boolean;
  readonly settings: ProviderSettings;
  readonly sealedSecret: Buffer | null;
  readonly provisioning: ProvisioningMode;
  readonly roleSource: RoleSource;
  readonly roleId: number | null;
  readonly departmentId: number | null;
  readonly isDefault: boolean;
  readonly lifetimeSeconds: number | null;
  readonly epoch: number;
  readonly revision: number;
  readonly createdAt: Date;
}

const columns = [
  'id',
  'key',
  'kind',
  'name',
  'enabled',
  'settings',
  'sealed_secret as sealedSecret',
  'provisioning',
  'role_source as roleSource',
  'role_id as roleId',
  'department_id as departmentId',
  'is_default as isDefault',
  'lifetime_seconds as lifetimeSeconds',
  'epoch',
  'revision',
  'created_at as createdAt',
] as const;

export async function listProviders(store: Store): Promise<StoredProvider[]> {
  const rows = await store.selectFrom('providers').select(columns).orderBy('name').orderBy('id').execute();
  return rows as StoredProvider[];
}

export async function findProvider(
  store: Store,
  where: { readonly id: number } | { readonly key: string },
): Promise<StoredProvider | undefined> {
  const row = await store
    .selectFrom('providers')
    .select(columns)
    .$if('id' in where, (select) => select.where('id', '=', 'id' in where ? where.id : 0))
    .$if('key' in where, (select) => select.where('key', '=', 'key' in where ? where.key : ''))
    .executeTakeFirst();
  return row as StoredProvider | undefined;
}

export async function lockProviderRow(
  transaction: StoreTransaction,
  id: number,
): Promise<StoredProvider | undefined> {
  const row = await transaction
    .selectFrom('providers')
    .select(columns)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row as StoredProvider | undefined;
}

/** Locks the provider until the transaction ends. Throws when it was disabled or changed since it was read. */
export async function lockUnchangedProvider(
  transaction: StoreTransaction,
  { id, epoch }: Pick<StoredProvider, 'id' | 'epoch'>,
): Promise<void> {
  const held = await holdRow(transaction, id);
  if (held?.enabled !== true || held.epoch !== epoch) throw new AppError('provider_refused');
}

/** The same for a provider that can be disabled. */
export async function lockProviderEpoch(
  transaction: StoreTransaction,
  { id, epoch }: Pick<StoredProvider, 'id' | 'epoch'>,
): Promise<void> {
  const held = await holdRow(transaction, id);
  if (held?.epoch !== epoch) throw new AppError('provider_refused');
}

async function holdRow(transaction: StoreTransaction, id: number) {
  return await transaction
    .selectFrom('providers')
    .select(['enabled', 'epoch'])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirst();
}

/** Until the transaction ends, the provider cannot be deleted. */
export async function lockProviderExistence(
  transaction: StoreTransaction,
  id: number,
): Promise<Pick<StoredProvider, 'provisioning'> | undefined> {
  const row = await transaction
    .selectFrom('providers')
    .select('provisioning')
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst();
  return row as Pick<StoredProvider, 'provisioning'> | undefined;
}

/** The fields that a change of the provider can set. Enabling it and its group mapping are separate calls. */
export interface ProviderFields {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly provisioning: ProvisioningMode;
  readonly roleId: number | null;
  readonly departmentId: number | null;
  readonly isDefault: boolean;
  readonly lifetimeSeconds: number | null;
}

function rowOf(fields: ProviderFields) {
  return {
    name: fields.name,
    settings: JSON.stringify(fields.settings),
    provisioning: fields.provisioning,
    role_id: fields.roleId,
    department_id: fields.departmentId,
    is_default: fields.isDefault,
    lifetime_seconds: fields.lifetimeSeconds,
  };
}

export async function insertProvider(
  transaction: StoreTransaction,
  { key, kind, ...fields }: ProviderFields & Pick<StoredProvider, 'key' | 'kind'>,
): Promise<number> {
  const { id } = await refusing(
    transaction
      .insertInto('providers')
      .values({ key, kind, ...rowOf(fields) })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return id;
}

export async function updateProvider(
  transaction: StoreTransaction,
  id: number,
  fields: ProviderFields,
): Promise<void> {
  await refusing(transaction.updateTable('providers').set(rowOf(fields)).where('id', '=', id).execute());
}

export async function setProviderSecret(
  transaction: StoreTransaction,
  id: number,
  sealed: Buffer,
): Promise<void> {
  await transaction.updateTable('providers').set({ sealed_secret: sealed }).where('id', '=', id).execute();
}

/** Invalidates every proof by the provider from before: logins, links and group reads under way. */
export async function raiseProviderEpoch(
  transaction: StoreTransaction,
  id: number,
  enabled: boolean,
): Promise<void> {
  await transaction
    .updateTable('providers')
    .set({ enabled, epoch: sql<number>`epoch + 1` })
    .where('id', '=', id)
    .execute();
}

export async function deleteProvider(transaction: StoreTransaction, id: number): Promise<void> {
  await transaction.deleteFrom('credentials').where('provider_id', '=', id).execute();
  await transaction.deleteFrom('providers').where('id', '=', id).execute();
}

export async function countOfProvider(
  store: Store,
  id: number,
): Promise<{ links: number; sessions: number }> {
  const { rows } = await sql<{ links: number; sessions: number }>`
    select
      (select count(*)::int from credentials where kind = 'link' and provider_id = ${id} and ended_at is null) as links,
      (select count(*)::int from sessions where provider_id = ${id} and expires_at > now()) as sessions
  `.execute(store);
  return rows[0] ?? { links: 0, sessions: 0 };
}

/**
 * The sessions by the provider, in one statement with a limit. Also sessions that linked accounts opened without a provider, when
 * a provider decides about the account now: no such session can be stored while the others end.
 */
export async function listSessionsByProvider(store: Store, id: number, most: number): Promise<string[]> {
  return await listWithClosed(store, sql`select jti from sessions where provider_id = ${id}`, id, most);
}

/** The sessions by earlier settings of the provider, and those of its linked accounts as above, in one statement with a limit. */
export async function listSessionsByOtherSettings(store: Store, id: number, most: number): Promise<string[]> {
  const resting = sql`
    select jti from sessions join providers on providers.id = sessions.provider_id
    where providers.id = ${id} and provider_epoch < settings_epoch`;
  return await listWithClosed(store, resting, id, most);
}

async function listWithClosed(
  store: Store,
  sessions: RawBuilder<unknown>,
  id: number,
  most: number,
): Promise<string[]> {
  const { rows } = await sql<{ jti: string }>`
    ${sessions}
    union
    select sessions.jti from credentials as links join users on users.id = links.user_id and users.decided_by_provider
      join providers on providers.id = links.provider_id
      join sessions on sessions.user_id = users.id and (sessions.provider_id is null or (providers.kind = 'ldap'
        and not exists (select from providers as others where others.id = sessions.provider_id and others.kind = 'ldap')))
    where links.kind = 'link' and links.provider_id = ${id} and links.ended_at is null
    limit ${most}`.execute(store);
  return rows.map(({ jti }) => jti);
}

/** Key, redirect URI and default are unique (`conflict`), and role and department must exist (`record_not_found`). */
async function refusing<T>(written: Promise<T>): Promise<T> {
  try {
    return await written;
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === uniqueViolation) throw new AppError('conflict');
    if (code === foreignKeyViolation) throw new AppError('record_not_found');
    throw error;
  }
}
