// Over real sockets: what is under test is what leaves, and when it stops.

import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, defineEndpoint, route } from '@portcullis/contract';
import { type Check, createPipeline } from '@portcullis/gate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countAwakeTime } from '../../../../test/rig/awake-time.ts';
import { judgeTime } from '../../../../test/rig/judges-times.ts';
import { createHttpApp } from '../../src/http/create-http-app.ts';
import { mount } from '../../src/http/mount.ts';

const endpoint = defineEndpoint({
  method: 'GET',
  path: '/api/v1/stream',
  access: 'permission',
  title: 'Stream',
  stream: 'text/plain; charset=utf-8',
});

type Make = (signal: AbortSignal) => AsyncGenerator<string>;
let make: Make;
let permit: Check;
let generation: number;
let isLive: boolean;
let signal: AbortSignal | undefined;
/** The client has its first piece. */
let hasCome: PromiseWithResolvers<void>;
const faults: unknown[] = [];
const pass = () => {};
let app: ReturnType<typeof createHttpApp>;

beforeEach(async () => {
  permit = pass;
  generation = 1;
  isLive = true;
  faults.length = 0;
  signal = undefined;
  hasCome = Promise.withResolvers();
  app = createHttpApp({
    createRequestId: () => 'request-1',
    reportFault: (cause) => faults.push(cause),
    isDraining: () => false,
  });
  mount(
    app,
    [
      route(endpoint, (call) => {
        signal = call.signal;
        call.setHeader('content-disposition', 'attachment');
        return make(call.signal);
      }),
    ],
    createPipeline({
      limit: pass,
      limitCaller: pass,
      leased: pass,
      identify: pass,
      site: pass,
      passwordDue: pass,
      permit: (call) => permit(call),
    }),
    {
      revision: { n: 1, mark: '' },
      get generation() {
        return generation;
      },
      isLive: () => isLive,
    },
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(() => app.close());

const portOf = () => (app.server.address() as AddressInfo).port;

async function open(): Promise<IncomingMessage> {
  const request = get({ host: '127.0.0.1', port: portOf(), path: '/api/v1/stream', agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

/** What came, and whether it came to its proper end. */
async function readAll(response: IncomingMessage): Promise<{ text: string; isWhole: boolean }> {
  let text = '';
  response.on('error', pass).on('data', (part: string) => {
    text += part;
    hasCome.resolve();
  });
  await new Promise((resolve) => response.once('close', resolve));
  return { text, isWhole: response.complete };
}

/** Gives one piece, and waits for ever. */
const waiting: Make = async function* (aborted) {
  yield 'one';
  await sleep(1 << 30, undefined, { signal: aborted });
};

const deny = () => {
  throw new AppError('permission_denied');
};

describe('before its first piece', () => {
  it.each([
    ['an error on purpose', new AppError('rate_limited'), 200, 429],
    ['a fault', new Error('The ledger is torn.'), 500, 500],
  ])('%s is an ordinary answer', async (_what, cause, status, code) => {
    // biome-ignore lint/correctness/useYield: It throws before it could.
    make = async function* () {
      throw cause;
    };
    const response = await open();
    const { text } = await readAll(response);
    expect([response.statusCode, JSON.parse(text).code]).toEqual([status, code]);
    expect(response.headers).not.toHaveProperty('content-disposition');
    expect(text).not.toContain('ledger');
  });

  it('a refusal is an ordinary answer, also where the piece never comes', async () => {
    make = async function* (aborted) {
      permit = deny;
      await sleep(1 << 30, undefined, { signal: aborted });
      yield 'never';
    };
    const { text } = await readAll(await open());
    expect(JSON.parse(text).code).toBe(401);
    expect(signal?.aborted).toBe(true);
  });
});

describe('a stream', () => {
  it('without its right any more never gives the next piece', async () => {
    make = async function* () {
      yield 'one';
      await hasCome.promise;
      permit = deny;
      yield 'two';
    };
    expect(await readAll(await open())).toEqual({ text: 'one', isWhole: false });
    expect(faults).toEqual([]);
  });

  it('whose lease is over never gives the next piece', async () => {
    make = async function* () {
      yield 'one';
      await hasCome.promise;
      isLive = false;
      yield 'two';
    };
    expect(await readAll(await open())).toEqual({ text: 'one', isWhole: false });
  });

  it('repeats a decision during which access changed', async () => {
    make = async function* () {
      yield 'one';
      await hasCome.promise;
      permit = async () => {
        await sleep(1);
        generation += 1;
        permit = deny;
      };
      yield 'two';
    };
    expect(await readAll(await open())).toEqual({ text: 'one', isWhole: false });
  });

  it.each([
    ['its right', () => ({ right: deny, lease: true })],
    ['the lease', () => ({ right: pass, lease: false })],
  ])('that waits for a piece ends within a second of %s', async (_what, left) => {
    make = waiting;
    const response = await open();
    await once(response, 'data');
    const readTime = countAwakeTime();
    ({ right: permit, lease: isLive } = left());
    expect((await readAll(response)).isWhole).toBe(false);
    judgeTime('The end of a stream', readTime(), 1000);
    expect(signal?.aborted).toBe(true);
  });

  it('ends where the service does, also one whose client reads nothing', async () => {
    make = async function* () {
      for (;;) yield 'x'.repeat(100_000);
    };
    const socket = connect(portOf(), '127.0.0.1').pause();
    socket.on('error', pass);
    socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => signal).toBeDefined();
    const readTime = countAwakeTime();
    await app.close();
    judgeTime('The end of the service', readTime(), 2000);
    await expect.poll(() => signal?.aborted).toBe(true);
    socket.destroy();
  });

  it('makes no more pieces than a client reads', async () => {
    let made = 0;
    make = async function* () {
      for (;;) {
        made += 1;
        yield 'x'.repeat(1_000_000);
      }
    };
    const socket = connect(portOf(), '127.0.0.1').pause();
    socket.write('GET /api/v1/stream HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => made).toBeGreaterThan(0);
    for (let before = -1; before !== made; await sleep(500)) before = made;
    // What the two kernels' buffers hold, and one piece.
    expect(made).toBeLessThan(20);
    socket.destroy();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('ends its source when the client disconnects', async () => {
    make = waiting;
    const response = await open();
    response.on('error', pass);
    await once(response, 'data');
    response.destroy();
    await expect.poll(() => signal?.aborted).toBe(true);
    expect(faults).toEqual([]);
  });

  it('is cut at a fault in the middle, so that no client takes the part for the whole', async () => {
    const fault = new Error('The ledger is torn.');
    make = async function* () {
      yield 'one';
      await hasCome.promise;
      throw fault;
    };
    expect(await readAll(await open())).toEqual({ text: 'one', isWhole: false });
    expect(faults).toEqual([fault]);
  });

  it('that is whole carries the common headers and no length', async () => {
    make = async function* () {
      yield 'one';
      yield '';
      yield 'two';
    };
    const response = await open();
    expect(await readAll(response)).toEqual({ text: 'onetwo', isWhole: true });
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': 'attachment',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
      'x-accel-buffering': 'no',
    });
    expect(response.headers).not.toHaveProperty('content-length');
    await expect.poll(() => signal?.aborted).toBe(true);
  });
});
