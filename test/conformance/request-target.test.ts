// Spec, What the service does: neither check can be skipped. A request target is served as it was sent or not at
// all, so that no spelling of a path reaches a handler around the checks. Over raw sockets.
import { describe, expect, it } from 'vitest';
import type { RawAnswer } from '../rig/raw-socket.ts';
import { useService } from '../rig/use-service.ts';
import { anyMode } from './modes.ts';

const strangeTargets = [
  '/api/v1/%6cogin',
  '/api/v1/logi%6e',
  '//api/v1/login',
  '/api//v1/login',
  '/api/v1/login/',
  '/api/v1/x/../login',
  '/api/v1/./login',
  '/api/v1/login/..',
  '/api/v1/login/.',
  '/api/v1/%2e%2e/v1/login',
  '/api/v1/login;a',
  '/api/v1;x/login',
  '/api/v1/login#x',
  '/api/v1/login?x#y',
  '/api/v1\\login',
  '/api/v1/login%00',
  '/api/v1/login%20',
  '/api/v1/orders%2f7',
  '/%zz?token=X',
  'http://host/api/v1/login',
  'https://user:secret@host/api/v1/login',
  '*',
  `/api/v1/${'a'.repeat(2000)}`,
  `/api/v1/login?q=${'a'.repeat(9000)}`,
];

const garbage: Record<string, string | Buffer> = {
  'a line of text': 'garbage\r\n\r\n',
  'a TLS greeting': Buffer.from('160301020001000001fc0303', 'hex'),
  'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'an unknown method': 'FETCH /api/v1/login HTTP/1.1\r\nHost: rig\r\n\r\n',
  'a method in small letters': 'get /api/v1/greeting HTTP/1.1\r\nHost: rig\r\n\r\n',
  'a target that is neither path nor URL': 'GET host/api/v1/login HTTP/1.1\r\nHost: rig\r\n\r\n',
  'a control byte in the target': 'GET /api/v1/log\x01in HTTP/1.1\r\nHost: rig\r\n\r\n',
  'a byte beyond ASCII in the target': Buffer.from(
    'GET /api/v1/caf\xe9 HTTP/1.1\r\nHost: rig\r\n\r\n',
    'latin1',
  ),
  'a length that is no number': 'POST /api/v1/login HTTP/1.1\r\nHost: rig\r\nContent-Length: x\r\n\r\n',
  'two framings at once':
    'POST /api/v1/login HTTP/1.1\r\nHost: rig\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'a header of 20 kB': `GET /api/v1/greeting HTTP/1.1\r\nHost: rig\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
  'a request without a host': 'GET /api/v1/greeting HTTP/1.1\r\n\r\n',
};

function expectEnvelope({ status, headers, body }: RawAnswer, code: number): void {
  expect(status).toBe(code);
  expect(body).toStrictEqual({ code, msg: expect.stringMatching(/\S/) });
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.stringMatching(/^[\w-]{8,}$/),
  });
}

describe.each(anyMode)('in mode %s', (mode) => {
  const service = useService({ mode });

  it.each(strangeTargets)(
    'answers the target %s with 404 in our envelope and without an echo [what-the-service-does-s2] [versioning-s1]',
    async (target) => {
      const before = await service().countEntries();
      for (const method of ['GET', 'POST']) {
        const answer = await service().raw(
          `${method} ${target} HTTP/1.1\r\nHost: rig\r\nContent-Length: 0\r\n\r\n`,
        );
        expectEnvelope(answer, 404);
        if (target.length > 1) expect(answer.raw).not.toContain(target.slice(1));
        expect(answer.raw).not.toMatch(/login|secret|token/i);
      }
      expect(await service().countEntries()).toBe(before);
    },
  );

  it.each(Object.keys(garbage))(
    'answers %s with 400 in our envelope and closes [what-the-service-does-s2] [versioning-s1]',
    async (name) => {
      const answer = await service().raw(garbage[name] ?? '');
      expectEnvelope(answer, 400);
      expect(answer.closed).toBe(true);
      expect(answer.headers.connection).toBe('close');
    },
  );

  it('answers an unknown expectation in our envelope [what-the-service-does-s2]', async () => {
    const head = 'GET /api/v1/orders HTTP/1.1\r\nHost: rig\r\nExpect: rain\r\n\r\n';
    const { headers, body } = await service().raw(head);
    expect(body).toStrictEqual({ code: expect.any(Number), msg: expect.any(String) });
    expect(headers['cache-control']).toBe('no-store');
  });

  it('answers every request that it runs, also a second one on the same connection [what-the-service-does-s2]', async () => {
    const before = await service().countEntries();
    const refused = 'GET //api/v1/greeting HTTP/1.1\r\nHost: rig\r\n\r\n';
    const second = 'GET /api/v1/greeting HTTP/1.1\r\nHost: rig\r\nConnection: close\r\n\r\n';
    const answer = await service().raw(refused + second, { untilClosed: true });
    expectEnvelope(answer, 404);
    const answered = answer.raw.match(/HTTP\/1\.1 200 /g)?.length ?? 0;
    expect((await service().countEntries()) - before).toBe(answered);
  });

  it('serves the canonical target with any query [versioning-s1]', async () => {
    for (const query of ['', '?', '?a=%zz', '?a=//b/../c;d&e=:7'])
      expect(
        (await service().raw(`GET /api/v1/greeting${query} HTTP/1.1\r\nHost: rig\r\n\r\n`)).body.code,
      ).toBe(200);
  });
});
