// The columns by which a condition finds whose a row is. Their names become part of SQL, so they are names and nothing else.

/** The columns of a table that say whose a row is: `created_by`, or with the table's name `orders.created_by`. */
export interface ScopeColumns<Column extends string = string> {
  /** The id of the user whose row it is. */
  readonly owner: Column;
  /** The id of the department that it counts to. */
  readonly department: Column;
}

const columnPattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62}){0,2}$/;

/** Throws where one is no name of a column. */
export function checkColumns({ owner, department }: ScopeColumns): ScopeColumns {
  for (const column of [owner, department])
    if (typeof column !== 'string' || !columnPattern.test(column))
      throw new TypeError('A column is letters, digits and _, with its table and schema before a dot.');
  return { owner, department };
}
