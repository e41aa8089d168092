// A caller's data scope as a `where` condition for Kysely, on any of its databases. It is a separate entry of the package,
// so that only services with Kysely need its types.
import type { Expression, ExpressionBuilder, SqlBool, StringReference } from 'kysely';
import { type ResolvedScope, scopeOf } from './data-scope.ts';
import { checkColumns, type ScopeColumns } from './scope-columns.ts';

/** A condition for `where`. It does not compile with a query that lacks one of the columns. */
type ScopeExpression<Column extends string> = <DB, TB extends keyof DB>(
  builder: ExpressionBuilder<DB, TB> & ([Column] extends [StringReference<DB, TB>] ? unknown : never),
) => Expression<SqlBool>;

/**
 * Returns the condition of `scopeSql` for Kysely, on any of its databases.
 *
 * @example
 * db.selectFrom('orders').selectAll().where(scopeWhere(scope, { owner: 'created_by', department: 'department_id' }))
 */
export function scopeWhere<Column extends string>(
  scope: ResolvedScope,
  columns: ScopeColumns<Column>,
): ScopeExpression<Column> {
  const { owner, department } = checkColumns(columns);
  const known = scopeOf(scope);
  return (builder) => {
    const eb = builder as unknown as ExpressionBuilder<Record<string, Record<string, number>>, string>;
    switch (known.scope) {
      case 'all':
        return eb.lit(true);
      case 'departments':
        return known.departments.length === 0 ? eb.lit(false) : eb(department, 'in', known.departments);
      case 'own':
        return eb(owner, '=', known.userId);
    }
  };
}
