// The owner and department columns of a data scope condition. Their names become part of the SQL text, so they are
// validated against SQL injection.

/** The columns of a table that hold owner and department: `created_by`, or with the table's name `orders.created_by`. */
export interface ScopeColumns<Column extends string = string> {
  /** The id of the user who owns the row. */
  readonly owner: Column;
  /** The id of the department that the row belongs to. */
  readonly department: Column;
}

const columnPattern = /^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62}){0,2}$/;

/** Throws if a name is not a valid column name. */
export function checkColumns({ owner, department }: ScopeColumns): ScopeColumns {
  for (const column of [owner, department])
    if (typeof column !== 'string' || !columnPattern.test(column))
      throw new TypeError('A column is letters, digits and _, with its table and schema before a dot.');
  return { owner, department };
}
