import { ClientError } from '@portcullis/client';
import { expect, it } from 'vitest';
import { collectBytes, formatBytes } from '../../src/logs/collect-bytes.ts';

function responseOf(pieces: readonly string[], error?: Error): Response {
  const rest = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = rest.shift();
      if (piece !== undefined) controller.enqueue(new TextEncoder().encode(piece));
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/csv' } });
}

it('returns no file where the connection is cut', async () => {
  const { signal } = new AbortController();
  const collected = collectBytes(responseOf(['id,at\n'], new Error('cut')), () => {}, signal);
  await expect(collected).rejects.toMatchObject({ kind: 'network' });
});

it('reports a stop by the reader as aborted, not as a cut connection', async () => {
  const controller = new AbortController();
  const collected = collectBytes(
    responseOf(['id,at\n'], new Error('stop')),
    () => controller.abort(),
    controller.signal,
  );
  await expect(collected).rejects.toEqual(expect.any(ClientError));
  await expect(collected).rejects.toMatchObject({ kind: 'aborted' });
});

it('returns the whole file, and reports the received bytes', async () => {
  const told: number[] = [];
  const { signal } = new AbortController();
  const file = await collectBytes(responseOf(['id,at\n', '1,2\n']), (bytes) => told.push(bytes), signal);
  expect(await file.text()).toBe('id,at\n1,2\n');
  expect(file.type).toBe('text/csv');
  expect(told).toEqual([6, 10]);
});

it.each([
  [0, '0B'],
  [999, '999B'],
  [1500, '1.5 kB'],
  [12_400_000, '12.4 MB'],
])('writes %i bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes, 'en-GB')).toBe(text);
});
