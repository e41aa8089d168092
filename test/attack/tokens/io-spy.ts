// Loaded into a server under test with `--import`: writes a line for every file that is opened, name that is looked
// up, connection that is made and statement that is sent while a request is served. Work in the background is not
// counted, because it belongs to no request. One of each is done at the start, so that a spy that sees nothing shows.
import { AsyncLocalStorage } from 'node:async_hooks';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import pg from 'pg';

type AnyFunction = (this: unknown, ...values: unknown[]) => unknown;

const serving = new AsyncLocalStorage<string>();

function watch(owner: object, name: string, kind: string): void {
  const original = Reflect.get(owner, name) as AnyFunction;
  const watched: AnyFunction = function (...values) {
    const during = serving.getStore();
    if (during !== undefined) process.stdout.write(`${JSON.stringify({ io: kind, during })}\n`);
    return Reflect.apply(original, this, values);
  };
  Reflect.set(owner, name, watched);
}

for (const name of ['open', 'openSync', 'readFile', 'readFileSync', 'createReadStream', 'stat', 'statSync'])
  watch(fs, name, 'file');
for (const name of ['open', 'readFile', 'stat']) watch(fs.promises, name, 'file');
for (const name of ['lookup', 'resolve', 'resolve4']) watch(dns, name, 'dns');
for (const name of ['lookup', 'resolve']) watch(dns.promises, name, 'dns');
watch(net.Socket.prototype, 'connect', 'connection');
watch(pg.Client.prototype, 'query', 'statement');
syncBuiltinESMExports();

const emit = http.Server.prototype.emit as AnyFunction;
Reflect.set(http.Server.prototype, 'emit', function (this: unknown, event: string, ...values: unknown[]) {
  const deliver = () => Reflect.apply(emit, this, [event, ...values]);
  if (event !== 'request') return deliver();
  const { method, url } = values[0] as http.IncomingMessage;
  return serving.run(`${method} ${url}`, deliver);
});

serving.run('control', () => {
  fs.readFileSync(new URL(import.meta.url));
  dns.lookup('127.0.0.1', () => {});
  net.connect(0, '127.0.0.1').on('error', () => {});
  new pg.Client().query('select 1').catch(() => {});
});
