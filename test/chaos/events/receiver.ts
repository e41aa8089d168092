// A receiver of events that may be killed at any time: what it has taken is in a file before it answers. It verifies every
// signature, and is not always well.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { openSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import { Random } from '../../fuzz/random.ts';

const { RECEIVER_PORT, RECEIVER_FILE = '', RECEIVER_SECRET = '', RECEIVER_SEED } = process.env;
const file = openSync(RECEIVER_FILE, 'a');
const key = Buffer.from(RECEIVER_SECRET.replace('whsec_', ''), 'base64');
const random = new Random(Number(RECEIVER_SEED));
/** Of a hundred. */
const [refused, cut, slow] = [1, 1, 1];
const slowMilliseconds = 200;

function isSigned(id: string, at: string, given: string, body: string): boolean {
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`,
  );
  return given
    .split(' ')
    .some((text) => text.length === expected.length && timingSafeEqual(Buffer.from(text), expected));
}

const server = createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += String(piece);
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers;
  const isGenuine = isSigned(String(id), String(at), String(signature), body);
  const mood = random.below(100);
  if (isGenuine && mood < refused) {
    response.writeHead(500).end();
    return;
  }
  const event = JSON.parse(body) as Record<string, unknown>;
  const taken = [event.id, event.log, event.subject, event.chain, event.seq, id === event.id && isGenuine];
  writeSync(file, `${JSON.stringify(taken)}\n`);
  if (mood < refused + cut) request.socket.destroy();
  else if (mood < refused + cut + slow) setTimeout(() => response.end(), slowMilliseconds);
  else response.end();
});
server.keepAliveTimeout = 60_000;
server.listen(Number(RECEIVER_PORT), '127.0.0.1', () => console.log('receiving'));
