// An origin is listed as a whole, byte by byte: one that begins or ends like it belongs to another site.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { setCorsHeaders } from '../../src/http/cors.ts';

const listed = 'https://good.example';

function allowedOrigin(origin: string) {
  const request = new IncomingMessage(new Socket());
  request.headers.origin = origin;
  const response = new ServerResponse(request);
  setCorsHeaders(new Set([listed]), request, response);
  return response.getHeader('access-control-allow-origin');
}

it.each([
  'https://good.example.evil.example',
  'https://good.example:8443',
  'https://good.example/',
  'https://evil.https://good.example',
  'https://GOOD.example',
  'http://good.example',
  'https://good.exampl',
  'null',
  '',
])('the origin %j is not the listed one', (origin) => {
  expect(allowedOrigin(origin)).toBeUndefined();
});

it('the listed origin is answered', () => {
  expect(allowedOrigin(listed)).toBe(listed);
});
