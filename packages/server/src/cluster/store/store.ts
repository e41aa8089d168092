// The connection to Postgres. Every wait has an end: a store that hangs must not hang a request.
import type { Socket } from 'node:net';
import { type CompiledQuery, Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import type { Tables } from './tables.ts';

export type Store = Kysely<Tables>;
export type StoreTransaction = Transaction<Tables>;

interface StoreOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a statement may take; a migration may take longer than a request. */
  readonly statementTimeoutMilliseconds?: number;
  /** How long a connection may take to open; a command can wait longer than a request. */
  readonly connectionTimeoutMilliseconds?: number;
  /** A connection broke; the pool replaces it by itself. */
  readonly onConnectionLost: (cause: Error) => void;
  /** Called on every notification of the channel, on whichever connection is open. */
  readonly listen?: { readonly channel: string; readonly onNotification: (payload: string) => void };
  /** Which statements are planned once a connection: all, for a store that asks the same few all the time, or those that begin with `prepared`. */
  readonly prepares?: 'all' | 'marked';
  /** Given the pool, for the operator's metrics. */
  readonly onPool?: (pool: PoolSize) => void;
}

/** As it is when it is asked. */
export interface PoolSize {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const mark = '/* prepared */ ';
/** Begins a statement that is asked so often that it is planned once a connection. */
export const prepared = sql.raw(mark);

/** What the network may take beyond the statement itself. */
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
    // For `sendTogether`; whoever waits for every answer notices nothing.
    pipeline: true,
    types: { getTypeParser },
    async onConnect(client) {
      // One that breaks while it is used fails its query too; without a listener it would also end the process.
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
 * Sends statements behind each other on one connection and waits for their answers together. Each is a transaction of its own,
 * sees what those before it have committed, and runs also where they have failed.
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
 * The first words of a connection; one that does not take them is never used. As statements, and not with the startup
 * as the driver would: PgBouncer refuses parameters there, or is told to drop them.
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
    // `wrapQueries` has to hear them.
    'set client_min_messages = warning',
    // One of the URL went with the startup, and wins.
    ...timeoutNames.filter((name) => !given[name]).map((name) => `set ${name} = ${timeouts[name]}`),
    ...(channel === undefined ? [] : [`listen ${channel}`]),
  ];
  return { text: statements.join('; ') };
}

/** Where Postgres waits for a synchronous standby before it answers a commit. */
const standbyWait = 'SyncRepWaitForLSN';

/**
 * A connection on which an answer is missing is ended: the next query would wait behind it. So is one whose wait for a
 * synchronous standby was cancelled: Postgres answers that commit as done, with a warning, though no standby has it.
 */
function wrapQueries(client: pg.ClientBase, nameOf: (text: string) => string | undefined): void {
  let isUnreplicated = false;
  client.on('notice', ({ routine }) => {
    if (routine === standbyWait) isUnreplicated = true;
  });
  const query = client.query.bind(client) as (text: unknown, values?: unknown[]) => Promise<unknown>;
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  const wrapped = async (text: unknown, values: unknown[] = []) => {
    // What is asked in one tick goes in one packet.
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

/** 64-bit integers as numbers: the tables keep every one of them below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
