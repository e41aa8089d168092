// Export of everything that is stored about a person, streamed as one JSON text: a person can have a hundred thousand records. What
// the caller's data scope hides is left out; `complete` in the export says whether anything can be missing.
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
  /** How the login log can contain a username in attempts without an account. */
  readonly namesOf: (username: string) => readonly string[];
  readonly now: () => number;
}

const page = 500;
/** Sorts after every id. */
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

  // Attempts without an account can be from any person, so only a caller who sees the whole log sees them.
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
    // The scope is read for every page, because it can change meanwhile.
    const actors = await resolveActors(caller, listDepartments);
    const items = await listOfPerson(store, actors, { userId: person.userId, below, limit: page });
    if (items.length === 0) break;
    yield comma + items.map((item) => JSON.stringify(item)).join(',');
    comma = ',';
    below = items.at(-1)?.id ?? below;
  }
  yield ']}\n';
}
