// Cache of the rows of the access matrix. A row stays valid while the routes and the rules of its role do not change. The
// console requests the matrix repeatedly, and a change affects few roles.
import { isDeepStrictEqual } from 'node:util';
import type { MatrixRoute } from '@portcullis/contract';
import type { RulesOfRole } from '../role-rule-store.ts';
import { buildMatrix } from './build-matrix.ts';

interface Row {
  readonly routes: readonly MatrixRoute[];
  readonly cells: string;
}

export function createRowCache(build = buildMatrix): typeof buildMatrix {
  /** The key is the rule list that memory holds: a change of the rules creates a new list. */
  const known = new WeakMap<RulesOfRole['texts'], Row>();
  let last: readonly MatrixRoute[] = [];

  return async (input) => {
    const { roleKeys } = input;
    if (!isDeepStrictEqual(last, input.routes)) last = input.routes;
    const routes = last;
    const rules = Map.groupBy(input.rules, ({ roleKey }) => roleKey);
    const keyOf = (roleKey: string) => {
      const [page, more] = rules.get(roleKey) ?? [];
      // Rules on several pages are from Postgres, so they have no stable key. The row of `admin` does not depend on rules.
      return more === undefined && roleKey !== 'admin' ? page?.texts : undefined;
    };
    const rowOf = (roleKey: string) => {
      const key = keyOf(roleKey);
      const row = key && known.get(key);
      return row?.routes === routes ? row.cells : undefined;
    };
    const cells = roleKeys.map(rowOf);
    const missing = roleKeys.filter((_roleKey, index) => cells[index] === undefined);
    if (missing.length === 0) return { cells: cells as string[], complete: true };
    const built = await build({
      ...input,
      routes,
      roleKeys: missing,
      rules: missing.flatMap((roleKey) => rules.get(roleKey) ?? []),
    });
    const fresh = new Map(missing.map((roleKey, index) => [roleKey, built.cells[index] ?? '']));
    for (const [roleKey, ofRole] of fresh) {
      const key = keyOf(roleKey);
      if (built.complete && key !== undefined) known.set(key, { routes, cells: ofRole });
    }
    return {
      cells: roleKeys.map((roleKey, index) => cells[index] ?? fresh.get(roleKey) ?? ''),
      complete: built.complete,
    };
  };
}
