// The one session of the demo's Postgres, shared by connections of the real client.
import { once } from 'node:events';
import { type AddressInfo, createConnection, type Server } from 'node:net';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createSessionServer } from '../../src/demo/session-server.ts';

let postgres: PGlite;
let server: Server;
const clients: pg.Client[] = [];

beforeAll(async () => {
  postgres = await PGlite.create();
  server = createSessionServer({
    execute: (bytes) => Buffer.from(postgres.execProtocolRawSync(bytes)),
    serverVersion: '18.0',
    password: 'right',
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.end()));
});
afterAll(async () => {
  server.close();
  await postgres.close();
});

function create(password = 'right'): pg.Client {
  const { port } = server.address() as AddressInfo;
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password });
  client.on('error', () => {});
  return client;
}
async function connect(): Promise<pg.Client> {
  const client = create();
  await client.connect();
  clients.push(client);
  return client;
}
/** Before it ends it says an error. */
function endOf(client: pg.Client): Promise<void> {
  return new Promise((resolve) => client.once('end', () => resolve()));
}
/** Cut off as a process that is killed would be. */
async function breakOff(client: pg.Client): Promise<void> {
  const ended = endOf(client);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  clients.splice(clients.indexOf(client), 1);
  await ended;
}

it('refuses a wrong password', async () => {
  await expect(create('wrong').connect()).rejects.toMatchObject({ code: '28P01' });
});

it.each([
  ['a startup of no length', Buffer.alloc(8)],
  ['a startup without end', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 3, 0, 0])],
  ['a message of no length', Buffer.from([0, 0, 0, 8, 0, 3, 0, 0, 0x51, 0, 0, 0, 0])],
])('closes the connection of a client that sends %s', async (_, bytes) => {
  const { port } = server.address() as AddressInfo;
  const socket = createConnection(port, '127.0.0.1');
  // A reset is an end as well.
  socket.on('error', () => {}).resume();
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  expect((await (await connect()).query('select 1 as n')).rows).toEqual([{ n: 1 }]);
});

it('passes on an error, and goes on', async () => {
  const client = await connect();
  await expect(client.query('select $1::int', ['x'])).rejects.toMatchObject({ code: '22P02' });
  await expect(client.query('selec')).rejects.toMatchObject({ code: '42601' });
  expect((await client.query('select $1::int as n', [7])).rows).toEqual([{ n: 7 }]);
});

it('keeps other connections out of an open transaction', async () => {
  const [one, other] = [await connect(), await connect()];
  await one.query('create table held (n int)');
  await one.query('begin');
  await one.query('insert into held values ($1)', [1]);
  let isAnswered = false;
  const counted = other.query('select count(*)::int as n from held').then(({ rows }) => {
    isAnswered = true;
    return rows;
  });
  await one.query('insert into held values ($1)', [2]);
  expect(isAnswered).toBe(false);
  await one.query('commit');
  expect(await counted).toEqual([{ n: 2 }]);
});

it('rolls back what a broken connection had begun', async () => {
  const [one, other] = [await connect(), await connect()];
  await one.query('create table broken (n int)');
  await one.query('begin');
  await one.query('insert into broken values (1)');
  await breakOff(one);
  expect((await other.query('select count(*)::int as n from broken')).rows).toEqual([{ n: 0 }]);
});

it('closes a connection that is idle in a transaction', async () => {
  const [one, other] = [await connect(), await connect()];
  await one.query('begin');
  const ended = endOf(one);
  expect((await other.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
  await ended;
  clients.splice(clients.indexOf(one), 1);
});

it('keeps prepared statements of the same name apart, also after a connection has ended', async () => {
  const [one, other] = [await connect(), await connect()];
  const ask = async (client: pg.Client, text: string) =>
    (await client.query({ name: 'statement_0', text, values: [1] })).rows;
  expect(await ask(one, 'select $1::int as a')).toEqual([{ a: 1 }]);
  expect(await ask(other, 'select $1::int as b')).toEqual([{ b: 1 }]);
  expect(await ask(one, 'select $1::int as a')).toEqual([{ a: 1 }]);
  await breakOff(one);
  const count = 'select count(*)::int as n from pg_prepared_statements';
  await expect.poll(async () => (await other.query(count)).rows).toEqual([{ n: 1 }]);
  expect(await ask(await connect(), 'select $1::int as c')).toEqual([{ c: 1 }]);
});

it('brings a notification to the connections', async () => {
  const [one, other] = [await connect(), await connect()];
  await one.query('listen doorbell');
  const heard = once(one, 'notification');
  await other.query("select pg_notify('doorbell', $1)", ['7']);
  expect(await heard).toMatchObject([{ channel: 'doorbell', payload: '7' }]);
});

it('carries exchanges larger than a packet, both ways', async () => {
  const client = await connect();
  const text = 'x'.repeat(3_000_000);
  expect((await client.query('select $1::text as text', [text])).rows).toEqual([{ text }]);
});
