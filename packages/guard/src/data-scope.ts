// Row-level security by data scope: the rows that a caller is allowed to see, as an SQL condition on a table of a business
// service. A scope that cannot be understood narrows to the caller's own rows, and without a user id to none: only the
// literal `all` gives all rows.
import { checkColumns, type ScopeColumns } from './scope-columns.ts';

export type { ScopeColumns };

/**
 * A user's data scope. It lists the departments of scopes 2 (chosen for the role), 3 (own) and 4 (own and below).
 *
 * The department is stored in the row: a row belongs to the department that it was created for, also after its owner
 * moves to another department. A department scope does not include the caller's own rows in other departments (nor does
 * it in RuoYi; in go-admin a row moves with its owner). A service that wants them adds a second condition with `or`:
 * `scopeSql({ scope: 'own', userId }, columns)`.
 */
export type ResolvedScope =
  | { readonly scope: 'all' }
  | { readonly scope: 'departments'; readonly departments: readonly number[] }
  | { readonly scope: 'own'; readonly userId: number };

/** A condition for `where` in Postgres, with its parameters. It needs no parentheses inside `and`, `or` and `not`. */
export interface SqlCondition {
  readonly text: string;
  readonly values: unknown[];
}

const noRows: ResolvedScope = { scope: 'departments', departments: [] };
const fetchMilliseconds = 2000;

/**
 * Parses a scope from data, for example from JSON. An unknown or malformed scope means the own rows of its `userId`, or
 * no rows if that is not valid either.
 *
 * @example scopeOf(JSON.parse(message)) // { scope: 'own', userId: 7 }
 */
export function scopeOf(value: unknown): ResolvedScope {
  return findScope(value) ?? ownRows(own(value, 'userId'));
}

/**
 * Returns the condition as SQL. The text never contains a value, so SQL injection is not possible. Column names are
 * checked and quoted.
 *
 * @example
 * const { text, values } = scopeSql(scope, { owner: 'created_by', department: 'department_id' }, 2);
 * await pool.query(`select * from orders where status = $1 and ${text}`, ['open', ...values]);
 */
export function scopeSql(scope: ResolvedScope, columns: ScopeColumns, firstParameter = 1): SqlCondition {
  const { owner, department } = checkColumns(columns);
  if (!Number.isSafeInteger(firstParameter) || firstParameter < 1)
    throw new TypeError('The first parameter is a whole number from 1 on.');
  const known = scopeOf(scope);
  switch (known.scope) {
    case 'all':
      return { text: 'true', values: [] };
    case 'departments':
      if (known.departments.length === 0) return { text: 'false', values: [] };
      return { text: `${quote(department)} = any($${firstParameter})`, values: [known.departments] };
    case 'own':
      return { text: `${quote(owner)} = $${firstParameter}`, values: [known.userId] };
  }
}

/**
 * Whether one row is in the scope. Use it for a new row, which no `where` has selected.
 *
 * @example if (!isInScope(scope, { owner: caller.userId, department: order.departmentId })) refuse();
 */
export function isInScope(
  scope: ResolvedScope,
  row: { readonly owner: number | null; readonly department: number | null },
): boolean {
  const known = scopeOf(scope);
  switch (known.scope) {
    case 'all':
      return true;
    case 'departments':
      return row.department !== null && known.departments.includes(row.department);
    case 'own':
      return row.owner === known.userId;
  }
}

/**
 * Asks the decision listener for a user's scope. It throws if it gets no valid answer, so that the request fails: it
 * never assumes a scope.
 *
 * @example const scope = await fetchScope({ url: 'http://127.0.0.1:8002', secret }, caller);
 */
export async function fetchScope(
  { url, secret }: { readonly url: string; readonly secret: string },
  { userId }: { readonly userId: number },
): Promise<ResolvedScope> {
  if (!isId(userId)) throw new TypeError('There is no such user id.');
  const address = new URL('/access/v1/scope', url);
  address.searchParams.set('userId', String(userId));
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${secret}` },
    redirect: 'error',
    signal: AbortSignal.timeout(fetchMilliseconds),
  });
  if (response.status !== 200) throw new Error(`Portcullis answered ${response.status} to the data scope.`);
  const answer: unknown = await response.json();
  const scope = findScope(answer);
  if (scope === undefined || own(answer, 'userId') !== userId)
    throw new Error('Portcullis answered with no data scope of this user.');
  return scope;
}

function findScope(value: unknown): ResolvedScope | undefined {
  switch (own(value, 'scope')) {
    case 'all':
      return { scope: 'all' };
    case 'departments':
      return findDepartments(own(value, 'departments'));
    case 'own':
      return findOwnRows(own(value, 'userId'));
    default:
      return undefined;
  }
}

function findDepartments(listed: unknown): ResolvedScope | undefined {
  if (!Array.isArray(listed)) return undefined;
  const departments = Array.from<unknown>(listed);
  return departments.every(isId) ? { scope: 'departments', departments } : undefined;
}

function findOwnRows(userId: unknown): ResolvedScope | undefined {
  return isId(userId) ? { scope: 'own', userId } : undefined;
}

function ownRows(userId: unknown): ResolvedScope {
  return findOwnRows(userId) ?? noRows;
}

/** Reads own properties only: a polluted prototype must not give all rows. */
function own(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function quote(column: string): string {
  return column
    .split('.')
    .map((part) => `"${part}"`)
    .join('.');
}
