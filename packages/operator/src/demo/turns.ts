// Many connections, one session of Postgres. Exchanges run one after the other, and a connection in a transaction keeps
// the session until the transaction is over.
import { createMessage, splitMessages } from './wire-messages.ts';

/** A connection as the session sees it. */
export interface Client {
  /** What Postgres answers. */
  send(bytes: Buffer): void;
  /** It has kept the session too long. */
  end(): void;
}

export interface Turns {
  join(client: Client): void;
  /** Runs messages up to a Sync, a Flush or a simple query, when it is the client's turn. */
  run(client: Client, bytes: Buffer): void;
  /** Rolls back what it has begun, and forgets what it waits for. */
  leave(client: Client): void;
}

/** As the store asks of a server: whoever does nothing in a transaction is cut off. */
const idleMilliseconds = 5000;

export function createYielding(execute: (bytes: Buffer) => Buffer): Turns {
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
    // The sockets in between: an answer leaves before the next exchange is worked on.
    setImmediate(runNext);
  }

  /** Notifications are for everybody, because there is one session: who does not listen ignores them. */
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
    leave(client) {
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
