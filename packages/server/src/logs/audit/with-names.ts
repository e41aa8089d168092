// Adds names to audit records: the names of the objects that a record mentions by id.
import type { AuditItem } from '@portcullis/contract';
import { isRecord } from '../../base/values/is-record.ts';
import type { Store } from '../../cluster/store/store.ts';
import type { Actors, StoredItem } from './audit-store.ts';
import { findNames } from './name-store.ts';

/** Fields that hold the id of an object, and the kind of that object. */
const numbered = {
  userId: 'user',
  roleId: 'role',
  departmentId: 'department',
  parentId: 'department',
} as const;

export async function withNames(
  store: Store,
  scope: Actors,
  items: readonly StoredItem[],
): Promise<AuditItem[]> {
  const named = items.map((item) => ({ item, targets: targetsIn(item) }));
  const names = await findNames(store, scope, [...new Set(named.flatMap(({ targets }) => targets))]);
  return named.map(({ item, targets }) => ({
    ...item,
    names: {
      ...ownName(item),
      ...Object.fromEntries(
        targets.flatMap((target) => {
          const name = names.get(target);
          return name === undefined ? [] : [[target, name]];
        }),
      ),
    },
  }));
}

/** The target, and the objects that its state before and after mentions. */
function targetsIn({ target, before, after }: StoredItem): string[] {
  const pointed = [before, after].filter(isRecord).flatMap((state) =>
    Object.entries(numbered).flatMap(([field, kind]) => {
      const id = state[field];
      return typeof id === 'number' ? [`${kind} ${id}`] : [];
    }),
  );
  return [...new Set([target, ...pointed])];
}

/** The name that the record itself gives its target: the record shows it anyway, also when the target is hidden or deleted. */
function ownName({ target, before, after }: StoredItem): Record<string, string> {
  const name = [after, before].filter(isRecord).find((state) => typeof state.name === 'string')?.name;
  return typeof name === 'string' ? { [target]: name } : {};
}
