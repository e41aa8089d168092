// All that is stored about a person, as one JSON text, piece by piece: a person may have a hundred thousand records. What
// the caller's data scope hides is left out, and said.
import type { Caller, Pieces } from '@portcullis/contract';
import type { Store } from '../../cluster/store/store.ts';
import { listOfPerson } from '../../logs/audit/person-store.ts';
import { resolveActors } from '../../logs/audit/resolve-actors.ts';
import type { ListDepartments } from '../users/user-scope.ts';
import { listRowsOf, type Owner } from './login-erasure-store.ts';
import { type Person, personalData } from './personal-data-store.ts';

interface ExportOptions {
  readonly store: Store;
  readonly listDepartments: ListDepartments;
  /** What may stand in the login log for the name where no account was looked up. */
  readonly namesOf: (username: string) => readonly string[];
  readonly now: () => number;
}

const page = 500;
/** Behind every id. */
const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

export async function* exportPerson(
  { store, listDepartments, namesOf, now }: ExportOptions,
  person: Person,
  caller: Caller,
  signal: AbortSignal,
): Pieces {
  const isComplete = caller.dataScope === '1';
  const parts = await Promise.all(
    personalData.map(async ({ name, read }) => [name, (await read(store, person)) ?? null] as const),
  );
  const beginning = { exportedAt: new Date(now()).toISOString(), complete: isComplete };
  yield `${JSON.stringify({ ...beginning, ...Object.fromEntries(parts) }).slice(0, -1)},"loginRecords":[`;

  // Under a name without an account anybody may have tried: only who sees the whole log sees those.
  const names = isComplete && person.username !== undefined ? namesOf(person.username) : [];
  const owners: Owner[] = [{ userId: person.userId }, ...names.map((name) => ({ name }))];
  let comma = '';
  for (const owner of owners)
    for (let after: string | undefined; !signal.aborted; ) {
      const rows = await listRowsOf(store, owner, { after, most: page });
      if (rows.length === 0) break;
      yield comma +
        rows.map(({ chain: _chain, seq: _seq, hash: _hash, ...row }) => JSON.stringify(row)).join(',');
      comma = ',';
      after = rows.at(-1)?.id;
    }

  yield '],"auditRecords":[';
  comma = '';
  for (let below = highestId; !signal.aborted; ) {
    // The scope is asked for with every page: it can change meanwhile.
    const actors = await resolveActors(caller, listDepartments);
    const items = await listOfPerson(store, actors, { userId: person.userId, below, limit: page });
    if (items.length === 0) break;
    yield comma + items.map((item) => JSON.stringify(item)).join(',');
    comma = ',';
    below = items.at(-1)?.id ?? below;
  }
  yield ']}\n';
}
