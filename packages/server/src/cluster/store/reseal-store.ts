// Rotation of the master key: encrypts every stored secret with the new key. Every instance must have both keys by then.
import { sql } from 'kysely';
import {
  createSealedSecrets,
  type OwnerId,
  type SealingKeys,
  type SecretKind,
  secretOwners,
} from '../../base/secrets/sealed-secrets.ts';
import type { Store, StoreTransaction } from './store.ts';

export type Resealed = Record<(typeof secretOwners)[SecretKind]['counted'], number> & {
  /** Signing keys that neither master key decrypts: of another mode, or of an earlier master key. */
  readonly left: string[];
};

type Run = <T>(work: (transaction: StoreTransaction) => Promise<T>) => Promise<T>;

/** `record` runs in the transaction of the signing keys, which come last. */
export async function resealSecrets(
  store: Store,
  sealingKeys: SealingKeys,
  record: (transaction: StoreTransaction, done: Resealed) => Promise<void> = async () => {},
  batch = 1000,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, left: [], totpSecrets: 0, providerSecrets: 0, webhookSecrets: 0 };

  async function reseal(kind: SecretKind, run: Run): Promise<void> {
    const { columns, counted } = secretOwners[kind];
    for (const column of columns)
      for (let after: OwnerId | undefined, isMore = true; isMore; ) {
        const { replaced, closed, last } = await run((transaction) =>
          resealBatch(transaction, { kind, column, after, batch }, sealingKeys),
        );
        done[counted] += replaced;
        if (kind === 'signingKey') done.left.push(...closed.map(String));
        isMore = last !== undefined;
        after = last;
      }
  }

  const others = (Object.keys(secretOwners) as SecretKind[]).filter((kind) => kind !== 'signingKey');
  for (const kind of others) await reseal(kind, (work) => store.transaction().execute(work));
  return await store.transaction().execute(async (transaction) => {
    await reseal('signingKey', (work) => work(transaction));
    await record(transaction, done);
    return done;
  });
}

interface Position {
  readonly kind: SecretKind;
  readonly column: string;
  /** The last row that was read. */
  readonly after: OwnerId | undefined;
  readonly batch: number;
}

async function resealBatch(
  transaction: StoreTransaction,
  { kind, column, after, batch }: Position,
  sealingKeys: SealingKeys,
) {
  const owner = secretOwners[kind];
  const secrets = createSealedSecrets(kind, sealingKeys);
  const [table, row, id, sealed] = [owner.table, owner.row, owner.id, column].map((name) => sql.id(name));
  // Before the rows, as other changes of the signing keys lock the table before the rows (deadlock).
  await sql`lock table ${table} in row exclusive mode`.execute(transaction);
  const { rows } = await sql<{ row: OwnerId; id: OwnerId; sealed: Buffer }>`
    select ${row} as row, ${id} as id, ${sealed} as sealed from ${table}
    where ${sealed} is not null and ${after === undefined ? sql`true` : sql`${row} > ${after}`}
    order by ${row} limit ${batch} for update`.execute(transaction);
  const closed: OwnerId[] = [];
  for (const each of rows) {
    const secret = secrets.open(each.id, each.sealed);
    if (secret === undefined) closed.push(each.id);
    else
      await sql`update ${table} set ${sealed} = ${secrets.seal(each.id, secret)} where ${row} = ${each.row}`.execute(
        transaction,
      );
  }
  return { replaced: rows.length - closed.length, closed, last: rows.at(-1)?.row };
}
