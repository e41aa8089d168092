// go-admin's database as the import sees it: read only, in one snapshot, and every value as text, so that MySQL and
// Postgres need no further telling apart.

export type SourceRow = Readonly<Record<string, string | null>>;

export interface SourceQuery {
  readonly table: string;
  readonly columns: readonly string[];
  readonly orderBy?: string;
}

export interface Source {
  readonly kind: 'MySQL' | 'Postgres';
  /** Empty where there is no such table. */
  listColumns(table: string): Promise<ReadonlySet<string>>;
  readPages(query: SourceQuery): AsyncGenerator<readonly SourceRow[]>;
  close(): Promise<void>;
}

/** A sentence for the operator that says what to do; never the URL, which holds a password. */
export class SourceFailure extends Error {
  /** Whether the database is out of reach, and not another one than was meant. */
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
