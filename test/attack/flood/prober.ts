// A process that does what people do while the login is flooded: 500 checked requests a second on a few connections, and
// one login a second. A time counts from when the request was due. Prints them as JSON.
import { createHttpClient, type Request } from '../../rig/http-client.ts';

const [port = '', seconds = '', token = '', username = '', password = ''] = process.argv.slice(2);
const checksPerSecond = 500;
const client = createHttpClient(Number(port), { remembers: false, resends: true });
/** Each as when it was due, by `Date.now()`, and how long it took. */
type Time = readonly [number, number];
const checks: Time[] = [];
const logins: Time[] = [];
const failures: string[] = [];

async function time(request: Request, into: Time[], dueAt: number): Promise<void> {
  try {
    const { body, text } = await client.send(request);
    if (body.code !== 200) failures.push(`${request.path}: ${text}`);
    else if (dueAt - startedAt >= warmUpMilliseconds)
      into.push([performance.timeOrigin + dueAt, performance.now() - dueAt]);
  } catch (error) {
    failures.push(`${request.path}: ${String(error)}`);
  }
}

const check: Request = { path: '/api/v1/orders', headers: { authorization: `Bearer ${token}` } };
const login: Request = { method: 'POST', path: '/api/v1/login', body: { username, password } };

/** The first second warms up, and does not count. */
const warmUpMilliseconds = 1000;
const startedAt = performance.now();
const outstanding: Promise<void>[] = [];
let checksDue = 0;
let loginsDue = 0;
const timer = setInterval(() => {
  const elapsed = performance.now() - startedAt;
  for (; checksDue < Math.min(elapsed, 1000 * Number(seconds)) * (checksPerSecond / 1000); checksDue += 1)
    outstanding.push(time(check, checks, startedAt + checksDue * (1000 / checksPerSecond)));
  for (; loginsDue < Math.min(elapsed / 1000, Number(seconds)); loginsDue += 1)
    outstanding.push(time(login, logins, startedAt + 1000 * loginsDue));
  if (elapsed < 1000 * Number(seconds)) return;
  clearInterval(timer);
  void Promise.all(outstanding).then(() => {
    client.close();
    console.log(JSON.stringify({ checks, logins, failures }));
  });
}, 1);
