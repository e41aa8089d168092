// A separate process whose connection breaks while it is used, once by the server's word and once without a word.
// Prints what a caller would be told each time. It runs apart because a fault here would end the whole process.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { openStore, type Store } from '../../../src/cluster/store/store.ts';
import { asAppError } from '../../../src/http/error-reply.ts';

const [url = ''] = process.argv.slice(2);
const sockets: Socket[] = [];
const proxy = createServer((socket) => {
  const upstream = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(
    socket.on('error', () => {}),
    upstream.on('error', () => {}),
  );
  socket.pipe(upstream).pipe(socket);
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');

const open = (through: string) => openStore({ url: through, poolSize: 2, onConnectionLost: () => {} });
const direct = open(url);
const proxied = open(
  Object.assign(new URL(url), { port: String((proxy.address() as AddressInfo).port) }).href,
);

/** Breaks the connection of a transaction, and then asks on it: the answer is always a failure. */
async function toldAfter(store: Store, cut: (pid: number | undefined) => Promise<unknown>): Promise<string> {
  const failure = await store
    .transaction()
    .execute(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
      await cut(rows[0]?.pid);
      for (let round = 0; round < 20; round += 1) await sql`select pg_sleep(0.05)`.execute(transaction);
      return undefined;
    })
    .catch((error: unknown) => error);
  return asAppError(failure).kind;
}

const ended = await toldAfter(direct, (pid) => sql`select pg_terminate_backend(${pid})`.execute(direct));
const broken = await toldAfter(proxied, async () => {
  for (const socket of sockets) socket.destroy();
});
await Promise.all([direct.destroy(), proxied.destroy()]);
proxy.close();
process.stdout.write(JSON.stringify({ ended, broken }));
