// The unauthenticated/unauthorized response: HTTP 200, exactly code 401 and a message, and no handler entered.

import { expect } from 'vitest';
import type { Answer, Request } from '../rig/http-client.ts';
import type { Service } from '../rig/start-service.ts';

export async function expectRefusal(service: Service, request: Request, reason: string): Promise<Answer> {
  const before = await service.countEntries();
  const answer = await service.send(request);
  expectRefusalBody(answer);
  expect(answer.headers['x-auth-reason']).toBe(reason);
  expect(await service.countEntries(), 'handlers entered').toBe(before);
  return answer;
}

export function expectRefusalBody({ status, headers, body }: Answer): void {
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(body).toStrictEqual({ code: 401, msg: expect.stringMatching(/\S/) });
}

/** A refusal of login: code 400 and never 401, so that a front end shows the message instead of reloading. */
export function expectLoginRefusal({ status, headers, body }: Answer, reason: string): void {
  expect(status).toBe(200);
  expect(headers['x-auth-reason']).toBe(reason);
  expect(body).toStrictEqual({ code: 400, msg: expect.stringMatching(/\S/) });
  expect(headers['set-cookie']).toBeUndefined();
}

/** The handler answered with success. */
export function expectSuccess({ status, body }: Answer): void {
  expect(status).toBe(200);
  expect(body).toMatchObject({ code: 200, msg: 'success', requestId: expect.any(String) });
}
