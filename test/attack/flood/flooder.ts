// A process that floods the login from many loopback addresses: every attempt on a separate connection, and half of
// the clients hang up as soon as they have asked. Prints how many it sent and what they were answered, as JSON.
import { connect, type Socket } from 'node:net';
import { Random } from '../../fuzz/random.ts';

const [port = '', perSecond = '', seconds = '', addresses = ''] = process.argv.slice(2);
const random = new Random(1);
const codes: Record<string, number> = {};
/** What a machine can have open; more are not sent, and counted. */
const mostOpen = 2000;
/** A thousand machines do not pause and then catch up together; what this one was too late for is not sent, and counted. */
const longestCatchUpSeconds = 0.02;
const open = new Set<Socket>();
let sent = 0;
let left = 0;

function addressOf(index: number): string {
  return `127.1.${index >> 8}.${index & 255}`;
}

function attempt(): void {
  if (open.size >= mostOpen) {
    left += 1;
    return;
  }
  sent += 1;
  const username = random.once(2) ? 'ada' : `name${random.below(1_000_000)}`;
  const body = JSON.stringify({ username, password: `guess${random.below(1_000_000)}` });
  const localAddress = addressOf(random.below(Number(addresses)));
  const hangsUp = random.once(2);
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress }, () => {
    socket.write(
      `POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
      () => {
        if (hangsUp) socket.destroy();
      },
    );
  });
  open.add(socket);
  socket
    .setEncoding('latin1')
    .on('data', (text: string) => {
      const code = /"code":(\d+)/.exec(text)?.[1] ?? 'none';
      codes[code] = (codes[code] ?? 0) + 1;
    })
    .on('error', () => {})
    .on('close', () => open.delete(socket));
}

const startedAt = performance.now();
let due = 0;
const timer = setInterval(() => {
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  if (elapsedSeconds > Number(seconds)) {
    clearInterval(timer);
    for (const socket of open) socket.destroy();
    console.log(JSON.stringify({ sent, left, codes }));
    return;
  }
  const now = Math.floor(elapsedSeconds * Number(perSecond));
  const from = Math.max(due, now - Math.ceil(Number(perSecond) * longestCatchUpSeconds));
  left += from - due;
  for (due = from; due < now; due += 1) attempt();
}, 1);
