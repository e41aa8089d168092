// Spec, Versioning: everything is under `/api/v1`, and nothing of an earlier version remains.
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { present } from '../rig/carriers.ts';
import { useService } from '../rig/use-service.ts';
import { expectSuccess } from './expect-refusal.ts';
import { anyMode } from './modes.ts';

const elsewhere = [
  '/',
  '/login',
  '/getCaptcha',
  '/user/profile',
  '/orders',
  '/api',
  '/api/v1',
  '/api/login',
  '/api/v2/login',
  '/api/v2/getCaptcha',
  '/api/v1.0/getCaptcha',
  '/v1/getCaptcha',
  '/API/V1/getCaptcha',
  '/api/v1/getcaptcha',
  '/livez',
  '/readyz',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/swagger',
  '/favicon.ico',
  '/.well-known/jwks.json',
];

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(elsewhere)('serves nothing at %s [versioning-s1] [what-the-service-does-s1]', async (path) => {
    const token = await service().tokenOf('ada');
    for (const method of ['GET', 'POST'])
      for (const request of [{ method, path }, present(token, 'header', { method, path })]) {
        const { status, body } = await service().send(request);
        expect([status, body]).toEqual([404, { code: 404, msg: expect.any(String) }]);
      }
  });

  it('serves every endpoint under the prefix, ours and the business service’s [versioning-s1] [what-the-service-does-s1]', async () => {
    const token = await service().tokenOf('ada');
    for (const path of ['getCaptcha', 'captcha', 'user/profile', 'getinfo', 'greeting', 'context', 'orders'])
      expectSuccess(await service().send(present(token, 'header', { path: `/api/v1/${path}` })));
  });

  it('serves health checks on a separate listener [versioning-s1]', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      connect(service().server.opsPort, '127.0.0.1')
        .setEncoding('utf8')
        .on('data', (part) => {
          text += part;
        })
        .on('end', () => resolve(text))
        .on('error', reject)
        .end('GET /readyz HTTP/1.1\r\nHost: rig\r\nConnection: close\r\n\r\n');
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*ready/s);
  });
});
