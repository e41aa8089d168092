// Over real sockets and with targets as they are: a client that tidies up a path would test nothing here.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/base/settings/config.ts';
import { isConsoleRoot, mountConsole, readConsoleFiles } from '../../src/http/console.ts';
import { createHttpApp } from '../../src/http/create-http-app.ts';

const page = '<!doctype html><title>Portcullis</title>';
const script = `console.log('${'a'.repeat(2000)}');`;
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

let folder: string;
let app: FastifyInstance;
const origin = 'https://admin.example.com';

beforeAll(async () => {
  const around = await mkdtemp(join(tmpdir(), 'portcullis-console-'));
  folder = join(around, 'dist');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(around, 'package.json'), 'canary');
  await writeFile(join(around, 'secret.js'), 'canary');
  await writeFile(join(folder, 'index.html'), page);
  await writeFile(join(folder, 'favicon.svg'), '<svg/>');
  await writeFile(join(folder, 'notes.txt'), 'canary');
  await writeFile(join(folder, 'assets/index-K3u.js'), script);
  await writeFile(join(folder, 'assets/index-K3u.css'), 'a{}');
  await symlink(join(around, 'secret.js'), join(folder, 'assets/linked.js'));
  app = await serve();
});
afterAll(async () => {
  await app.close();
  await rm(join(folder, '..'), { recursive: true });
});

async function serve({ mounted = true, origins = [] as string[] } = {}): Promise<FastifyInstance> {
  const served = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: () => {},
    isDraining: () => false,
    origins,
  });
  const files = await readConsoleFiles(folder);
  if (files === undefined) throw new Error('The files are not there.');
  if (mounted) mountConsole(served, files);
  await served.listen({ host: '127.0.0.1', port: 0 });
  return served;
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

async function send(
  path: string,
  {
    method = 'GET',
    headers = {},
    to = app,
  }: { method?: string; headers?: object; to?: FastifyInstance } = {},
): Promise<Answer> {
  const { port } = to.server.address() as AddressInfo;
  const opened = request({ host: '127.0.0.1', port, path, method, headers: { ...headers }, agent: false });
  opened.end();
  const [response] = await once(opened, 'response');
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) };
}

function expectNotFound({ status, headers, body }: Answer): void {
  expect(status).toBe(404);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  expect(JSON.parse(body.toString())).toEqual({ code: 404, msg: 'There is no such address.' });
}

describe('a path without a file and a page is not found, as everywhere in the product', () => {
  it.each([
    '/console/../package.json',
    '/console/../secret.js',
    '/console/assets/../../secret.js',
    '/console/%2e%2e/secret.js',
    '/console/..%2fsecret.js',
    '/console/%2e%2e%2fsecret.js',
    '/console/..%5csecret.js',
    '/console/..\\secret.js',
    '/console//secret.js',
    '/console/./index.html',
    '/console/assets/index-K3u.js/',
    '/console/assets/index-K3u.js%00',
    '/console/assets/nope.js',
    '/console/assets/nope',
    '/console/assets/linked.js',
    '/console/x.html',
    '/console/x.php',
    '/console/notes.txt',
    '/console/package.json',
    '/console/users/',
    '/console/users/7/',
    '/console/users/7.js',
    '/console/users/assets/../x',
    '/console/assets/deep/nope',
    '/console/index.html/api/v1/users',
    '/console//',
    '/consoles',
    '/Console',
    '/assets/index-K3u.js',
    '/index.html',
    '/',
  ])('%s', async (path) => {
    expectNotFound(await send(path));
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    '%s to the document, a page or a file',
    async (method) => {
      for (const path of ['/console', '/console/users', '/console/assets/index-K3u.js'])
        expectNotFound(await send(path, { method }));
    },
  );

  it('HEAD, like every HEAD', async () => {
    expect((await send('/console', { method: 'HEAD' })).status).toBe(404);
  });

  it('all of it where the console is not mounted', async () => {
    const bare = await serve({ mounted: false });
    for (const path of ['/console', '/console/', '/console/users', '/console/assets/index-K3u.js'])
      expectNotFound(await send(path, { to: bare }));
    await bare.close();
  });
});

describe('the root path', () => {
  const html = { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' };

  it('leads a browser to the console', async () => {
    const { status, headers } = await send('/', { headers: html });
    expect([status, headers.location, headers['cache-control']]).toEqual([302, '/console/', 'no-store']);
  });

  it('is not found with another Accept header, with another method, and with a query', async () => {
    expectNotFound(await send('/', { headers: { accept: 'application/json' } }));
    expectNotFound(await send('/', { headers: { accept: '*/*' } }));
    expectNotFound(await send('/', { headers: html, method: 'POST' }));
    expectNotFound(await send('/?next=https://evil.example', { headers: html }));
    expectNotFound(await send('//evil.example', { headers: html }));
  });

  it('is not there without a console', async () => {
    const bare = await serve({ mounted: false });
    expectNotFound(await send('/', { headers: html, to: bare }));
    await bare.close();
  });
});

describe('the document', () => {
  it.each([
    '/console',
    '/console/',
    '/console/?range=week',
    '/console/sign-in',
    '/console/sign-in?to=/users%3Frole=3&ended=1',
    '/console/login-log',
    '/console/no-such-page',
    '/console/users/7',
    '/console/users/7/sessions?range=week',
    '/console/roles/order_Clerk',
    '/console/index.html',
  ])('is at %s, and is never kept', async (path) => {
    const { status, headers, body } = await send(path);
    expect([status, body.toString()]).toEqual([200, page]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(page.length),
      'cache-control': 'no-store',
      'x-request-id': 'request-1',
    });
  });

  it('has one address with a slash at its end, and no other becomes one by looking like it', () => {
    for (const target of ['/console/', '/console/?', '/console/?a=/b/'])
      expect(isConsoleRoot(target)).toBe(true);
    for (const target of [
      '/console',
      '/console//',
      '/console/#a',
      '/console/?#a',
      '/console/? ',
      '/x/console/',
    ])
      expect(isConsoleRoot(target)).toBe(false);
  });
});

describe('every file', () => {
  it.each([
    ['/console', 'text/html; charset=utf-8'],
    ['/console/assets/index-K3u.js', 'text/javascript; charset=utf-8'],
    ['/console/assets/index-K3u.css', 'text/css; charset=utf-8'],
    ['/console/favicon.svg', 'image/svg+xml'],
  ])('serves %s with its content type, a strict policy, and no framing', async (path, contentType) => {
    const { status, headers } = await send(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': contentType,
      'content-security-policy': policy,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('is kept for ever where its name holds its hash, and else not at all', async () => {
    const cacheControl = async (path: string) => (await send(path)).headers['cache-control'];
    expect(await cacheControl('/console/assets/index-K3u.js')).toBe('public, max-age=31536000, immutable');
    expect(await cacheControl('/console/assets/index-K3u.css')).toBe('public, max-age=31536000, immutable');
    expect(await cacheControl('/console/favicon.svg')).toBe('no-store');
  });

  it.each([
    ['gzip', true],
    ['GZIP', true],
    ['gzip, deflate, br, zstd', true],
    ['br, gzip;q=0.5', true],
    ['gzip; q=1.0', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['br, gzip; q=0', false],
    ['br', false],
    ['xgzip', false],
    ['', false],
  ])('asked for with Accept-Encoding "%s" is compressed: %s', async (accepted, isCompressed) => {
    const headers = { 'accept-encoding': accepted };
    for (let round = 1; round <= 2; round += 1) {
      const answer = await send('/console/assets/index-K3u.js', { headers });
      expect(answer.headers['content-encoding']).toBe(isCompressed ? 'gzip' : undefined);
      expect((isCompressed ? gunzipSync(answer.body) : answer.body).toString()).toBe(script);
      expect(Number(answer.headers['content-length'])).toBe(answer.body.length);
    }
  });

  it('is not compressed for a request without Accept-Encoding', async () => {
    const { headers, body } = await send('/console/assets/index-K3u.js');
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, script]);
  });

  it('still varies by origin where origins are listed', async () => {
    const shared = await serve({ origins: [origin] });
    const { headers } = await send('/console/assets/index-K3u.js', { to: shared, headers: { origin } });
    expect(headers.vary).toBe('Origin, Accept-Encoding');
    await shared.close();
  });
});

describe('the folder', () => {
  it('that is not there, or has no document, is no console', async () => {
    expect(await readConsoleFiles(join(folder, 'nowhere'))).toBeUndefined();
    expect(await readConsoleFiles(join(folder, 'assets'))).toBeUndefined();
    expect(await readConsoleFiles(join(folder, 'index.html'))).toBeUndefined();
  });

  it('gives its files by their paths, and none of an unknown type or from elsewhere', async () => {
    const files = await readConsoleFiles(folder);
    expect([...(files?.keys() ?? [])].sort()).toEqual([
      'assets/index-K3u.css',
      'assets/index-K3u.js',
      'favicon.svg',
      'index.html',
    ]);
  });
});

describe('the setting application.console', () => {
  const enabled = (environment: Record<string, string>) =>
    loadConfig({
      environment: {
        DATABASE_URL: 'postgres://x@127.0.0.1/x',
        AUTH_MASTER_KEY: randomBytes(32).toString('hex'),
        ...environment,
      },
    }).consoleEnabled;

  it('is on unless it is switched off', () => {
    expect(enabled({})).toBe(true);
    expect(enabled({ APPLICATION_CONSOLE: 'false' })).toBe(false);
  });
});
