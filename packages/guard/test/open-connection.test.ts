// A guard's connection to an instance: until when it is used, and what is reported at its end.
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { Http } from '../src/http.ts';
import { createOpenConnection } from '../src/open-connection.ts';

const refused = { kind: 'refused', seq: 1, why: 'behind' } as const;

async function open() {
  const sent: string[] = [];
  const heard: unknown[] = [];
  const ends: string[] = [];
  let closes = 0;
  const line = Object.assign(new EventEmitter(), {
    url: 'ws://127.0.0.1:8002/line',
    send: (text: string) => void sent.push(text),
    close: () => {
      closes += 1;
    },
  });
  const http = { openConnection: async () => line } as unknown as Http;
  const own = await createOpenConnection(http)({
    onMessage: (message) => void heard.push(message),
    onClosed: ({ message }) => void ends.push(message),
  });
  return { line, own, sent, heard, ends, closes: () => closes };
}

it('passes messages on in both directions', async () => {
  const { line, own, sent, heard, ends } = await open();
  line.emit('message', JSON.stringify(refused));
  own.send({ kind: 'release' });
  expect([heard, sent, ends]).toEqual([[refused], ['{"kind":"release"}'], []]);
});

it.each<[string, (line: EventEmitter) => unknown, string]>([
  ['what it cannot read', (line) => line.emit('message', '{}'), 'cannot read'],
  ['what is no JSON', (line) => line.emit('message', '<'), 'not JSON'],
  ['a fault', (line) => line.emit('error', new Error('reset')), 'reset'],
  ['its close', (line) => line.emit('close'), '127.0.0.1:8002 closed the connection.'],
])('ends with %s, once, and is not used after it', async (_what, fail, text) => {
  const { line, own, sent, heard, ends, closes } = await open();
  fail(line);
  line.emit('error', new Error('later'));
  line.emit('close');
  line.emit('message', JSON.stringify(refused));
  own.send({ kind: 'release' });
  own.close();
  expect(ends).toEqual([expect.stringContaining(text)]);
  expect([heard, sent, closes()]).toEqual([[], [], 1]);
});

it('reports no end that was requested', async () => {
  const { line, own, heard, ends, closes } = await open();
  own.close();
  line.emit('close');
  line.emit('message', JSON.stringify(refused));
  expect([heard, ends, closes()]).toEqual([[], [], 1]);
});
