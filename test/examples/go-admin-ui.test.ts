// go-admin's front end behind nginx, by the configuration of deploy/gateways: what Portcullis answers itself, and what is
// asked about and passed on to go-admin. For the front end stands a page, and for go-admin a service that says what it got.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server as HttpServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Database } from '../rig/create-database.ts';
import { createHttpClient, type HttpClient } from '../rig/http-client.ts';
import { commandLine } from '../rig/start-process.ts';
import { type Server, startServer } from '../rig/start-server.ts';
import { startNginx } from './start-nginx.ts';
import { createWorld, logIn } from './world.ts';

const secret = 'c4bd0ef83d6b47f2918ea5107c3d9e26';
const page = '<!doctype html><title>front end</title>';

let database: Database;
let portcullis: Server;
let goAdmin: HttpServer;
let nginx: Awaited<ReturnType<typeof startNginx>>;
let folder: string;
let client: HttpClient;
const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[] = [];

beforeAll(async () => {
  database = await createWorld();
  await database.query(
    `insert into rules select id, 'GET', '/api/v1/sys-user' from roles where role_key = 'clerk'`,
  );
  portcullis = await startServer({
    databaseUrl: database.url,
    script: commandLine,
    arguments: ['serve'],
    settings: {
      APPLICATION_COMPATIBILITY: 'go-admin',
      APPLICATION_TRUSTED_PROXIES: '["127.0.0.1"]',
      DECISION_SECRET: secret,
    },
  });
  goAdmin = createServer(({ url, headers }, response) => {
    received.push({ url, headers });
    response.end('{"code":200,"data":"go-admin"}');
  }).listen(0, '127.0.0.1');
  await once(goAdmin, 'listening');
  folder = await mkdtemp(join(tmpdir(), 'portcullis-front-end-'));
  await writeFile(join(folder, 'index.html'), page);
  nginx = await startNginx({
    decisionPort: portcullis.decisionPort,
    servicePort: (goAdmin.address() as AddressInfo).port,
    secret,
    frontEnd: { folder, portcullisPort: portcullis.port },
  });
  client = createHttpClient(nginx.port);
});
afterAll(async () => {
  client?.close();
  await nginx?.stop();
  goAdmin?.close();
  await portcullis?.stop();
  await database?.drop();
  if (folder) await rm(folder, { recursive: true });
});

const users = { path: '/api/v1/sys-user' };

it('nothing reaches go-admin without a token, or without the permission', async () => {
  const token = await logIn(client, database, 'gina');
  received.length = 0;
  expect((await client.send(users)).body.code).toBe(401);
  const refused = await client.send(present(token, 'header', users));
  expect([refused.status, refused.body.code]).toEqual([200, 403]);
  expect((await client.send({ path: '/static/uploadfile/a.png' })).body.code).toBe(401);
  // What nginx takes for the login is not what was sent, and Portcullis looks at that.
  expect((await client.send({ method: 'POST', path: '/api/v1/%6cogin', body: {} })).status).toBe(404);
  expect((await client.send({ path: '/api/v1/sys-user/../app-config' })).status).toBe(404);
  expect(received).toEqual([]);
});

it('the rest reaches go-admin with the name of the caller and without the token', async () => {
  const token = await logIn(client, database, 'carl');
  received.length = 0;
  const answer = await client.send(present(token, 'header', users));
  expect(answer.body).toEqual({ code: 200, data: 'go-admin' });
  expect(received).toHaveLength(1);
  expect(received[0]?.headers).toMatchObject({ 'x-portcullis-username': 'carl' });
  expect(JSON.stringify(received)).not.toContain(token);
});

it('the page is the front end’s, and Portcullis answers its calls from the login to the menu', async () => {
  expect((await client.send({ path: '/' })).text).toBe(page);
  expect((await client.send({ path: '/nothing.js' })).status).toBe(404);
  const token = await logIn(client, database, 'carl');
  received.length = 0;
  for (const path of ['captcha', 'app-config', 'getinfo', 'menurole', 'user/profile']) {
    const { body } = await client.send(present(token, 'header', { path: `/api/v1/${path}` }));
    expect([path, body.code]).toEqual([path, 200]);
  }
  const body = { oldPassword: 'wrong', newPassword: 'lamp orbit velvet ninety' };
  const set = await client.send(
    present(token, 'header', { method: 'PUT', path: '/api/v1/user/pwd/set', body }),
  );
  expect(set.body.code).toBe(400);
  const out = await client.send(present(token, 'header', { method: 'POST', path: '/api/v1/logout' }));
  expect(out.body.code).toBe(200);
  expect(received).toEqual([]);
});
