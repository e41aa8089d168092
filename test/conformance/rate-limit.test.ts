// Spec, Errors 3 and Limits: the rate limit. mode.test.ts tests the lifetime of a token.
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import type { Answer, Request } from '../rig/http-client.ts';
import { useService } from '../rig/use-service.ts';
import { eventually } from './eventually.ts';
import { anyMode } from './modes.ts';

const greeting: Request = { path: '/api/v1/greeting' };

describe.each(anyMode)('a limit of 1 request a second with a burst of 20, in mode %s', (mode) => {
  const service = useService({ mode, settings: { LIMIT_REQUESTS_PER_SECOND: '1', LIMIT_BURST: '20' } });

  /** The first answer beyond the limit to this request, sent over and over as a flood sends it. */
  async function flood(request: Request): Promise<Answer> {
    for (let count = 0; count < 100; count += 1) {
      const answer = await service().send(request);
      if (answer.body.code === 429) return answer;
    }
    throw new Error('100 requests met no limit.');
  }

  function expectRateLimited({ status, headers, body }: Answer): void {
    expect(status).toBe(200);
    expect(body).toStrictEqual({ code: 429, msg: expect.stringMatching(/\S/) });
    expect(headers['x-auth-reason']).toBe('rate_limited');
    expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
  }

  it('answers a flood with HTTP 200, code 429 and the time to wait [errors-3]', async () => {
    expectRateLimited(await flood(greeting));
  });

  it.each([
    { name: 'a login', request: { method: 'POST', path: '/api/v1/login', body: {} } },
    { name: 'a protected endpoint without a token', request: { path: '/api/v1/orders' } },
    {
      name: 'a protected endpoint with a bad token',
      request: present('x.y.z', 'header', { path: '/api/v1/orders' }),
    },
  ])('refuses $name beyond the limit before any other check [errors-3]', async ({ request }) => {
    expectRateLimited(await flood(request));
  });

  it('records a login beyond the limit as throttled [errors-3] [events-s1]', async () => {
    const { headers } = await flood({ method: 'POST', path: '/api/v1/login', body: {} });
    const find = async () =>
      (
        await service().database.query('select reason from login_log where request_id = $1', [
          headers['x-request-id'],
        ])
      )[0];
    await eventually(find).toEqual({ reason: 'throttled' });
  });

  it('serves the same client again after that time [errors-3]', async () => {
    const seconds = Number((await flood(greeting)).headers['retry-after']);
    const ask = async () => (await service().send(greeting)).body.code;
    await eventually(ask, { interval: 1000 * seconds, timeout: 120_000 * seconds }).toBe(200);
  });
});
