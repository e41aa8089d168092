// Connection pool to Postgres. Every wait has a timeout: a hanging store must not hang a request.
import type { Socket } from 'node:net';
import { type CompiledQuery, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

export type Store = Kysely<Tables>;
export type StoreTransaction = Transaction<Tables>;

interface StoreOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Timeout of a statement; a migration can take longer than a request. */
  readonly statementTimeoutMilliseconds?: number;
  /** Timeout for opening a connection; a command can wait longer than a request. */
  readonly connectionTimeoutMilliseconds?: number;
  /** A connection broke; the pool replaces it. */
  readonly onConnectionLost: (cause: Error) => void;
  /** Called on every notification of the channel, on any open connection. */
  readonly listen?: { readonly channel: string; readonly onNotification: (payload: string) => void };
  /**
   * Which statements are prepared once per connection: all, for a store with few different statements, or those that begin with
   * `prepared`.
   */
  readonly prepares?: 'all' | 'marked';
  /** Receives the pool, for metrics. */
  readonly onPool?: (pool: PoolSize) => void;
}

/** Live counts: each read returns the current value. */
export interface PoolSize {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const mark = '/* prepared */ ';
/** Marks the beginning of a frequent statement, which is prepared once per connection. */
export const prepared = sql.raw(mark);

/** Time that the network is allowed beyond the statement timeout. */
const transportMilliseconds = 500;
const idleTransactionMilliseconds = 5000;
const timeoutNames = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const;
type Timeout = (typeof timeoutNames)[number];

export function openStore({ url, poolSize, listen, prepares = 'marked', ...options }: StoreOptions): Store {
  const statementTimeout = options.statementTimeoutMilliseconds ?? 2000;
  const connectionTimeout = options.connectionTimeoutMilliseconds ?? 2000;
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    if (prepares === 'marked' && !text.startsWith(mark)) return undefined;
    const name = names.get(text) ?? `statement_${names.size}`;
    names.set(text, name);
    return name;
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectionTimeout,
    ...(statementTimeout === 0 ? {} : { query_timeout: statementTimeout + transportMilliseconds }),
    application_name: 'portcullis',
    // For `sendTogether`; a caller that waits for each answer notices no difference.
    pipeline: true,
    types: { getTypeParser },
    async onConnect(client) {
      // A connection that breaks in use also fails its query; without a listener the error would end the process.
      client.on('error', options.onConnectionLost);
      wrapQueries(client, nameOf);
      if (listen !== undefined)
        client.on('notification', ({ payload = '' }) => listen.onNotification(payload));
      const patience = { query_timeout: connectionTimeout };
      await client.query({ ...openingOf(client, statementTimeout, listen?.channel), ...patience });
    },
  });
  options.onPool?.(pool);
  pool.on('error', options.onConnectionLost);
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/**
 * Sends statements in a pipeline on one connection and waits for all answers together. Each statement is its own transaction, sees
 * what the statements before it committed, and also runs when they failed.
 */
export async function sendTogether(
  store: Store,
  statements: readonly CompiledQuery[],
): Promise<PromiseSettledResult<unknown>[]> {
  return await store
    .getExecutor()
    .provideConnection((connection) =>
      Promise.allSettled(statements.map((statement) => connection.executeQuery(statement))),
    );
}

/**
 * The first statements of a connection; a connection that refuses them is never used. They are statements and not startup
 * parameters, as the driver would send them, because PgBouncer refuses parameters there, or is configured to drop them.
 */
function openingOf(
  client: pg.ClientBase,
  statementTimeout: number,
  channel: string | undefined,
): pg.QueryConfig {
  const { connectionParameters: given } = client as unknown as {
    connectionParameters: Record<Timeout, unknown>;
  };
  const timeouts: Readonly<Record<Timeout, number>> = {
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: idleTransactionMilliseconds,
  };
  const statements = [
    // `wrapQueries` needs the warnings.
    'set client_min_messages = warning',
    // A timeout in the URL was sent at startup, and wins.
    ...timeoutNames.filter((name) => !given[name]).map((name) => `set ${name} = ${timeouts[name]}`),
    ...(channel === undefined ? [] : [`listen ${channel}`]),
  ];
  return { text: statements.join('; ') };
}

/** The routine in which Postgres waits for a synchronous standby before it answers a commit. */
const standbyWait = 'SyncRepWaitForLSN';

/**
 * Ends a connection on which an answer is missing, because the next query would wait behind it. Also ends a connection whose wait
 * for a synchronous standby was cancelled: Postgres then answers the commit as done, with a warning, although no standby has it.
 */
function wrapQueries(client: pg.ClientBase, nameOf: (text: string) => string | undefined): void {
  let isUnreplicated = false;
  client.on('notice', ({ routine }) => {
    if (routine === standbyWait) isUnreplicated = true;
  });
  const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const wrapped = async (text: unknown, values: unknown[] = []) => {
    // Statements of one tick are sent in one packet.
    stream.cork();
    process.nextTick(() => stream.uncork());
    const name = typeof text === 'string' && values.length > 0 ? nameOf(text) : undefined;
    try {
      const result = await (name === undefined ? query(text, values) : query({ name, text, values }));
      if (!isUnreplicated) return result;
      stream.destroy();
      throw new Error('Connection terminated: the wait for a synchronous standby was cancelled.');
    } catch (error) {
      if ((error as Error).message === 'Query read timeout') stream.destroy();
      throw error;
    }
  };
  client.query = wrapped as typeof client.query;
}

/** Parses 64-bit integers as numbers: the tables keep each of them below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
