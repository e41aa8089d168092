import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { judgesTimes } from '../../../../../test/rig/judges-times.ts';
import { createMisconfigurationWarnings } from '../../../src/permissions/decision-api/misconfiguration-warnings.ts';
import { createServiceSecret } from '../../../src/permissions/decision-api/service-secret.ts';
import { createDecisionStandIn, previousSecret, secret } from './decision-stand-in.ts';
import { listening } from './listening.ts';

const served: string[] = [];
const { listener } = createDecisionStandIn({
  below: [
    [
      '/guard/v1/',
      (request, response, requestId) => {
        served.push(request.url ?? '');
        response.end(requestId);
      },
    ],
  ],
});
let port: number;
beforeAll(async () => {
  port = await listening(listener);
});
afterAll(() => listener.close());

const ask = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers });
const knows = { authorization: `Bearer ${secret}` };

it.each([
  '/',
  '/forward-auth/',
  '/forward-authx',
  '/FORWARD-AUTH',
  '/access/v1/',
  '/access/v1/evaluation/',
  '/readyz',
  '/api/v1/login',
  '/constructor',
  '/__proto__',
])('answers %s with 404 only with the secret', async (path) => {
  expect((await ask(path)).status).toBe(401);
  expect((await ask(path, { authorization: `Bearer ${secret}x` })).status).toBe(401);
  expect((await ask(path, knows)).status).toBe(404);
});

it('passes on paths below another part only with the secret', async () => {
  expect((await ask('/guard/v1/x')).status).toBe(401);
  expect((await ask('/guard/v1', knows)).status).toBe(404);
  expect(served).toEqual([]);
  expect(await (await ask('/guard/v1/x?y', { ...knows, 'x-request-id': 'mine' })).text()).toBe('mine');
  expect(served).toEqual(['/guard/v1/x?y']);
});

it('takes the secret in any case of the scheme, and the previous one', async () => {
  expect((await ask('/nothing', { authorization: `bearer ${secret}` })).status).toBe(404);
  expect((await ask('/nothing', { authorization: `Bearer ${previousSecret}` })).status).toBe(404);
});

it.each([
  '',
  'x',
  secret.slice(1),
  secret.slice(0, -1),
  `${secret} `,
  ` ${secret}`,
  secret.toUpperCase(),
  `${secret}\0`,
])('does not take %j for the secret', (presented) => {
  expect(createServiceSecret([secret, previousSecret])(presented)).toBe(false);
});

it('takes nothing for a secret where none is set', () => {
  expect(createServiceSecret([])('')).toBe(false);
  expect(createServiceSecret([''])('')).toBe(false);
});

/** Long, so that a comparison which stops at the first difference shows. */
it.skipIf(!judgesTimes)('compares a secret in a time that tells nothing about it', () => {
  const long = 'x'.repeat(1_000_000);
  const isSecret = createServiceSecret([long]);
  const time = (presented: string) => {
    const start = performance.now();
    isSecret(presented);
    return performance.now() - start;
  };
  // In turn, so that whatever else the machine does slows both down; and until each had a moment without it.
  const least = [Infinity, Infinity] as [number, number];
  const difference = () => 1 - Math.min(...least) / Math.max(...least);
  for (let round = 0; round < 100 || (difference() >= 0.5 && round < 1000); round += 1) {
    least[0] = Math.min(least[0], time(`y${long.slice(1)}`));
    least[1] = Math.min(least[1], time(`${long.slice(0, -1)}y`));
  }
  expect(difference()).toBeLessThan(0.5);
});

it('ends a body that does not come', async () => {
  const { listener: impatient } = createDecisionStandIn();
  impatient.requestTimeout = 200;
  impatient.headersTimeout = 100;
  const socket = connect(await listening(impatient), '127.0.0.1');
  const lines = ['POST /access/v1/evaluation HTTP/1.1', 'Host: x', `Authorization: Bearer ${secret}`];
  socket.write(`${lines.join('\r\n')}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
  let answer = '';
  socket.on('data', (part) => {
    answer += part;
  });
  // A reset is an end as well.
  socket.on('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  impatient.close();
  expect(answer).not.toContain('"decision"');
  expect(answer).toMatch(/^(HTTP\/1\.1 4|$)/);
});

it('answers bytes that are not HTTP with 400 and closes', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.write('forward-auth?\r\n\r\n');
  expect(String((await socket.toArray())[0])).toMatch(/^HTTP\/1\.1 400 /);
});

it('reports each misuse once a minute', () => {
  const told: string[] = [];
  let now = 0;
  const report = createMisconfigurationWarnings(
    (text) => told.push(text),
    () => now,
  );
  for (const text of ['a', 'a', 'b', 'a']) report(text);
  now = 59_999;
  report('a');
  expect(told).toEqual(['a', 'b']);
  now = 60_000;
  report('a');
  expect(told).toEqual(['a', 'b', 'a']);
});
