import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { failIfAttackSucceeded } from '../../../../../test/weaknesses/attack.ts';
import { createAllowedAddresses } from '../../../src/base/outbound/allowed-addresses.ts';
import { type Address, createHostResolver } from '../../../src/base/outbound/host-resolver.ts';
import { createSendEvent } from '../../../src/people/webhooks/send-event.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const inner: Address = { address: '127.0.0.1', family: 4 };
const resolve = createHostResolver();
const outer: Address = { address: '192.0.77.1', family: 4 };

describe('a name', () => {
  const send = async (answers: readonly (readonly Address[])[], networks: readonly string[] = []) => {
    let connections = 0;
    const port = await listen(
      createTcpServer((socket) => {
        connections += 1;
        socket.on('error', () => {}).destroy();
      }),
    );
    let asked = 0;
    const { post, close } = createSendEvent({
      addresses: createAllowedAddresses({ allowedNetworks: networks, allowLoopback: false }),
      resolve: createHostResolver({
        ask: async () => answers[Math.min(asked++, answers.length - 1)] ?? [],
      }),
      timeoutMilliseconds: 500,
    });
    closing.push(close);
    const problem = await post(`https://hook.example.com:${port}/`, {}, '{}').catch(
      (error: Error) => error.message,
    );
    return { problem, connections };
  };

  it('that resolves to a forbidden address is not connected to, also beside an allowed one', async () => {
    for (const answers of [[inner], [outer, inner]])
      expect(await send([answers])).toEqual({
        problem: 'hook.example.com is 127.0.0.1, which the settings do not allow',
        connections: 0,
      });
    expect((await send([[inner]], ['127.0.0.1'])).connections).toBe(1);
  });

  it('is looked up once, and the connection goes to what was found then', async () => {
    expect((await send([[outer], [inner]])).connections).toBe(0);
  });

  it('without an address is reported', async () => {
    expect((await send([[]])).problem).toBe('hook.example.com has no address');
  });
});

it('a URL that the settings do not allow any more is not connected to', async () => {
  const addresses = createAllowedAddresses({ allowedNetworks: [], allowLoopback: false });
  const { post, close } = createSendEvent({ addresses, resolve });
  closing.push(close);
  for (const url of ['https://10.0.0.1/', 'http://127.0.0.1:9/', 'http://example.com/'])
    await expect(post(url, {}, '{}')).rejects.toThrow('the settings do not let events go there');
});

it('a socket to another address than the checked ones is closed before an event is sent', async () => {
  const outside = createAllowedAddresses({ allowedNetworks: [], allowLoopback: false });
  // As if another address had been chosen behind the check of the name.
  const addresses = { ...outside, findRefused: () => undefined };
  const port = await listen(createTcpServer((socket) => void socket.on('error', () => {}).resume()));
  const { post, close } = createSendEvent({
    addresses,
    resolve: async () => [inner],
    timeoutMilliseconds: 500,
  });
  closing.push(close);
  const problem = await post(`https://hook.example.com:${port}/`, {}, '{}').catch(
    (error: Error) => error.message,
  );
  failIfAttackSucceeded(problem === 'no answer within 0.5 s', 'the socket stays open');
  expect(problem).toBe('127.0.0.1 is not allowed by the settings');
});

describe('an answer', () => {
  const answered = async (
    answer: (response: ServerResponse) => void,
    timeoutMilliseconds = 500,
  ): Promise<string | undefined> => {
    const port = await listen(createServer((_request, response) => answer(response)));
    const { post, close } = createSendEvent({
      addresses: createAllowedAddresses({ allowedNetworks: [], allowLoopback: true }),
      resolve,
      timeoutMilliseconds,
    });
    closing.push(close);
    return await post(`http://127.0.0.1:${port}/`, {}, '{}').then(
      () => undefined,
      (error: Error) => error.message,
    );
  };

  it.each([
    [200, undefined],
    [204, undefined],
    [299, undefined],
    [300, 'answered 300; redirects are not followed'],
    [400, 'answered 400'],
    [503, 'answered 503'],
  ])('of %i is %s', async (status, problem) => {
    expect(await answered((response) => void response.writeHead(status).end())).toBe(problem);
  });

  it('that does not come is given up', async () => {
    expect(await answered(() => {})).toBe('no answer within 0.5 s');
  });

  it('that is short leaves its connection for the next event', async () => {
    const seen = new Set<unknown>();
    let reused = 0;
    const port = await listen(
      createServer(({ socket }, response) => {
        if (seen.has(socket)) reused += 1;
        seen.add(socket);
        response.end('taken');
      }),
    );
    const { post, close } = createSendEvent({
      addresses: createAllowedAddresses({ allowedNetworks: [], allowLoopback: true }),
      resolve,
    });
    closing.push(close);
    const send = async () => {
      await post(`http://127.0.0.1:${port}/`, {}, '{}');
      return reused;
    };
    await expect.poll(send, { timeout: 20_000 }).toBeGreaterThan(0);
  });

  it('that does not end counts by its status, and its connection is cut', async () => {
    let isCut: Promise<unknown> | undefined;
    let written = 0;
    const piece = Buffer.alloc(65_536);
    const endless = (response: ServerResponse) => {
      isCut = once(response, 'close');
      response.writeHead(200);
      const write = () => {
        if (response.destroyed) return;
        written += piece.length;
        response.write(piece, () => setImmediate(write));
      };
      write();
    };
    expect(await answered(endless, 5000)).toBeUndefined();
    await isCut;
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });
});
