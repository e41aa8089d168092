// The same service in every framework that has an adapter: orders behind the guard, and a count of handlers entered.
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Guard } from '@portcullis/guard';
import { callerOf, protect as protectExpress } from '@portcullis/guard/express';
import { protect as protectFastify } from '@portcullis/guard/fastify';
import { protect as protectHandler } from '@portcullis/guard/fetch';
import { protect as protectHono } from '@portcullis/guard/hono';
import { protect as protectKoa } from '@portcullis/guard/koa';
import express, { type RequestHandler } from 'express';
import Fastify, { type FastifyRequest } from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';

export interface Adapted {
  readonly port: number;
  /** How often a handler was entered. */
  entries(): number;
  close(): Promise<unknown>;
}

export async function serveExpress(guard: Guard, prefix: string): Promise<Adapted> {
  let entries = 0;
  const enter: RequestHandler = (request, response) => {
    entries += 1;
    const { username, roleKey } = callerOf(request);
    response.json({ username, roleKey });
  };
  const app = express();
  const api = express.Router();
  api.get('/orders', enter).get('/orders/:id', enter).delete('/orders/:id', enter).post('/orders', enter);
  if (prefix === '') app.use(protectExpress(guard)).use('/api/v1', api);
  else app.use(prefix, protectExpress(guard), api);
  return await listening(app.listen(0, '127.0.0.1'), () => entries);
}

export async function serveFastify(guard: Guard): Promise<Adapted> {
  let entries = 0;
  const enter = async (request: FastifyRequest) => {
    entries += 1;
    const { username, roleKey } = request.caller;
    return { username, roleKey };
  };
  const app = Fastify();
  // A route that stands before the guard is guarded too.
  app.get('/api/v1/orders', enter);
  protectFastify(app, guard);
  app.register(
    async (inner) => {
      inner.get('/orders/:id', enter);
      inner.delete('/orders/:id', enter);
      inner.post('/orders', enter);
    },
    { prefix: '/api/v1' },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  return { port: portOf(app.server), entries: () => entries, close: () => app.close() };
}

export async function serveKoa(guard: Guard, prefix = ''): Promise<Adapted> {
  let entries = 0;
  const app = new Koa();
  app.silent = true;
  // As koa-mount does it: what is mounted sees the path behind the prefix.
  app.use(async (context, next) => {
    context.url = context.url.slice(prefix.length) || '/';
    await next();
  });
  app.use(protectKoa(guard));
  app.use(async (context) => {
    entries += 1;
    // As a handler that asks a database: the answer is sent once it has come.
    await new Promise(setImmediate);
    const { username, roleKey } = context.state.caller;
    context.body = { username, roleKey };
  });
  return await listening(app.listen(0, '127.0.0.1'), () => entries);
}

export async function serveHono(guard: Guard): Promise<Adapted> {
  let entries = 0;
  const app = new Hono();
  app.use(protectHono(guard));
  app.all('/api/v1/*', (context) => {
    entries += 1;
    const { username, roleKey } = context.var.caller;
    return context.json({ username, roleKey });
  });
  // Its own would print what is thrown.
  app.onError(() => new Response('', { status: 500 }));
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  return await listening(server.listen(0, '127.0.0.1'), () => entries);
}

/** A handler of the Fetch API, and nothing else: it has the request alone. */
export async function serveFetch(guard: Guard): Promise<Adapted> {
  let entries = 0;
  const handle = protectHandler(guard, (_request, { caller: { username, roleKey } }) => {
    entries += 1;
    return Response.json({ username, roleKey });
  });
  const fetch = async (request: Request) =>
    await Promise.resolve(handle(request, {})).catch(() => new Response('', { status: 500 }));
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
  return await listening(server.listen(0, '127.0.0.1'), () => entries);
}

async function listening(server: Server, entries: () => number): Promise<Adapted> {
  await once(server, 'listening');
  return { port: portOf(server), entries, close: () => new Promise((resolve) => void server.close(resolve)) };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
