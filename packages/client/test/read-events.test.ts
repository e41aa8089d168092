// Events are the same however the network cuts their bytes, and a stream that stops is reported.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvents, type StreamEvent } from '../src/read-events.ts';

const text =
  '\ufeff:\n\nid: 1\ndata: {"name":"Zoë 你好"}\n\nevent: gap\r\ndata: {}\r\n\r\n:\r\rdata: [1,\rdata:2]\r\rid\ndata: null\n\n';
const events: StreamEvent[] = [
  { name: 'message', id: '1', data: { name: 'Zoë 你好' } },
  { name: 'gap', id: '1', data: {} },
  { name: 'message', id: '1', data: [1, 2] },
  { name: 'message', id: '', data: null },
];

function responseOf(
  pieces: Uint8Array[],
  ending: 'close' | 'error' | 'wait' = 'close',
  cancelled = () => {},
): Response {
  const queue = [...pieces];
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = queue.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (ending === 'error') controller.error(new TypeError('terminated'));
      else if (ending === 'close') controller.close();
    },
    cancel: cancelled,
  });
  return new Response(stream);
}

async function collect(response: Response, signal?: AbortSignal): Promise<StreamEvent[]> {
  const collected: StreamEvent[] = [];
  for await (const event of readEvents(response, signal)) collected.push(event);
  return collected;
}

it('refuses data that is no JSON', async () => {
  await expect(collect(responseOf([Buffer.from('data: <p>\n\n')]))).rejects.toMatchObject({
    kind: 'not_understood',
  });
});

it('reports a cut connection, and drops half an event', async () => {
  const response = responseOf([Buffer.from('data: 1\n\ndata: 2')], 'error');
  const iterator = readEvents(response);
  expect(await iterator.next()).toMatchObject({ value: { data: 1 } });
  await expect(iterator.next()).rejects.toMatchObject({ name: 'ClientError', kind: 'network' });
});

it('reports an abort as aborted', async () => {
  await expect(collect(responseOf([], 'error'), AbortSignal.abort())).rejects.toMatchObject({
    kind: 'aborted',
  });
});

it('closes the connection when its reader stops', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  for await (const _ of readEvents(responseOf([Buffer.from('data: 1\n\n')], 'wait', resolve))) break;
  await promise;
});

it('gives the same events wherever the bytes are cut', async () => {
  const bytes = Buffer.from(text);
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(cuts, async (places) => {
      const edges = [0, ...places.sort((a, b) => a - b), bytes.length];
      const pieces = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
      expect(await collect(responseOf(pieces))).toEqual(events);
    }),
  );
});
