// Response headers that every response has. A refusal is HTTP 200, so a cache would store it without `no-store`.
import { jsonContentType } from '@portcullis/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';

export const commonHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

export const requestIdHeader = 'x-request-id';

export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders).header(requestIdHeader, request.id);
}

const commonLines = Object.entries(commonHeaders).flat();

/** Names and values alternate, which is the form that Node writes fastest. */
export function headerLines(requestId: string, body: string): string[] {
  const length = String(Buffer.byteLength(body));
  return [
    ...commonLines,
    requestIdHeader,
    requestId,
    'content-type',
    jsonContentType,
    'content-length',
    length,
  ];
}

/** For a proxy such as nginx, which would buffer the pieces of a stream until they fill a page. */
const unbuffered = { 'x-accel-buffering': 'no' } as const;
const unbufferedLines = Object.entries(unbuffered).flat();

/** Without a length, which is known only at the end of a stream. */
export function streamHeaderLines(requestId: string, contentType: string): string[] {
  return [...commonLines, requestIdHeader, requestId, 'content-type', contentType, ...unbufferedLines];
}
