// The connection to Postgres. Every wait has an end: a store that hangs must not hang a request.
import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

export type Store = Kysely<Tables>;
export type StoreTransaction = Transaction<Tables>;

interface StoreOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a statement may take; a migration may take longer than a request. */
  readonly statementTimeoutMilliseconds?: number;
  /** A connection broke; the pool replaces it by itself. */
  readonly onConnectionLost: (cause: Error) => void;
}

export function openStore(options: StoreOptions): Store {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: 2000,
    statement_timeout: options.statementTimeoutMilliseconds ?? 2000,
    idle_in_transaction_session_timeout: 5000,
    application_name: 'portcullis',
    types: { getTypeParser },
  });
  pool.on('error', options.onConnectionLost);
  // One that breaks while it is used fails its query too; without a listener it would also end the process.
  pool.on('connect', (client) => client.on('error', options.onConnectionLost));
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** 64-bit integers as numbers: the tables keep every one of them below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
