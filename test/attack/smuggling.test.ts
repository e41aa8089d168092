// Threats, 1.2: a second request inside the first. Raw sockets, because no client sends this.
import { describe, expect, it } from 'vitest';
import { useService } from '../rig/use-service.ts';
import { smuggledRequests, swallowedRequests } from './carriers/smuggled-requests.ts';

const service = useService({ mode: 'prod' });
const countAnswers = (raw: string) => raw.split('HTTP/1.1 ').length - 1;

describe('T25: bytes that two parsers could split differently', () => {
  it('are at least sixty', () => {
    expect(smuggledRequests.length + swallowedRequests.length).toBeGreaterThanOrEqual(60);
  });

  it.each(smuggledRequests)(
    'T25: ($name) are answered once with 400, then the connection is closed and no handler has run',
    async ({ bytes }) => {
      const before = await service().countEntries();
      const { status, headers, body, raw, closed } = await service().raw(bytes, { untilClosed: true });
      expect([status, body]).toEqual([400, { code: 400, msg: expect.any(String) }]);
      expect(headers).toMatchObject({ connection: 'close', 'cache-control': 'no-store' });
      expect([countAnswers(raw), closed]).toEqual([1, true]);
      expect(await service().countEntries()).toBe(before);
    },
  );

  it.each(swallowedRequests)(
    'T25: a request hidden $name reaches no handler and is not answered',
    async ({ bytes }) => {
      const before = await service().countEntries();
      const { raw, closed } = await service().raw(bytes, { untilClosed: true });
      expect([countAnswers(raw), closed]).toEqual([1, true]);
      expect(await service().countEntries()).toBe(before);
    },
  );

  it('T25: two whole requests in one packet are two requests, so that the counts above mean something', async () => {
    const before = await service().countEntries();
    const request = 'GET /api/v1/greeting HTTP/1.1\r\nHost: x\r\n';
    const { raw } = await service().raw(`${request}\r\n${request}Connection: close\r\n\r\n`, {
      untilClosed: true,
    });
    expect(countAnswers(raw)).toBe(2);
    expect(await service().countEntries()).toBe(before + 2);
  });
});
