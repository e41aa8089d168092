// Receives events of Portcullis, verifies them, and posts them to a chat in the format of Slack or Feishu. It runs on the host
// of the service and listens on the loopback address only.
import { createServer } from 'node:http';
import { type PortcullisEvent, verifyEvent } from './verify-event.ts';

const { CHAT_URL = '', CHAT = 'slack', WEBHOOK_SECRET = '', PORT = '9100' } = process.env;
const mostBytes = 1_000_000;
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  try {
    const event = verifyEvent(request.headers, await readBody(request), WEBHOOK_SECRET);
    if (!seen.has(event.id)) await say(textOf(event));
    remember(event.id);
    response.writeHead(204).end();
  } catch (error) {
    // Anything but 2xx, and Portcullis sends it again later.
    response.writeHead(400).end(String(error));
  }
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const address = server.address();
  console.log(`events on http://127.0.0.1:${typeof address === 'object' ? address?.port : PORT}/`);
});

async function readBody(request: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error('too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function textOf({ type, subject, timestamp, data }: PortcullisEvent): string {
  const who = data.actorName ?? data.username ?? 'unknown';
  const why = typeof data.reason === 'string' ? ` (${data.reason})` : '';
  return `${timestamp} ${type}: ${subject} by ${String(who)}${why}`;
}

/** Slack: `{ text }`. Feishu: `{ msg_type, content }`. */
async function say(text: string): Promise<void> {
  const message = CHAT === 'feishu' ? { msg_type: 'text', content: { text } } : { text };
  const answer = await fetch(CHAT_URL, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
    signal: AbortSignal.timeout(4000),
  });
  if (!answer.ok) throw new Error(`the chat answered ${answer.status}`);
}

/** An event can come twice, with the same id. */
function remember(id: string): void {
  seen.add(id);
  const [oldest] = seen;
  if (seen.size > 10_000 && oldest !== undefined) seen.delete(oldest);
}
