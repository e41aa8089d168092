// The matrix, with the rows that were built before for as long as the rules of their role and the routes stay as they are: a
// console asks for it again and again, and a change touches few roles.
import { isDeepStrictEqual } from 'node:util';
import type { MatrixRoute } from '@portcullis/contract';
import type { RulesOfRole } from '../role-rule-store.ts';
import { buildMatrix } from './build-matrix.ts';

interface Row {
  readonly routes: readonly MatrixRoute[];
  readonly cells: string;
}

export function createRowCache(build = buildMatrix): typeof buildMatrix {
  /** By the rules as memory holds them: others come with the next change. */
  const known = new WeakMap<RulesOfRole['texts'], Row>();
  let last: readonly MatrixRoute[] = [];

  return async (input) => {
    const { roleKeys } = input;
    if (!isDeepStrictEqual(last, input.routes)) last = input.routes;
    const routes = last;
    const rules = Map.groupBy(input.rules, ({ roleKey }) => roleKey);
    const keyOf = (roleKey: string) => {
      const [page, more] = rules.get(roleKey) ?? [];
      // Whose rules came on several pages came from Postgres; and `admin` may do what no rule says.
      return more === undefined && roleKey !== 'admin' ? page?.texts : undefined;
    };
    const rowOf = (roleKey: string) => {
      const key = keyOf(roleKey);
      const row = key && known.get(key);
      return row?.routes === routes ? row.cells : undefined;
    };
    const cells = roleKeys.map(rowOf);
    const missing = roleKeys.filter((_roleKey, place) => cells[place] === undefined);
    if (missing.length === 0) return { cells: cells as string[], complete: true };
    const built = await build({
      ...input,
      routes,
      roleKeys: missing,
      rules: missing.flatMap((roleKey) => rules.get(roleKey) ?? []),
    });
    const fresh = new Map(missing.map((roleKey, place) => [roleKey, built.cells[place] ?? '']));
    for (const [roleKey, ofRole] of fresh) {
      const key = keyOf(roleKey);
      if (built.complete && key !== undefined) known.set(key, { routes, cells: ofRole });
    }
    return {
      cells: roleKeys.map((roleKey, place) => cells[place] ?? fresh.get(roleKey) ?? ''),
      complete: built.complete,
    };
  };
}
