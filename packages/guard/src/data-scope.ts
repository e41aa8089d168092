// Whose rows a caller may see, as a condition on a table of a business service. What cannot be understood narrows to
// the caller's own rows, and without a user id to none: nothing but the literal `all` opens a table.
import { checkColumns, type ScopeColumns } from './scope-columns.ts';

export type { ScopeColumns };

/**
 * A user's data scope, with the departments of scopes 2 (chosen for the role), 3 (own) and 4 (own and below) listed.
 *
 * Departments are those of the row: a row counts to the department it was made for, also when its owner has moved
 * since. A department scope does not add the caller's own rows of other departments (nor does it in RuoYi; in go-admin
 * a row moves with its owner). A service that wants them joins a second condition with `or`:
 * `scopeSql({ scope: 'own', userId }, columns)`.
 */
export type ResolvedScope =
  | { readonly scope: 'all' }
  | { readonly scope: 'departments'; readonly departments: readonly number[] }
  | { readonly scope: 'own'; readonly userId: number };

/** A condition for a `where` of Postgres, with its parameters. It needs no brackets inside `and`, `or` and `not`. */
export interface SqlCondition {
  readonly text: string;
  readonly values: unknown[];
}

const noRows: ResolvedScope = { scope: 'departments', departments: [] };
const fetchMilliseconds = 2000;

/**
 * Reads a scope that came as data, from JSON for example. Anything unknown or malformed means the own rows of its
 * `userId`, and where that is none, no rows.
 *
 * @example scopeOf(JSON.parse(message)) // { scope: 'own', userId: 7 }
 */
export function scopeOf(value: unknown): ResolvedScope {
  return findScope(value) ?? ownRows(own(value, 'userId'));
}

/**
 * The condition as SQL. No value is ever part of the text; column names are checked and quoted.
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
 * Whether one row, stored or about to be, is in the scope: for a new row, which no `where` has found.
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
 * Asks the decision listener for a user's scope. It throws where it gets no answer that it understands, so that the
 * request fails: an answer is never guessed.
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

/** Not what a prototype says: one that was polluted must not open every table. */
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
