// The stream of rings behind a proxy that keeps small pieces back: nginx as it is, and told not to listen to us.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitUntil } from '../../../../../../test/rig/postgres-server.ts';
import { type RigProcess, startProgram } from '../../../../../../test/rig/start-process.ts';
import { findFreePort } from '../../../../../../test/rig/tcp-proxy.ts';
import { createNotificationStreams } from '../../../../src/permissions/decision-api/guard/notification-streams.ts';
import { listening } from '../listening.ts';

let ring: (revision: number) => void = () => {};
let server: Server;
let folder: string;
let nginx: RigProcess;

beforeEach(async () => {
  const rings = createNotificationStreams((listener) => {
    ring = listener;
    return () => {};
  });
  server = createServer((_request, response) => rings.open(response));
  await listening(server);
  folder = await mkdtemp(join(tmpdir(), 'portcullis-nginx-'));
});
afterEach(async () => {
  nginx.signal('SIGTERM');
  await nginx.exited;
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

async function startNginx(setting = ''): Promise<number> {
  const port = await findFreePort();
  const { port: upstream } = server.address() as AddressInfo;
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
     http {
       access_log off; client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
       uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
       server { listen 127.0.0.1:${port}; location / { proxy_pass http://127.0.0.1:${upstream}; ${setting} } }
     }`,
  );
  nginx = startProgram('/usr/sbin/nginx', ['-c', file]);
  await waitUntil('nginx listens', () => isOpen(port));
  return port;
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}

const rings = 50;

/** Rings so many times, a hundredth of a second apart, and counts what is heard until the wait is over. */
async function countHeard(port: number, wait: (count: () => number) => Promise<void>): Promise<number> {
  const leaving = new AbortController();
  let text = '';
  const count = () => text.split('\n').filter((line) => line !== '').length;
  const reading = fetch(`http://127.0.0.1:${port}/`, { signal: leaving.signal }).then(async ({ body }) => {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  });
  reading.catch(() => {});
  ring = () => {};
  const unset = ring;
  await waitUntil('the stream is open', () => ring !== unset);
  for (let n = 1; n <= rings; n += 1) {
    ring(n);
    await sleep(10);
  }
  await wait(count);
  leaving.abort();
  await reading.catch(() => {});
  return count();
}

it('passes at once, because it says so', async () => {
  const port = await startNginx();
  const allAreHeard = (count: () => number) => waitUntil('all are heard', () => count() === rings);
  expect(await countHeard(port, allAreHeard)).toBe(rings);
});

it('would be kept back otherwise', async () => {
  const port = await startNginx('proxy_ignore_headers X-Accel-Buffering;');
  expect(await countHeard(port, () => sleep(500))).toBeLessThan(rings);
});
