// The interface to go-admin's database: read-only, in one snapshot, with every value as text, so that the import does
// not distinguish MySQL from Postgres.

export type SourceRow = Readonly<Record<string, string | null>>;

export interface SourceQuery {
  readonly table: string;
  readonly columns: readonly string[];
  readonly orderBy?: string;
}

export interface Source {
  readonly kind: 'MySQL' | 'Postgres';
  /** Empty if the table does not exist. */
  listColumns(table: string): Promise<ReadonlySet<string>>;
  readPages(query: SourceQuery): AsyncGenerator<readonly SourceRow[]>;
  close(): Promise<void>;
}

/** A sentence that tells the operator what to do. It never contains the URL, which holds a password. */
export class SourceFailure extends Error {
  /** True if the database cannot be reached; false if it is not a database of go-admin. */
  readonly isOutage: boolean;

  constructor(reason: string, { cause, isOutage = false }: { cause?: unknown; isOutage?: boolean } = {}) {
    super(reason, { cause });
    this.name = 'SourceFailure';
    this.isOutage = isOutage;
  }
}

export const rowsPerPage = 5000;

export function unreachable(cause: unknown): SourceFailure {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return new SourceFailure(
    `go-admin's database does not answer (${code ?? message}). Check the URL, and that this host may connect.`,
    { cause, isOutage: true },
  );
}

export function interrupted(cause: unknown): SourceFailure {
  const { code, message } = cause as { code?: unknown; message?: unknown };
  return new SourceFailure(
    `go-admin's database stopped answering (${code ?? message}). Nothing was imported: run the import again.`,
    { cause, isOutage: true },
  );
}
