// A queue that shares one Postgres session among many connections. It runs message exchanges one at a time; a
// connection in a transaction keeps the session until the transaction ends.
import { createMessage, splitMessages } from './wire-messages.ts';

/** A connection that uses the session. */
export interface Client {
  /** Sends Postgres's answer to the client. */
  send(bytes: Buffer): void;
  /** Closes a connection that has kept the session too long. */
  end(): void;
}

export interface SessionQueue {
  join(client: Client): void;
  /** Queues the messages up to a Sync, a Flush or a simple query. */
  run(client: Client, bytes: Buffer): void;
  /** Rolls back the open transaction of a client, and drops its queued messages. */
  disconnect(client: Client): void;
}

/**
 * A client that is idle in a transaction is disconnected after this time. The store sets the same
 * limit on a Postgres server.
 */
const idleMilliseconds = 5000;

export function createSessionQueue(execute: (bytes: Buffer) => Buffer): SessionQueue {
  const clients = new Set<Client>();
  const waiting: { readonly client: Client; readonly bytes: Buffer }[] = [];
  let holder: Client | undefined;
  let idle: NodeJS.Timeout | undefined;

  function runNext(): void {
    const index = holder === undefined ? 0 : waiting.findIndex(({ client }) => client === holder);
    const [next] = index === -1 ? [] : waiting.splice(index, 1);
    if (next === undefined) return;
    clearTimeout(idle);
    const { client, bytes } = next;
    holder = client;
    const isOver = deliver(client, execute(bytes));
    if (isOver) holder = undefined;
    else idle = setTimeout(() => client.end(), idleMilliseconds);
    // Let the sockets run in between, so that an answer is sent before the next exchange runs.
    setImmediate(runNext);
  }

  /** Notifications go to all clients, because they share one session; a client that does not listen ignores them. */
  function deliver(client: Client, answer: Buffer): boolean {
    const { messages } = splitMessages(answer);
    let isOver = false;
    const own = messages.filter(({ type, bytes }) => {
      if (type === 'Z') isOver = bytes.at(-1) === 'I'.charCodeAt(0);
      if (type === 'A') for (const one of clients) one.send(bytes);
      return type !== 'A';
    });
    client.send(Buffer.concat(own.map(({ bytes }) => bytes)));
    return isOver;
  }

  return {
    join(client) {
      clients.add(client);
    },
    run(client, bytes) {
      waiting.push({ client, bytes });
      setImmediate(runNext);
    },
    disconnect(client) {
      clients.delete(client);
      const left = waiting.filter((one) => one.client !== client);
      waiting.splice(0, waiting.length, ...left);
      if (holder !== client) return;
      clearTimeout(idle);
      execute(createMessage('S'));
      execute(createMessage('Q', 'rollback\0'));
      holder = undefined;
      setImmediate(runNext);
    },
  };
}
