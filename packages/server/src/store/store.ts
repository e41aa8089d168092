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
  /** Called on every notification of the channel, on whichever connection is open. */
  readonly listen?: { readonly channel: string; readonly onNotification: (payload: string) => void };
  /** Whether statements are planned once a connection: for a store that asks the same few all the time. */
  readonly prepares?: boolean;
  /** Given the pool, for the operator's metrics. */
  readonly onPool?: (pool: PoolSize) => void;
}

/** As it is when it is asked. */
export interface PoolSize {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** What the network may take beyond the statement itself. */
const transportMilliseconds = 500;

export function openStore({ url, poolSize, listen, prepares = false, ...options }: StoreOptions): Store {
  const statementTimeout = options.statementTimeoutMilliseconds ?? 2000;
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `statement_${names.size}`;
    names.set(text, name);
    return name;
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: 2000,
    statement_timeout: statementTimeout,
    ...(statementTimeout === 0 ? {} : { query_timeout: statementTimeout + transportMilliseconds }),
    idle_in_transaction_session_timeout: 5000,
    application_name: 'portcullis',
    types: { getTypeParser },
  });
  options.onPool?.(pool);
  pool.on('error', options.onConnectionLost);
  pool.on('connect', (client) => {
    // One that breaks while it is used fails its query too; without a listener it would also end the process.
    client.on('error', options.onConnectionLost);
    wrapQueries(client, prepares ? nameOf : undefined);
    if (listen === undefined) return;
    client.on('notification', ({ payload = '' }) => listen.onNotification(payload));
    client.query(`listen ${listen.channel}`).catch(options.onConnectionLost);
  });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** A connection on which an answer is missing is ended: the next query would wait behind it. */
function wrapQueries(client: pg.PoolClient, nameOf: ((text: string) => string) | undefined): void {
  const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
  const stream = (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream;
  const wrapped = async (text: unknown, values: unknown[] = []) => {
    const isNamed = nameOf !== undefined && typeof text === 'string' && values.length > 0;
    try {
      return await (isNamed ? query({ name: nameOf(text), text, values }) : query(text, values));
    } catch (error) {
      if ((error as Error).message === 'Query read timeout') stream.destroy();
      throw error;
    }
  };
  client.query = wrapped as typeof client.query;
}

/** 64-bit integers as numbers: the tables keep every one of them below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
