// Over real sockets: what is under test is which answers stand on a connection, and in which order.

import { type AddressInfo, connect } from 'node:net';
import { dataReply, defineEndpoint, route } from '@portcullis/contract';
import { createPipeline } from '@portcullis/gate';
import { Type } from 'typebox';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createHttpApp } from '../../src/http/create-http-app.ts';
import { mount } from '../../src/http/mount.ts';

const common = { access: 'public', reply: dataReply(Type.String()) } as const;
const quick = defineEndpoint({ ...common, method: 'GET', path: '/api/v1/quick', title: 'Quick' });
const slow = defineEndpoint({ ...common, method: 'GET', path: '/api/v1/slow', title: 'Slow' });
const post = defineEndpoint({
  ...common,
  method: 'POST',
  path: '/api/v1/post',
  title: 'Post',
  body: Type.Object({}),
});

const entered: string[] = [];
let release = () => {};
const pass = () => {};
const app = createHttpApp({ createRequestId: () => 'request-1', reportFault: pass, isDraining: () => false });
mount(
  app,
  [
    route(quick, () => ({ data: `quick ${entered.push('quick')}` })),
    route(slow, async () => {
      entered.push('slow');
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { data: 'slow' };
    }),
    route(post, () => ({ data: `post ${entered.push('post')}` })),
  ],
  createPipeline({
    limit: pass,
    leased: pass,
    limitCaller: pass,
    identify: pass,
    site: pass,
    passwordDue: pass,
    permit: pass,
  }),
  { revision: { n: 1, mark: '' }, generation: 1, isLive: () => true },
);

beforeAll(async () => void (await app.listen({ host: '127.0.0.1', port: 0 })));
afterAll(() => app.close());
beforeEach(() => void entered.splice(0));

/** The statuses of all answers until the server hangs up; `during` runs once the bytes are sent. */
async function statusesOf(bytes: string, during = async () => {}): Promise<number[]> {
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  // A reset is an end as well, and takes nothing away that has come before it.
  const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
  socket.write(bytes);
  await during();
  await closed;
  return [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
}

const get = (name: string, headers = 'Host: x') => `GET /api/v1/${name} HTTP/1.1\r\n${headers}\r\n\r\n`;
const whenSlowEntered = async () => {
  await expect.poll(() => entered).toContain('slow');
  release();
};

it('bytes that are no HTTP are answered with 400', async () => {
  expect(await statusesOf('canary\r\n\r\n')).toEqual([400]);
});

it('a request before them is answered first, however long it takes', async () => {
  expect(await statusesOf(`${get('slow')}canary\r\n\r\n`, whenSlowEntered)).toEqual([200, 400]);
});

it('a request before them that was answered keeps its answer', async () => {
  expect(await statusesOf(`${get('quick')}canary\r\n\r\n`)).toEqual([200, 400]);
});

it('a body that breaks is answered with 400 where it was awaited', async () => {
  const head = 'POST /api/v1/post HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
  expect(await statusesOf(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\nxy`)).toEqual([400]);
  expect(entered).toEqual([]);
});

it('a body that breaks after its answer gets no second one', async () => {
  const head = 'POST /api/v1/post HTTP/1.1\r\nHost: x\r\nContent-Type: text/x\r\n';
  expect(await statusesOf(`${head}Transfer-Encoding: chunked\r\n\r\n1\r\nxy`)).toEqual([415]);
});

it('neither runs nor answers a request after Connection: close', async () => {
  const closing = get('slow', 'Host: x\r\nConnection: close');
  expect(await statusesOf(`${closing}${get('quick')}`, whenSlowEntered)).toEqual([200]);
  expect(entered).toEqual(['slow']);
});

it('neither runs nor answers a request after a refused one', async () => {
  const bytes = get('slow') + get('quick', 'Host: x\r\nHost: y') + get('quick');
  expect(await statusesOf(bytes, whenSlowEntered)).toEqual([200, 400]);
  expect(entered).toEqual(['slow']);
});

it('an unknown expectation is refused in its turn', async () => {
  const bytes = get('slow') + get('quick', 'Host: x\r\nExpect: canary') + get('quick');
  expect(await statusesOf(bytes, whenSlowEntered)).toEqual([200, 400]);
  expect(entered).toEqual(['slow']);
});

it('a CONNECT is not found, in its turn', async () => {
  const bytes = `${get('slow')}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n${get('quick')}`;
  expect(await statusesOf(bytes, whenSlowEntered)).toEqual([200, 404]);
  expect(entered).toEqual(['slow']);
});
