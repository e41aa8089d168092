// The adapter forwards each event once, and nothing that Portcullis did not sign.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf, type LogEvent } from '../../packages/server/src/people/webhooks/event.ts';
import {
  generateSecret,
  signedHeaders,
} from '../../packages/server/src/people/webhooks/webhook-signature.ts';
import { type RigProcess, startProcess } from '../rig/start-process.ts';

const { secret, shown } = generateSecret(randomBytes);
const said: unknown[] = [];
const chat = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += String(piece);
  said.push(JSON.parse(body));
  response.end();
});
const adapters: Record<string, { process: RigProcess; url: string }> = {};

beforeAll(async () => {
  chat.listen(0, '127.0.0.1');
  await once(chat, 'listening');
  for (const CHAT of ['slack', 'feishu']) {
    const process = startProcess({
      script: 'examples/webhook-adapter/main.ts',
      environment: {
        CHAT,
        CHAT_URL: `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`,
        WEBHOOK_SECRET: shown,
        PORT: '0',
      },
    });
    const line = await process.waitForLine(/events on/);
    adapters[CHAT] = { process, url: /http:\S+/.exec(line)?.[0] ?? '' };
  }
});
afterAll(async () => {
  for (const { process } of Object.values(adapters)) {
    process.signal('SIGTERM');
    await process.exited;
  }
  chat.close();
});

const event: LogEvent = {
  log: 'audit',
  id: '019a9320-5f5c-7c3e-b1d0-2f4f0f8a6f11',
  type: 'user.disable',
  object: 'user 7',
  at: new Date('2026-11-17T23:48:59Z'),
  chain: null,
  seq: 1,
  data: { actorName: 'ada' },
};
const text = '2026-11-17T23:48:59.000Z user.disable: user 7 by ada';

async function send(chatName: string, key: Buffer = secret): Promise<number> {
  const body = bodyOf(event);
  const headers = signedHeaders({ id: event.id, body, at: new Date() }, [key]);
  return (await fetch(adapters[chatName]?.url ?? '', { method: 'POST', headers, body })).status;
}

it('forwards no event without a signature by the secret', async () => {
  expect(await send('slack', randomBytes(32))).toBe(400);
  expect(said).toEqual([]);
});

it('forwards an event once, in the format of each chat', async () => {
  for (const name of ['slack', 'slack', 'feishu']) expect(await send(name)).toBe(204);
  expect(said).toEqual([{ text }, { msg_type: 'text', content: { text } }]);
});
