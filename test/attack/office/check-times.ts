// A process that asks checked requests, two hundred a second, while something else goes on. A time counts from when the
// request was due. Prints the times as JSON, and when each was due by `Date.now()`.
import { createHttpClient, type Request } from '../../rig/http-client.ts';

const [port = '', seconds = '', token = ''] = process.argv.slice(2);
const perSecond = 200;
const client = createHttpClient(Number(port), { remembers: false, resends: true });
const check: Request = { path: '/api/v1/orders', headers: { authorization: `Bearer ${token}` } };
const times: [dueAt: number, milliseconds: number][] = [];
const outstanding: Promise<void>[] = [];

async function time(dueAt: number): Promise<void> {
  const { body, text } = await client.send(check);
  if (body.code !== 200) throw new Error(text);
  times.push([performance.timeOrigin + dueAt, performance.now() - dueAt]);
}

for (let count = 0; count < 50; count += 1) await client.send(check);
process.stdout.write('ready\n');
const startedAt = performance.now();
let sent = 0;
const timer = setInterval(() => {
  const elapsed = performance.now() - startedAt;
  for (; sent < Math.min(elapsed / 1000, Number(seconds)) * perSecond; sent += 1)
    outstanding.push(time(startedAt + (sent / perSecond) * 1000));
  if (elapsed < 1000 * Number(seconds)) return;
  clearInterval(timer);
  void Promise.all(outstanding).then(() => {
    client.close();
    console.log(JSON.stringify(times));
  });
}, 1);
